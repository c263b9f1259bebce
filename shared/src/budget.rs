//! The 2 MB of a cluster as data: who gets how much.
//!
//! One table for everybody: the compiler says whether a game fits, the loader
//! refuses what does not, and the kernel's build fails when its own share grows
//! beyond what is declared here.
//!
//! | part | bytes |
//! |---|---|
//! | code | 176 KiB for the kernel's code, constants and data |
//! | stacks | 4 KiB for each of the 16 cores, also for those that do not play, and 16 KiB for the system core |
//! | queues | 128 positions, and their results twice: being added up, and leaving; up to 256 where memory is left over |
//! | image | the game, without names |
//! | slots | one word per slot and core; each core's arena starts a block of its own |
//! | players | for each core what chooses moves and keeps its lanes busy; with one role also the numbers of the playouts in them |

use core::fmt;

use crate::image::Image;
use crate::position::position_bytes;
use crate::wire::results::Columns;
use crate::word::WordWidth;

/// Memory of a cluster.
pub const TOTAL_BYTES: u64 = 2 * 1024 * 1024;
/// Cores of a cluster that play; the system core comes on top.
pub const CORES: u32 = 16;
/// Code, constants and static data of the kernel.
pub const CODE_BYTES: u64 = 176 * 1024;
/// The stack of one core.
pub const STACK_BYTES: u64 = 4 * 1024;
/// The stack of the system core, which also holds what the cores wait on.
pub const SYSTEM_STACK_BYTES: u64 = 16 * 1024;
/// What the kernel takes before any game: its code and all stacks.
pub const KERNEL_BYTES: u64 = CODE_BYTES + SYSTEM_STACK_BYTES + CORES as u64 * STACK_BYTES;
/// Positions that every cluster takes at a time, and stretches of playouts that its
/// cores share.
pub const QUEUE_LENGTH: u64 = 128;
/// Positions that a cluster takes at a time if it has memory for them: twice as many,
/// so that lanes run empty half as often. With still more the gain is ever smaller, and
/// slow games need longer deadlines.
pub const LONGEST_QUEUE: u64 = 2 * QUEUE_LENGTH;
/// What the queues need beside positions and results: the number of the first
/// position, and what lies between pieces of memory that start blocks of
/// [`SEPARATION`] bytes.
pub const QUEUE_BYTES: u64 = 1536;
/// Words of a core for random streams, beside what grows with the game.
pub const PLAYER_WORDS: u64 = 192;
/// Words of a core for each role: its draws.
pub const ROLE_WORDS: u64 = 17;
/// Words of a core for each move of the role that has most: counts and ranks.
pub const CHOICE_WORDS: u64 = 4;
/// Words of a core for the numbers of the playouts in its lanes, 8 bytes each, which are
/// kept in games of one role: 64 words, and up to 7 bytes before the first number.
pub const NUMBER_WORDS: u64 = 72;
/// Bytes of a core for each lane: which flight it belongs to, and since when.
pub const LANE_BYTES: u64 = 8;
/// Bytes of a core for each flight beside its lanes, which are a word. There are as many
/// flights as lanes.
pub const FLIGHT_BYTES: u64 = 16;
/// Bytes of a core for the rest of its player.
pub const PLAYER_BYTES: u64 = 512;
/// What two cores write lies in different blocks of so many bytes: two cache
/// lines, because caches fetch them in pairs, and a core that writes one line
/// would still slow down the writer of its neighbour.
pub const SEPARATION: u64 = 128;

// What every game needs must leave room for some game.
const _: () = assert!(KERNEL_BYTES <= TOTAL_BYTES / 8);

/// What a game asks of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Bytes of the image, without names.
    pub image_bytes: u64,
    /// Slots of the image.
    pub slots: u64,
    /// Fluents of the game.
    pub fluents: u64,
    /// Roles of the game.
    pub roles: u64,
    /// Moves of the role that has most.
    pub most_moves: u64,
    /// Columns of its results beyond tally and scores.
    pub further_columns: u64,
}

impl Demand {
    /// What this image asks for.
    #[must_use]
    pub fn of(image: &Image<'_>) -> Self {
        Self {
            image_bytes: image.length() as u64,
            slots: image.slots() as u64,
            fluents: image.fluents() as u64,
            roles: image.roles() as u64,
            most_moves: (0..image.roles())
                .map(|role| image.move_range(role).len() as u64)
                .max()
                .unwrap_or(0),
            further_columns: Columns::of_roles(image.roles()).further as u64,
        }
    }

    /// The columns of its results.
    #[must_use]
    pub const fn columns(&self) -> Columns {
        Columns { roles: self.roles as usize, further: self.further_columns as usize }
    }
}

/// The memory that there is, and the cores that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of the whole cluster.
    pub total: u64,
    /// Cores that play.
    pub cores: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { total: TOTAL_BYTES, cores: CORES }
    }
}

/// One line of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetPart {
    /// What the memory is for.
    pub name: &'static str,
    /// How much of it.
    pub bytes: u64,
}

/// How a game fills the budget with words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The budget.
    pub budget: Budget,
    /// The width of the words.
    pub word: WordWidth,
    /// Who gets how much.
    pub parts: [BudgetPart; 6],
    /// Positions that a cluster takes at a time: [`QUEUE_LENGTH`] and, up to
    /// [`LONGEST_QUEUE`], as many more as there is memory left over for.
    pub queue: u64,
}

impl Budget {
    /// How the game fills this budget with words of this width.
    #[must_use]
    pub fn account(&self, demand: &Demand, word: WordWidth) -> Account {
        let cores = u64::from(self.cores);
        let arena = (demand.slots * word.bytes()).next_multiple_of(SEPARATION);
        let part = |name, bytes| BudgetPart { name, bytes };
        let parts = [
            part("code", CODE_BYTES),
            part("stacks", KERNEL_BYTES - CODE_BYTES),
            part("queues", queues(demand)),
            part("image", demand.image_bytes),
            part("slots", arena * cores),
            part("players", player(demand, word) * cores),
        ];
        let account = Account { budget: *self, word, parts, queue: QUEUE_LENGTH };
        let more = account.free().max(0).cast_unsigned() / queue_place(demand);
        Account { queue: (QUEUE_LENGTH + more).min(LONGEST_QUEUE), ..account }
    }

    /// The account of the widest word with which the game fits, if it fits at
    /// all.
    #[must_use]
    pub fn widest_word(&self, demand: &Demand) -> Option<Account> {
        let accounts = WordWidth::WIDEST_FIRST.map(|word| self.account(demand, word));
        accounts.into_iter().find(Account::fits)
    }
}

/// Bytes of one core's player.
fn player(demand: &Demand, word: WordWidth) -> u64 {
    let numbers = if demand.roles == 1 { NUMBER_WORDS } else { 0 };
    let words =
        PLAYER_WORDS + numbers + ROLE_WORDS * demand.roles + CHOICE_WORDS * demand.most_moves;
    let flight = (word.bytes() + FLIGHT_BYTES).next_multiple_of(word.bytes());
    let lanes = u64::from(word.lanes()) * (LANE_BYTES + flight);
    (words * word.bytes() + lanes + PLAYER_BYTES).next_multiple_of(SEPARATION)
}

fn queues(demand: &Demand) -> u64 {
    QUEUE_BYTES + QUEUE_LENGTH * queue_place(demand)
}

/// Bytes of one position in the queues.
fn queue_place(demand: &Demand) -> u64 {
    let position = position_bytes(demand.fluents as usize) as u64;
    let columns = demand.columns();
    position + (columns.bytes() + columns.padded_numbers() * size_of::<u64>()) as u64
}

impl Account {
    /// The sum of all parts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// What is left over; negative if the game does not fit.
    #[must_use]
    pub fn free(&self) -> i64 {
        self.budget.total.cast_signed().wrapping_sub(self.bytes().cast_signed())
    }

    /// What does not fit, for a person: the largest part and by how much all
    /// together are over.
    pub fn verdict(&self) -> impl fmt::Display {
        let largest = self.parts.iter().max_by_key(|part| part.bytes);
        Verdict { account: *self, largest: largest.copied() }
    }

    /// Whether the parts are within the budget.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.bytes() <= self.budget.total
    }
}

/// Says of an account whether it fits.
struct Verdict {
    account: Account,
    largest: Option<BudgetPart>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Account { budget, word, .. } = self.account;
        let (cores, lanes, total) = (budget.cores, word.lanes(), budget.total);
        let over = -self.account.free();
        write!(formatter, "{cores} cores with {lanes} lanes: ")?;
        match self.largest {
            Some(part) if over > 0 => {
                let BudgetPart { name, bytes } = part;
                write!(formatter, "{over} bytes over {total}; {name} alone takes {bytes}")
            }
            _ => write!(formatter, "fits in {total} bytes, {} are free", -over),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Demand = Demand {
        image_bytes: 1000,
        slots: 100,
        fluents: 33,
        roles: 2,
        most_moves: 20,
        further_columns: 0,
    };

    fn bytes_of(account: &Account, name: &str) -> u64 {
        account.parts.iter().find(|part| part.name == name).unwrap().bytes
    }

    #[test]
    fn each_part_is_counted_as_declared() {
        let account = Budget::default().account(&SMALL, WordWidth::SixtyFour);
        assert_eq!(bytes_of(&account, "code"), 180_224);
        assert_eq!(bytes_of(&account, "stacks"), 20 * 4096);
        assert_eq!(bytes_of(&account, "queues"), 1536 + 128 * (8 + (5 + 2) * 8 + 128));
        assert_eq!(bytes_of(&account, "image"), 1000);
        assert_eq!(bytes_of(&account, "slots"), 16 * 896, "800 bytes fill 7 blocks");
        let words = 192 + 2 * 17 + 4 * 20;
        let player: u64 = words * 8 + 64 * (8 + 24) + 512;
        assert_eq!(bytes_of(&account, "players"), 16 * player.next_multiple_of(128));
        assert_eq!(account.bytes(), account.parts.iter().map(|part| part.bytes).sum());
        assert_eq!(account.free(), 2_097_152 - account.bytes().cast_signed());
    }

    #[test]
    fn one_role_alone_pays_for_the_numbers_of_playouts() {
        let players = |roles, further_columns| {
            let demand = Demand { roles, further_columns, ..SMALL };
            bytes_of(&Budget::default().account(&demand, WordWidth::SixtyFour), "players")
        };
        let player = |words: u64| 16 * (words * 8 + 64 * (8 + 24) + 512).next_multiple_of(128);
        assert_eq!(players(1, 2), player(192 + 17 + 4 * 20 + 72));
        assert_eq!(players(3, 0), player(192 + 3 * 17 + 4 * 20));
    }

    #[test]
    fn what_is_left_over_makes_the_queue_longer() {
        let place = 8 + (5 + 2) * 8 + 128;
        let needed = Budget::default().account(&SMALL, WordWidth::One).bytes();
        let queue = |more| {
            let budget = Budget { total: needed + more, ..Budget::default() };
            budget.account(&SMALL, WordWidth::One).queue
        };
        assert_eq!(
            [0, place - 1, place, 128 * place, 1 << 20].map(queue),
            [128, 128, 129, 256, 256]
        );
        let none = Budget { total: needed - 1, ..Budget::default() };
        assert_eq!(none.account(&SMALL, WordWidth::One).queue, 128);
    }

    #[test]
    fn the_widest_word_that_fits_is_chosen() {
        let budget = Budget::default();
        let word_for =
            |slots| budget.widest_word(&Demand { slots, ..SMALL }).map(|account| account.word);
        assert_eq!(word_for(100), Some(WordWidth::SixtyFour));
        assert_eq!(word_for(20_000), Some(WordWidth::ThirtyTwo));
        assert_eq!(word_for(50_000), Some(WordWidth::Sixteen));
        assert_eq!(word_for(100_000), Some(WordWidth::Eight));
        assert_eq!(word_for(1_000_000), None);
    }

    #[test]
    fn a_budget_is_exceeded_by_one_byte() {
        let needed = Budget::default().account(&SMALL, WordWidth::One).bytes();
        let account = |total| Budget { total, ..Budget::default() }.account(&SMALL, WordWidth::One);
        assert!(account(needed).fits());
        assert_eq!(account(needed).free(), 0);
        assert!(!account(needed - 1).fits());
        assert_eq!(account(needed - 1).free(), -1);
    }
}
