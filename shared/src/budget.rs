//! The 2 MB of a cluster as data: who gets how much.
//!
//! One table for everybody: the compiler says whether a game fits, the loader
//! refuses what does not, and the kernel's build fails when its own share grows
//! beyond what is declared here.
//!
//! | part | bytes |
//! |---|---|
//! | code | 96 KiB for the kernel's code, constants and data |
//! | stacks | 4 KiB for each core and for the system core |
//! | queues | 64 positions and 64 results in flight, a 32-byte header on each |
//! | image | the game, without names |
//! | slots | one word per slot and core; each core's arena starts a cache line |

use crate::image::Image;
use crate::position::position_bytes;

/// Memory of a cluster.
pub const TOTAL_BYTES: u64 = 2 * 1024 * 1024;
/// Cores of a cluster that play; the system core comes on top.
pub const CORES: u32 = 16;
/// Code, constants and static data of the kernel.
pub const CODE_BYTES: u64 = 96 * 1024;
/// The stack of one core.
pub const STACK_BYTES: u64 = 4 * 1024;
/// Positions in flight, and as many results.
pub const QUEUE_LENGTH: u64 = 64;
/// What precedes each position and each result in a queue.
pub const QUEUE_HEADER_BYTES: u64 = 32;
/// The sum of a role's scores in a result.
pub const SCORE_BYTES: u64 = 8;
/// Each core's arena of slots starts at a multiple of this: a cache line, so
/// that two cores never write the same one.
pub const ARENA_ALIGNMENT: u64 = 64;

// What every game needs must leave room for some game.
const _: () = assert!(CODE_BYTES + (CORES as u64 + 1) * STACK_BYTES < TOTAL_BYTES / 4);

/// How many lanes a slot has, and so how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordWidth {
    /// One playout at a time; a slot takes a byte.
    One,
    /// 8 lanes.
    Eight,
    /// 16 lanes.
    Sixteen,
    /// 32 lanes.
    ThirtyTwo,
    /// 64 lanes.
    SixtyFour,
}

impl WordWidth {
    /// From the widest to the narrowest.
    pub const WIDEST_FIRST: [WordWidth; 5] = [
        WordWidth::SixtyFour,
        WordWidth::ThirtyTwo,
        WordWidth::Sixteen,
        WordWidth::Eight,
        WordWidth::One,
    ];

    /// Playouts in one word.
    #[must_use]
    pub const fn lanes(self) -> u32 {
        match self {
            WordWidth::One => 1,
            WordWidth::Eight => 8,
            WordWidth::Sixteen => 16,
            WordWidth::ThirtyTwo => 32,
            WordWidth::SixtyFour => 64,
        }
    }

    /// Bytes of one slot.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.lanes().div_ceil(u8::BITS) as u64
    }
}

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
        }
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
pub struct Part {
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
    pub parts: [Part; 5],
}

impl Budget {
    /// How the game fills this budget with words of this width.
    #[must_use]
    pub fn account(&self, demand: &Demand, word: WordWidth) -> Account {
        let cores = u64::from(self.cores);
        let arena = (demand.slots * word.bytes()).next_multiple_of(ARENA_ALIGNMENT);
        let part = |name, bytes| Part { name, bytes };
        let parts = [
            part("code", CODE_BYTES),
            part("stacks", (cores + 1) * STACK_BYTES),
            part("queues", queues(demand)),
            part("image", demand.image_bytes),
            part("slots", arena * cores),
        ];
        Account { budget: *self, word, parts }
    }

    /// The account of the widest word with which the game fits, if it fits at
    /// all.
    #[must_use]
    pub fn widest_word(&self, demand: &Demand) -> Option<Account> {
        let accounts = WordWidth::WIDEST_FIRST.map(|word| self.account(demand, word));
        accounts.into_iter().find(Account::fits)
    }
}

fn queues(demand: &Demand) -> u64 {
    let position = QUEUE_HEADER_BYTES + position_bytes(demand.fluents as usize) as u64;
    let result = QUEUE_HEADER_BYTES + demand.roles * SCORE_BYTES;
    QUEUE_LENGTH * (position + result)
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

    /// Whether the parts are within the budget.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.bytes() <= self.budget.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Demand = Demand { image_bytes: 1000, slots: 100, fluents: 33, roles: 2 };

    fn bytes_of(account: &Account, name: &str) -> u64 {
        account.parts.iter().find(|part| part.name == name).unwrap().bytes
    }

    #[test]
    fn each_part_is_counted_as_declared() {
        let account = Budget::default().account(&SMALL, WordWidth::SixtyFour);
        assert_eq!(bytes_of(&account, "code"), 98_304);
        assert_eq!(bytes_of(&account, "stacks"), 17 * 4096);
        assert_eq!(bytes_of(&account, "queues"), 64 * (32 + 8) + 64 * (32 + 16));
        assert_eq!(bytes_of(&account, "image"), 1000);
        assert_eq!(bytes_of(&account, "slots"), 16 * 832, "800 bytes fill 13 cache lines");
        assert_eq!(account.bytes(), account.parts.iter().map(|part| part.bytes).sum());
        assert_eq!(account.free(), 2_097_152 - account.bytes().cast_signed());
    }

    #[test]
    fn one_lane_takes_a_byte_per_slot() {
        assert_eq!(WordWidth::WIDEST_FIRST.map(WordWidth::lanes), [64, 32, 16, 8, 1]);
        assert_eq!(WordWidth::WIDEST_FIRST.map(WordWidth::bytes), [8, 4, 2, 1, 1]);
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
