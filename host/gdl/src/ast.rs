//! The syntax tree of a game description, with the place of every part that an
//! error may have to name.

use std::fmt;

use crate::symbol::{Symbol, Symbols};

/// Where something starts in the source; both count from one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters (bytes that are not UTF-8 count as one), from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

/// A term: `?x`, `noop`, `(cell 1 ?y x)`. `(f)` is a compound without
/// arguments and not the constant `f`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A variable; the symbol's name includes the question mark.
    Variable(Symbol),
    /// A constant; numbers are constants too.
    Constant(Symbol),
    /// A function applied to arguments.
    Compound(Symbol, Vec<Term>),
}

/// A relation applied to terms. A bare name has no arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The relation. Two relations of one name with different numbers of
    /// arguments are different relations.
    pub relation: Symbol,
    /// Its arguments.
    pub arguments: Vec<Term>,
    /// Where it starts.
    pub place: Place,
}

/// One condition of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    /// The atom holds.
    Atom(Atom),
    /// The two terms differ.
    Distinct(Term, Term, Place),
    /// The literal does not hold.
    Not(Box<Literal>, Place),
    /// At least one of the literals holds; false when there is none.
    Or(Vec<Literal>, Place),
}

/// A fact (empty body) or a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From all of these.
    pub body: Vec<Literal>,
    /// Where the rule starts.
    pub place: Place,
}

/// A parsed game description.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// All names in it.
    pub symbols: Symbols,
    /// Its facts and rules, in the order of the text.
    pub rules: Vec<Rule>,
}

impl Term {
    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Symbol)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            Term::Constant(_) => {}
            Term::Compound(_, arguments) => {
                arguments.iter().for_each(|a| a.for_each_variable(visit))
            }
        }
    }
}

impl Rule {
    /// Calls `visit` for each atom of the body, also below `not` and `or`.
    pub fn for_each_body_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom)) {
        self.body.iter().for_each(|literal| literal.for_each_atom(visit));
    }

    /// Calls `visit` for each argument of the head, of the atoms of the body and
    /// of `distinct`, with the place of what it is an argument of.
    pub fn for_each_term<'a>(&'a self, visit: &mut impl FnMut(&'a Term, Place)) {
        self.head.arguments.iter().for_each(|term| visit(term, self.head.place));
        self.body.iter().for_each(|literal| literal.for_each_term(visit));
    }
}

impl Atom {
    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Symbol)) {
        self.arguments.iter().for_each(|argument| argument.for_each_variable(visit));
    }
}

impl Literal {
    /// Where the literal starts.
    pub fn place(&self) -> Place {
        match self {
            Literal::Atom(atom) => atom.place,
            Literal::Distinct(_, _, place) | Literal::Not(_, place) | Literal::Or(_, place) => {
                *place
            }
        }
    }

    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Symbol)) {
        match self {
            Literal::Atom(atom) => atom.for_each_variable(visit),
            Literal::Distinct(left, right, _) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Literal::Not(inner, _) => inner.for_each_variable(visit),
            Literal::Or(branches, _) => {
                branches.iter().for_each(|b| b.for_each_variable(visit));
            }
        }
    }

    /// Calls `visit` for each atom, also below `not` and `or`.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom)) {
        match self {
            Literal::Atom(atom) => visit(atom),
            Literal::Distinct(..) => {}
            Literal::Not(inner, _) => inner.for_each_atom(visit),
            Literal::Or(branches, _) => branches.iter().for_each(|b| b.for_each_atom(visit)),
        }
    }

    /// Calls `visit` for each argument of its atoms and of `distinct`, with the
    /// place of what it is an argument of.
    pub fn for_each_term<'a>(&'a self, visit: &mut impl FnMut(&'a Term, Place)) {
        match self {
            Literal::Atom(atom) => atom.arguments.iter().for_each(|term| visit(term, atom.place)),
            Literal::Distinct(left, right, place) => {
                visit(left, *place);
                visit(right, *place);
            }
            Literal::Not(inner, _) => inner.for_each_term(visit),
            Literal::Or(branches, _) => branches.iter().for_each(|b| b.for_each_term(visit)),
        }
    }
}
