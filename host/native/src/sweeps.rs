//! Fixpoints in fewer rounds.
//!
//! The bytecode computes all growth from the variables as they were when the
//! round began, so that something true travels by one variable per round. A
//! monotone body has the same least fixpoint in whatever order its variables
//! grow; when each grows at once and the next sees it, one sweep carries truth
//! along the whole order. Sweeps go forwards and backwards in turn, because
//! paths do.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tape::{Literal, Step, Tape};

/// A fixpoint whose variables grow one after the other.
#[derive(Debug)]
pub(crate) struct Sweeps {
    /// Zeroes the variables and sweeps once.
    pub(crate) first: Tape,
    /// Sweeps in the opposite order.
    pub(crate) backward: Tape,
    /// Sweeps again.
    pub(crate) forward: Tape,
}

impl Sweeps {
    /// The sweeps of a fixpoint; `None` if nothing guarantees that they end
    /// with what its rounds end with.
    pub(crate) fn of(variables: &[u32], body: &Tape) -> Option<Self> {
        let body = Body::of(variables, body)?;
        let forward = body.sweep(Tape::default(), body.growth.iter());
        let backward = body.sweep(Tape::default(), body.growth.iter().rev());
        let mut zeroed = Tape::default();
        variables.iter().for_each(|&slot| zeroed.write(slot, Literal::FALSE));
        let first = body.sweep(zeroed, body.growth.iter());
        Some(Self { first, backward, forward })
    }
}

/// How the value of a step depends on the variables.
#[derive(Clone, Copy, Default)]
struct Dependence {
    /// It may become true when a variable does.
    rises: bool,
    /// It may become false when a variable becomes true.
    falls: bool,
}

impl Dependence {
    fn or(self, other: Self) -> Self {
        Self { rises: self.rises | other.rises, falls: self.falls | other.falls }
    }

    fn not(self) -> Self {
        Self { rises: self.falls, falls: self.rises }
    }
}

/// A body without slots for what lives no longer than a round.
struct Body<'a> {
    tape: &'a Tape,
    /// For steps that read a slot that was written in this round: the value.
    aliases: FxHashMap<usize, Literal>,
    /// Variables and what they grow by.
    growth: Vec<(u32, Literal)>,
    /// What the slots of temporaries end up with.
    written: FxHashMap<u32, Literal>,
}

impl<'a> Body<'a> {
    /// `None` unless the body is monotone and rounds share variables only.
    fn of(variables: &[u32], tape: &'a Tape) -> Option<Self> {
        let variables: FxHashSet<u32> = variables.iter().copied().collect();
        let mut body = Self {
            tape,
            aliases: FxHashMap::default(),
            growth: Vec::new(),
            written: FxHashMap::default(),
        };
        let mut read_before = FxHashSet::default();
        for (place, step) in tape.steps.iter().enumerate() {
            match *step {
                Step::Read(slot) => match body.written.get(&slot) {
                    Some(&value) => drop(body.aliases.insert(place, value)),
                    None => drop(read_before.insert(slot)),
                },
                Step::Write { slot, value } => {
                    if variables.contains(&slot) || read_before.contains(&slot) {
                        return None;
                    }
                    body.written.insert(slot, value);
                }
                Step::Grow { slot, value } => {
                    if !variables.contains(&slot) {
                        return None;
                    }
                    body.growth.push((slot, value));
                }
                Step::False | Step::And(..) | Step::Xor(..) => {}
            }
        }
        body.is_monotone(&variables).then_some(body)
    }

    fn is_monotone(&self, variables: &FxHashSet<u32>) -> bool {
        let mut dependences: Vec<Dependence> = Vec::with_capacity(self.tape.steps.len());
        for (place, step) in self.tape.steps.iter().enumerate() {
            let of = |literal: Literal| {
                let dependence = dependences[literal.value()];
                if literal.is_complement() { dependence.not() } else { dependence }
            };
            let dependence = match (*step, self.aliases.get(&place)) {
                (_, Some(&value)) => of(value),
                (Step::Read(slot), None) => {
                    Dependence { rises: variables.contains(&slot), falls: false }
                }
                (Step::And(left, right), None) => of(left).or(of(right)),
                (Step::Xor(left, right), None) => {
                    let either = of(left).or(of(right));
                    either.or(either.not())
                }
                (Step::Grow { value, .. }, None) if of(value).falls => return false,
                _ => Dependence::default(),
            };
            dependences.push(dependence);
        }
        true
    }

    /// A tape in which each variable grows as soon as its growth is computed.
    fn sweep<'g>(&self, tape: Tape, growth: impl Iterator<Item = &'g (u32, Literal)>) -> Tape {
        let mut copy = Copy { body: self, tape, copies: vec![None; self.tape.steps.len()] };
        copy.copies[0] = Some(Literal::FALSE);
        for &(slot, value) in growth {
            let value = copy.literal(value);
            copy.tape.grow(slot, value);
        }
        let mut written: Vec<_> =
            self.written.iter().map(|(&slot, &value)| (slot, value)).collect();
        written.sort_unstable_by_key(|&(slot, _)| slot);
        for (slot, value) in written {
            let value = copy.literal(value);
            copy.tape.write(slot, value);
        }
        copy.tape
    }
}

/// Copies the steps that values need.
struct Copy<'b, 'a> {
    body: &'b Body<'a>,
    tape: Tape,
    copies: Vec<Option<Literal>>,
}

impl Copy<'_, '_> {
    fn literal(&mut self, literal: Literal) -> Literal {
        let mut waiting = vec![literal.value()];
        while let Some(&place) = waiting.last() {
            match self.missing(place) {
                Some(operand) => waiting.push(operand),
                None => {
                    waiting.pop();
                    self.step(place);
                }
            }
        }
        self.known(literal).unwrap_or(Literal::FALSE)
    }

    /// The copy of a literal, if there is one yet.
    fn known(&self, literal: Literal) -> Option<Literal> {
        let copy = self.copies[literal.value()]?;
        Some(copy.complement_if(literal.is_complement()))
    }

    fn operands(&self, place: usize) -> [Option<Literal>; 2] {
        match (self.body.tape.steps[place], self.body.aliases.get(&place)) {
            (_, Some(&value)) => [Some(value), None],
            (Step::And(left, right) | Step::Xor(left, right), None) => [Some(left), Some(right)],
            _ => [None, None],
        }
    }

    fn missing(&self, place: usize) -> Option<usize> {
        let mut operands = self.operands(place).into_iter().flatten().map(Literal::value);
        operands.find(|&operand| self.copies[operand].is_none())
    }

    fn step(&mut self, place: usize) {
        if self.copies[place].is_some() {
            return;
        }
        let operands = self.operands(place).map(|it| it.and_then(|it| self.known(it)));
        let copy = match (self.body.tape.steps[place], operands) {
            (Step::And(..), [Some(left), Some(right)]) => self.tape.and(left, right),
            (Step::Xor(..), [Some(left), Some(right)]) => self.tape.xor(left, right),
            (Step::Read(_), [Some(value), _]) => value,
            (Step::Read(slot), _) => self.tape.read(slot),
            _ => Literal::FALSE,
        };
        self.copies[place] = Some(copy);
    }
}
