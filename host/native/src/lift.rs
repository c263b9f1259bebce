//! Bytecode → tapes: the only file that knows the cells of the image format.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, Not};

use ruche_shared::image::{Code, CodeWord, Expression, Instruction, Instructions, Opcode};

use crate::tape::{Literal, Piece, Tape};

/// The pieces of a section, in their order.
pub(crate) fn lift(code: Code<'_>) -> Vec<Piece> {
    match code {
        Code::Narrow(words) => pieces(words),
        Code::Wide(words) => pieces(words),
    }
}

fn pieces<C: CodeWord>(code: &[C]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut tape = Tape::default();
    for instruction in instructions(code) {
        match instruction {
            Instruction::Stratum => {}
            Instruction::Gates { opcode, operands } => gates(&mut tape, opcode, operands),
            Instruction::Fixpoint { variables, body, .. } => {
                pieces.push(Piece::Straight(std::mem::take(&mut tape)));
                let variables = variables.iter().map(|slot| slot.value()).collect();
                pieces.push(Piece::Fixpoint { variables, body: straight(body) });
            }
        }
    }
    pieces.push(Piece::Straight(tape));
    pieces
}

/// The instructions of parsed code, which has no faults.
fn instructions<C: CodeWord>(code: &[C]) -> impl Iterator<Item = Instruction<'_, C>> {
    Instructions::new(code).filter_map(|(_, decoded)| decoded.ok())
}

/// The tape of a fixpoint's body, in which there are no other fixpoints.
fn straight<C: CodeWord>(code: &[C]) -> Tape {
    let mut tape = Tape::default();
    for instruction in instructions(code) {
        if let Instruction::Gates { opcode, operands } = instruction {
            gates(&mut tape, opcode, operands);
        }
    }
    tape
}

fn gates<C: CodeWord>(tape: &mut Tape, opcode: Opcode, operands: &[C]) {
    for gate in operands.chunks_exact(opcode.operands().max(1)) {
        let (target, inputs) = (gate[0].value(), &gate[1..]);
        let value = match opcode {
            Opcode::Gate(expression) => evaluate(tape, expression, inputs),
            Opcode::Copy | Opcode::Grow => tape.read(inputs[0].value()),
            Opcode::Not => !tape.read(inputs[0].value()),
            Opcode::One => Literal::TRUE,
            Opcode::Zero | Opcode::Stratum | Opcode::Fixpoint => Literal::FALSE,
        };
        if opcode == Opcode::Grow {
            tape.grow(target, value);
        } else {
            tape.write(target, value);
        }
    }
}

/// Puts the gates of an expression on the tape by evaluating it.
fn evaluate<C: CodeWord>(tape: &mut Tape, expression: Expression, inputs: &[C]) -> Literal {
    let tape = RefCell::new(tape);
    let term = |input: usize| {
        let literal = tape.borrow_mut().read(inputs[input].value());
        Term { tape: &tape, literal }
    };
    expression.evaluate(term).literal
}

/// A word that writes down what is done to it.
struct Term<'a, 't> {
    tape: &'a RefCell<&'t mut Tape>,
    literal: Literal,
}

impl BitAnd for Term<'_, '_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        let literal = self.tape.borrow_mut().and(self.literal, other.literal);
        Self { literal, ..self }
    }
}

impl BitOr for Term<'_, '_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        !(!self & !other)
    }
}

impl Not for Term<'_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        Self { literal: !self.literal, ..self }
    }
}
