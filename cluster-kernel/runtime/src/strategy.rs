//! How PC0 hands work to the cores and learns that they are done.
//!
//! | strategy | how a core waits | what it costs |
//! |---|---|---|
//! | `restart` | not at all: it stops, and is started for the next round | starting cores; idle cores disturb nobody |
//! | `condvar` | asleep, on a condition variable | a lock that all share |
//! | `spin` | actively, on a counter | the memory traffic of all that wait |
//! | `portal` | asleep, on a channel of its own | PC0 writes to each core by itself |
//!
//! They differ in nothing else: a round does the same work under each.

use ruche_shared::budget::CORES;
use ruche_shared::named;
use ruche_shared::names::Named;
use ruche_shared::wire::control::StrategyName;

use crate::hal::{Activity, Machine};
use crate::sync::AtomicU32;

/// The most cores of a cluster.
pub const MOST_CORES: usize = CORES as usize;

/// Defines [`Strategy`] from the list of all: a file and the type in it for each. What a
/// strategy is called and does is said there and nowhere else.
macro_rules! strategies {
    ($($file:ident::$Type:ident,)+) => {
        $(mod $file;)+
        $(pub use $file::$Type;)+

        /// How PC0 hands work to the cores and learns that they are done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Strategy {
            $(#[doc = concat!("The strategy of [`", stringify!($Type), "`].")] $Type,)+
        }

        impl Named for Strategy {
            const KIND: &'static str = "strategy";
            const ALL: &'static [Self] = &[$(Strategy::$Type),+];

            fn name(self) -> &'static str {
                match self { $(Strategy::$Type => <$Type as Crew>::NAME,)+ }
            }

            fn about(self) -> &'static str {
                match self { $(Strategy::$Type => <$Type as Crew>::ABOUT,)+ }
            }
        }

        impl Strategy {
            /// Whether cores that wait are busy.
            #[must_use]
            pub const fn waits_actively(self) -> bool {
                match self { $(Strategy::$Type => <$Type as Crew>::WAITS_ACTIVELY,)+ }
            }
        }

        /// Runs PC0 and so many cores under a strategy.
        fn run_crew<M: Machine>(
            strategy: Strategy,
            machine: &M,
            cores: usize,
            work: &dyn CrewWork,
            pc0: Pc0<'_>,
        ) {
            match strategy {
                $(Strategy::$Type => <$Type as Crew>::with_crew(machine, cores, work, pc0),)+
            }
        }
    };
}

// A strategy is a file of this folder and a line here.
strategies! {
    restart::Restart,
    condvar::Condvar,
    spin::Spin,
    portal::Portal,
}

named!(Strategy);

impl Default for Strategy {
    /// Idle cores disturb nobody, and waking them is cheap.
    fn default() -> Self {
        Strategy::Condvar
    }
}

impl From<Strategy> for StrategyName {
    fn from(strategy: Strategy) -> Self {
        // All names fit; a test looks at them.
        StrategyName::try_from(strategy.name()).unwrap_or_default()
    }
}

/// What cores do in a round. Strategies see no more of games, modes and words, so that
/// there is one crew for each strategy.
pub trait CrewWork: Sync {
    /// One core's share of a round.
    ///
    /// # Safety
    /// It must be called by what the machine runs on that core, with the number that it
    /// was given, of as many cores as there is work for.
    unsafe fn share(&self, core: usize);
}

/// What PC0 does, with a function that does one round.
pub type Pc0<'a> = &'a mut dyn FnMut(Round<'_>);

/// Does one round; meanwhile PC0 shows that it is alive.
pub type Round<'a> = &'a mut dyn FnMut(&mut dyn Pulse);

/// What PC0 does while it waits for the cores.
pub trait Pulse {
    /// After so many nanoseconds, at the latest.
    fn interval(&self) -> u64;

    /// That.
    fn beat(&mut self);
}

/// Sleeps until a word may have another value, or it is time for a beat. Once for all
/// strategies, since the kernel of a board has to be small.
#[inline(never)]
fn wait_with_pulse(machine: &impl Machine, word: &AtomicU32, expected: u32, pulse: &mut dyn Pulse) {
    machine.wait_for(word, expected, pulse.interval());
    pulse.beat();
}

/// A thread strategy.
pub trait Crew {
    /// What it is called.
    const NAME: &'static str;
    /// What it is, in a few words.
    const ABOUT: &'static str;
    /// Whether cores that wait are busy.
    const WAITS_ACTIVELY: bool = false;

    /// Runs `pc0` with a function that does one round: the share of every core, once.
    fn with_crew<M: Machine>(machine: &M, cores: usize, work: &dyn CrewWork, pc0: Pc0<'_>);
}

/// Work with states that are lent to cores by their numbers.
struct Lent<S, F> {
    states: *mut S,
    work: F,
}

// SAFETY: each core gets a state of its own.
unsafe impl<S: Send, F: Sync> Sync for Lent<S, F> {}

impl<S: Send, F: Fn(usize, &mut S) + Sync> CrewWork for Lent<S, F> {
    unsafe fn share(&self, core: usize) {
        // SAFETY: there is a state for each core, and of what a machine runs only the
        // caller has this number.
        (self.work)(core, unsafe { &mut *self.states.add(core) });
    }
}

/// Runs `pc0` with a function that does one round: `work` once on every core. Each core
/// has a state of its own.
///
/// # Panics
/// If there are more states than [`MOST_CORES`].
pub fn with_crew<S: Send>(
    strategy: Strategy,
    machine: &impl Machine,
    states: &mut [S],
    work: impl Fn(usize, &mut S) + Sync,
    pc0: Pc0<'_>,
) {
    assert!(states.len() <= MOST_CORES, "a cluster has {MOST_CORES} cores");
    let lent = Lent { states: states.as_mut_ptr(), work };
    run_crew(strategy, machine, states.len(), &lent, pc0);
}

/// What a core shall do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrewOrder {
    /// Its share of a round.
    Work,
    /// Stop for good.
    Leave,
}

/// The hand-off between PC0 and cores that stay alive.
///
/// What PC0 wrote before [`start`](Self::start) is seen by all cores after
/// [`receive`](Self::receive); what they wrote before [`report`](Self::report)
/// is seen by PC0 after [`gather`](Self::gather).
pub trait HandOff: Sync + Sized {
    /// What the strategy is called.
    const NAME: &'static str;
    /// What it is, in a few words.
    const ABOUT: &'static str;
    /// Whether cores that wait are busy.
    const WAITS_ACTIVELY: bool = false;

    /// The hand-off for so many cores.
    fn new(cores: u32) -> Self;

    /// PC0: gives all cores an order.
    fn start(&self, machine: &impl Machine, order: CrewOrder);

    /// PC0: waits until all have reported.
    fn gather(&self, machine: &impl Machine, pulse: &mut dyn Pulse);

    /// A core: waits for the order after round `seen`.
    fn receive(&self, machine: &impl Machine, core: usize, seen: &mut u32) -> CrewOrder;

    /// A core: its share of round `seen` is done.
    fn report(&self, machine: &impl Machine, core: usize, seen: u32);
}

impl<H: HandOff> Crew for H {
    const NAME: &'static str = H::NAME;
    const ABOUT: &'static str = H::ABOUT;
    const WAITS_ACTIVELY: bool = H::WAITS_ACTIVELY;

    /// A function for each strategy, so that a small stack has to hold only the hand-off
    /// that is used.
    #[inline(never)]
    fn with_crew<M: Machine>(machine: &M, cores: usize, work: &dyn CrewWork, pc0: Pc0<'_>) {
        let hand_off = &H::new(cores as u32);
        let serve = |core: usize| {
            let mut seen = 0;
            let receive = |seen: &mut u32| {
                machine.during(Activity::Waiting, || hand_off.receive(machine, core, seen))
            };
            while receive(&mut seen) == CrewOrder::Work {
                // SAFETY: this is what the machine runs on that core.
                machine.during(Activity::Working, || unsafe { work.share(core) });
                hand_off.report(machine, core, seen);
            }
        };
        machine.on_cores(cores, &serve, || {
            // Also when PC0 fails: the cores must not wait for ever.
            let _dismissal = Dismissal { hand_off, machine };
            pc0(&mut |pulse| {
                hand_off.start(machine, CrewOrder::Work);
                hand_off.gather(machine, pulse);
            });
        });
    }
}

/// Sends the cores away when it is dropped.
struct Dismissal<'a, H: HandOff, M: Machine> {
    hand_off: &'a H,
    machine: &'a M,
}

impl<H: HandOff, M: Machine> Drop for Dismissal<'_, H, M> {
    fn drop(&mut self) {
        self.hand_off.start(self.machine, CrewOrder::Leave);
    }
}

/// Rounds are counted up from 1; this stands for the order to leave.
const LEAVING: u32 = u32::MAX;

/// The number of the round after this one, which is never [`LEAVING`] or 0.
fn next_round(round: u32) -> u32 {
    if round >= LEAVING - 1 { 1 } else { round + 1 }
}

/// What a round's number means to a core.
fn order_of(round: u32) -> CrewOrder {
    if round == LEAVING { CrewOrder::Leave } else { CrewOrder::Work }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_frames() {
        for strategy in Strategy::ALL {
            assert_eq!(StrategyName::from(*strategy).as_str(), strategy.name());
        }
    }
}
