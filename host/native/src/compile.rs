//! A section from its pieces to bytes.

use iced_x86::IcedError;

use crate::allocate::{Spill, allocate};
use crate::emit::Emitter;
use crate::flow::{self, Slots};
use crate::graph::Graph;
use crate::polarity::Polarity;
use crate::schedule::{Task, in_chunks, schedule};
use crate::sweeps::Sweeps;
use crate::tape::{Literal, Piece, Tape};
use crate::target::Target;

/// Makes the code of several sections, one behind the other.
pub(crate) struct Compiler {
    target: Target,
    emitter: Emitter,
    /// Words that the deepest stack frame has.
    frame: u32,
}

impl Compiler {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, emitter: Emitter::new(target), frame: 0 }
    }

    /// The code and the words that its frame must have.
    pub(crate) fn finish(self) -> (Vec<u8>, u32) {
        (self.emitter.finish(), self.frame)
    }

    /// Makes a function of a section and returns where it starts.
    pub(crate) fn section(&mut self, pieces: &[Piece], after: &Slots) -> Result<usize, IcedError> {
        let start = self.emitter.length();
        let mut live: Vec<Slots> = vec![after.clone()];
        for piece in pieces.iter().skip(1).rev() {
            let before = flow::before_piece(piece, &live[live.len() - 1]);
            live.push(before);
        }
        self.emitter.enter()?;
        for (piece, after) in pieces.iter().zip(live.iter().rev()) {
            self.emitter.start_parts()?;
            self.piece(piece, after)?;
            self.emitter.end_parts()?;
        }
        self.emitter.leave()?;
        Ok(start)
    }

    fn piece(&mut self, piece: &Piece, after: &Slots) -> Result<(), IcedError> {
        match piece {
            Piece::Straight(tape) if tape.is_empty() => Ok(()),
            Piece::Straight(tape) => self.in_chunks(tape, after),
            Piece::Fixpoint { variables, body } => self.fixpoint(variables, body, after),
        }
    }

    /// Code outside fixpoints. Where words have several parts, chunk by chunk.
    fn in_chunks(&mut self, tape: &Tape, after: &Slots) -> Result<(), IcedError> {
        let graph = Graph::of(tape, after);
        let mut tasks = schedule(&graph);
        if self.target.parts > 1 {
            tasks = in_chunks(&tasks, CHUNK);
        }
        self.graph(&graph, &tasks, spill_for(tape, after))
    }

    /// A sweep or round of a fixpoint. Returns whether the code tests for
    /// growth, which it does only if it can and if `is_tested`.
    fn round(&mut self, tape: &Tape, after: &Slots, is_tested: bool) -> Result<bool, IcedError> {
        let mut graph = Graph::of(tape, after);
        if !is_tested {
            graph.grown = None;
        }
        self.graph(&graph, &schedule(&graph), spill_for(tape, after))?;
        Ok(graph.grown.is_some())
    }

    fn graph(&mut self, graph: &Graph, tasks: &[Task], mut spill: Spill) -> Result<(), IcedError> {
        let polarity = Polarity::of(graph);
        let registers = self.target.registers();
        let instructions = allocate(graph, &polarity, tasks, registers, &mut spill);
        self.frame = self.frame.max(spill.frame);
        instructions.into_iter().try_for_each(|it| self.emitter.instruction(it))
    }

    fn fixpoint(&mut self, variables: &[u32], body: &Tape, after: &Slots) -> Result<(), IcedError> {
        let after = flow::after_round(body, after);
        // As in the interpreter: rounds that grow, and one that does not.
        let rounds = variables.len() as u32 + 1;
        match Sweeps::of(variables, body) {
            Some(sweeps) => {
                self.round(&sweeps.first, &after, false)?;
                self.rounds(&[&sweeps.backward, &sweeps.forward], rounds, &after)
            }
            None => {
                self.round(&zeroes(variables), &after, false)?;
                self.rounds(&[body], rounds, &after)
            }
        }
    }

    /// Repeats bodies in turn until one of them lets nothing grow.
    fn rounds(&mut self, bodies: &[&Tape], most: u32, after: &Slots) -> Result<(), IcedError> {
        self.emitter.count_rounds(most)?;
        let start = self.emitter.length();
        let mut exits = Vec::new();
        for body in bodies {
            if !self.round(body, after, true)? {
                return Ok(());
            }
            exits.push(self.emitter.jump_if_zero()?);
        }
        self.emitter.repeat(start)?;
        exits.into_iter().for_each(|exit| self.emitter.land(exit));
        Ok(())
    }
}

/// How many tasks run for one part of the words before they run for the next:
/// few enough for code and slots to stay in the innermost caches, many enough
/// to make little of the values that must leave their registers in between.
const CHUNK: usize = 400;

/// What a tape may use besides registers.
fn spill_for(tape: &Tape, after: &Slots) -> Spill {
    Spill::new(flow::before_tape(tape, after).outside(after).collect())
}

fn zeroes(variables: &[u32]) -> Tape {
    let mut tape = Tape::default();
    variables.iter().for_each(|&slot| tape.write(slot, Literal::FALSE));
    tape
}
