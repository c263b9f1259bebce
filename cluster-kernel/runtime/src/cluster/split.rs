//! Split mode: all cores evaluate the same games and share the gates of every
//! stratum.
//!
//! The first core leads: it plays, and whenever a section is to be evaluated it
//! calls the others. All walk through the strata side by side. The gates of a
//! stratum are independent, so each core takes its share of them, and a barrier
//! stands between one stratum and the next. Strata with too few gates for that,
//! and fixpoints, the leader evaluates by itself while the others wait.

use ruche_shared::Image;
use ruche_shared::image::{Code, CodeWord, Instruction, Instructions, Opcode, Section};

use crate::barrier::Barrier;
use crate::hal::Machine;
use crate::sync::{AtomicPtr, AtomicU32, Line, Ordering, Watch};
use ruche_eval::Word;
use ruche_eval::circuit::{Circuit, Slots, run_code, run_gates};

/// The cores of a cluster that share gates.
pub struct Team<'a, 'image, M> {
    machine: &'a M,
    image: Image<'image>,
    cores: u32,
    /// Strata of fewer gates are not split.
    least: u32,
    /// Changes whenever the leader has something to say.
    order: Line<AtomicU32>,
    /// The index of the section to evaluate, or [`DISMISSED`].
    section: AtomicU32,
    /// The leader's slots.
    slots: AtomicPtr<()>,
    barrier: Barrier,
    /// Which sections have a stratum that is split.
    is_split: [bool; 3],
    watch: Watch,
}

/// The leader has played all games of the round.
const DISMISSED: u32 = 3;

impl<'a, 'image, M: Machine> Team<'a, 'image, M> {
    /// A team for an image whose strata are valid.
    pub fn new(machine: &'a M, image: Image<'image>, cores: u32, least: u32) -> Self {
        let least = least.max(1);
        let is_split = Section::ALL.map(|section| {
            cores > 1
                && match image.code(section) {
                    Code::Narrow(code) => strata(code).any(|stratum| is_worth_it(stratum, least)),
                    Code::Wide(code) => strata(code).any(|stratum| is_worth_it(stratum, least)),
                }
        });
        Self {
            machine,
            image,
            cores,
            least,
            order: Line(AtomicU32::new(0)),
            section: AtomicU32::new(DISMISSED),
            slots: AtomicPtr::new(core::ptr::null_mut()),
            barrier: Barrier::new(cores),
            is_split,
            watch: Watch::default(),
        }
    }

    /// The leader: evaluates a section together with the others.
    fn lead<W: Word>(&self, section: Section, slots: &mut [W]) {
        assert!(slots.len() >= self.image.slots(), "the player hands in all slots");
        let slots = slots.as_mut_ptr();
        if self.is_split[section.index()] {
            self.slots.store(slots.cast(), Ordering::Relaxed);
            self.call(section.index() as u32);
        }
        // SAFETY: there is a word for each slot, and the leader has them until
        // all helpers have passed the last barrier of the section.
        unsafe { self.walk(0, section, slots) }
        if cfg!(loom) {
            // They are the leader's alone again.
            (0..self.image.slots()).for_each(|slot| self.watch.write(slot));
        }
    }

    /// The leader: lets the others go until the next round.
    pub fn dismiss(&self) {
        self.call(DISMISSED);
    }

    fn call(&self, what: u32) {
        self.section.store(what, Ordering::Relaxed);
        self.order.fetch_add(1, Ordering::Release);
        self.machine.wake(&self.order);
    }

    /// Another core: does its share of what the leader evaluates in a round.
    /// `seen` is what it last saw of the leader's orders.
    pub fn help<W: Word>(&self, core: u32, seen: &mut u32) {
        loop {
            while self.order.load(Ordering::Acquire) == *seen {
                self.machine.wait(&self.order, *seen);
            }
            // One by one: between two orders stands a barrier that all pass.
            *seen = seen.wrapping_add(1);
            let Some(&section) = Section::ALL.get(self.section.load(Ordering::Relaxed) as usize)
            else {
                return;
            };
            let slots = self.slots.load(Ordering::Relaxed).cast();
            // SAFETY: the leader has called with its slots, and keeps them until
            // this core has passed the last barrier of the section.
            unsafe { self.walk::<W>(core, section, slots) }
        }
    }

    /// # Safety
    /// At `slots` there must be a word for each slot of the image, touched by
    /// nobody but the cores of this team, which all walk the same section.
    unsafe fn walk<W: Word>(&self, core: u32, section: Section, slots: *mut W) {
        let slots = Common { start: slots, count: self.image.slots(), watch: &self.watch };
        // SAFETY: as the caller promises.
        unsafe {
            match self.image.code(section) {
                Code::Narrow(code) => self.walk_code(core, code, &slots),
                Code::Wide(code) => self.walk_code(core, code, &slots),
            }
        }
    }

    /// # Safety
    /// As for [`walk`](Self::walk); the code is that of a section.
    unsafe fn walk_code<C: CodeWord>(&self, core: u32, code: &[C], slots: &dyn Gates<C>) {
        // Whether the leader may have written something since the last barrier.
        let mut is_ahead = false;
        for stratum in strata(code) {
            if self.cores > 1 && is_worth_it(stratum, self.least) {
                if is_ahead {
                    self.barrier.pass(self.machine);
                }
                // SAFETY: gates of a stratum are independent, each core has
                // gates of its own, and all earlier writes are behind a barrier.
                unsafe { run_share(stratum, core, self.cores, slots) };
                self.barrier.pass(self.machine);
                is_ahead = false;
            } else {
                is_ahead = true;
                if core == 0 {
                    // SAFETY: the others touch no slot before the next barrier;
                    // the stratum is a part of a parsed section.
                    unsafe { slots.run_alone(stratum) };
                }
            }
        }
    }
}

/// Slots of some word that cores have in common: all that walks over code sees of the
/// word, so that there is one walk for all.
trait Gates<C> {
    /// Computes gates of one opcode.
    ///
    /// # Safety
    /// The operands must be those of gates of this opcode and name existing slots.
    /// Nobody else may write what these gates read or write.
    unsafe fn run(&self, opcode: Opcode, operands: &[C]);

    /// Computes a whole stratum.
    ///
    /// # Safety
    /// The stratum must be one of the image that the slots are for, and nobody else may
    /// touch them.
    unsafe fn run_alone(&self, stratum: &[C]);
}

struct Common<'a, W> {
    start: *mut W,
    count: usize,
    watch: &'a Watch,
}

impl<W> Common<'_, W> {
    /// Tells what these gates write and read.
    fn watch_gates<C: CodeWord>(&self, opcode: Opcode, operands: &[C]) {
        for gate in operands.chunks_exact(opcode.operands().max(1)) {
            gate[1..].iter().for_each(|slot| self.watch.read(slot.value() as usize));
            self.watch.write(gate[0].value() as usize);
        }
    }
}

impl<C: CodeWord, W: Word> Gates<C> for Common<'_, W> {
    unsafe fn run(&self, opcode: Opcode, operands: &[C]) {
        if cfg!(loom) {
            self.watch_gates(opcode, operands);
        }
        // SAFETY: as the caller promises.
        unsafe { run_gates(opcode, operands, Slots::at(self.start, self.count)) }
    }

    unsafe fn run_alone(&self, stratum: &[C]) {
        if cfg!(loom) {
            (0..self.count).for_each(|slot| self.watch.write(slot));
        }
        // SAFETY: as the caller promises.
        unsafe { run_code(stratum, core::slice::from_raw_parts_mut(self.start, self.count)) }
    }
}

/// The strata of a section.
fn strata<C: CodeWord>(mut code: &[C]) -> impl Iterator<Item = &[C]> {
    core::iter::from_fn(move || {
        if code.is_empty() {
            return None;
        }
        let end = Instructions::new(code)
            .find(|(_, decoded)| matches!(decoded, Ok(Instruction::Stratum)))
            .map_or(code.len(), |(place, _)| place);
        let stratum = &code[..end];
        code = code.get(end + 1..).unwrap_or_default();
        Some(stratum)
    })
}

/// Whether the gates of a stratum are worth sharing.
fn is_worth_it<C: CodeWord>(stratum: &[C], least: u32) -> bool {
    gates_of(stratum).is_some_and(|gates| gates >= least)
}

/// The number of gates of a stratum, if it has no fixpoint.
fn gates_of<C: CodeWord>(stratum: &[C]) -> Option<u32> {
    let mut gates = 0;
    for (_, decoded) in Instructions::new(stratum) {
        match decoded.ok()? {
            Instruction::Gates { opcode, operands } => {
                gates += (operands.len() / opcode.operands().max(1)) as u32;
            }
            Instruction::Stratum => {}
            Instruction::Fixpoint { .. } => return None,
        }
    }
    Some(gates)
}

/// Computes one core's share of the gates of a stratum.
///
/// # Safety
/// The stratum must be of the image that the slots are for and have no fixpoints; nobody
/// else may write what these gates read or write.
unsafe fn run_share<C: CodeWord>(stratum: &[C], core: u32, cores: u32, slots: &dyn Gates<C>) {
    let gates = u64::from(gates_of(stratum).unwrap_or(0));
    let cut = |core: u32| (gates * u64::from(core) / u64::from(cores)) as usize;
    let (mut skip, mut left) = (cut(core), cut(core + 1) - cut(core));
    for (_, decoded) in Instructions::new(stratum) {
        let Ok(Instruction::Gates { opcode, operands }) = decoded else { continue };
        let stride = opcode.operands().max(1);
        let count = operands.len() / stride;
        let first = skip.min(count);
        let taken = left.min(count - first);
        skip -= first;
        left -= taken;
        let operands = &operands[first * stride..(first + taken) * stride];
        // SAFETY: as the caller promises.
        unsafe { slots.run(opcode, operands) };
    }
}

/// Who evaluates the circuit of a player: one type for both, so that there is one
/// player for each word.
pub enum Wiring<'a, 'b, 'image, C, M> {
    /// The player's core alone.
    Own(C),
    /// All cores of a team.
    Shared(&'a Team<'b, 'image, M>),
}

impl<W: Word, C: Circuit<W>, M: Machine> Circuit<W> for Wiring<'_, '_, '_, C, M> {
    fn image(&self) -> &Image<'_> {
        match self {
            Wiring::Own(circuit) => circuit.image(),
            Wiring::Shared(team) => &team.image,
        }
    }

    fn run(&self, section: Section, slots: &mut [W]) {
        match self {
            Wiring::Own(circuit) => circuit.run(section, slots),
            Wiring::Shared(team) => team.lead(section, slots),
        }
    }
}
