//! Descriptions back to text: KIF with single spaces.

use std::fmt::{self, Write};

use crate::ast::{Atom, Description, Literal, Rule, Term};
use crate::expression::Expression;
use crate::symbol::{Symbol, Symbols};

impl Description {
    /// The text of a term.
    pub fn term_text(&self, term: &Term) -> String {
        whole(|out| self.printer(out).term(term))
    }

    /// The text of a term, cut when it is long.
    pub fn term_excerpt(&self, term: &Term) -> String {
        excerpt(|out| self.printer(out).term(term))
    }

    /// The text of an atom; without parentheses if it has no arguments.
    pub fn atom_text(&self, atom: &Atom) -> String {
        whole(|out| self.printer(out).atom(atom))
    }

    /// The text of a literal.
    pub fn literal_text(&self, literal: &Literal) -> String {
        whole(|out| self.printer(out).literal(literal))
    }

    /// The text of a rule or fact.
    pub fn rule_text(&self, rule: &Rule) -> String {
        whole(|out| self.printer(out).rule(rule))
    }

    /// The text of a rule, cut when it is long.
    pub fn rule_excerpt(&self, rule: &Rule) -> String {
        excerpt(|out| self.printer(out).rule(rule))
    }

    /// The whole description, one rule or fact in a line. Parsing it gives the
    /// same description with other places.
    pub fn text(&self) -> String {
        self.rules.iter().map(|rule| self.rule_text(rule) + "\n").collect()
    }

    fn printer<'a>(&'a self, out: &'a mut dyn Write) -> Printer<'a> {
        Printer { symbols: &self.symbols, out }
    }
}

/// The text of an expression, cut when it is long.
pub(crate) fn expression_excerpt(symbols: &Symbols, expression: &Expression) -> String {
    excerpt(|out| Printer { symbols, out }.expression(expression))
}

fn whole(print: impl FnOnce(&mut dyn Write) -> fmt::Result) -> String {
    let mut text = String::new();
    // A string takes everything, so there is no error to report.
    let _ = print(&mut text);
    text
}

fn excerpt(print: impl FnOnce(&mut dyn Write) -> fmt::Result) -> String {
    let mut bounded = Bounded::default();
    match print(&mut bounded) {
        Ok(()) => bounded.text,
        Err(fmt::Error) => bounded.text + "…",
    }
}

/// Takes text up to a limit and then refuses: a printer stops there, however
/// long the rule is.
#[derive(Default)]
struct Bounded {
    text: String,
    characters: usize,
}

const EXCERPT_CHARACTERS: usize = 160;

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for character in piece.chars() {
            if self.characters == EXCERPT_CHARACTERS {
                return Err(fmt::Error);
            }
            self.text.push(character);
            self.characters += 1;
        }
        Ok(())
    }
}

struct Printer<'a> {
    symbols: &'a Symbols,
    out: &'a mut dyn Write,
}

impl Printer<'_> {
    fn name(&mut self, symbol: Symbol) -> fmt::Result {
        self.out.write_str(self.symbols.name(symbol))
    }

    /// `(name item item)`.
    fn list<T>(
        &mut self,
        name: Symbol,
        items: &[T],
        print: impl Fn(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_char('(')?;
        self.name(name)?;
        for item in items {
            self.out.write_char(' ')?;
            print(self, item)?;
        }
        self.out.write_char(')')
    }

    fn term(&mut self, term: &Term) -> fmt::Result {
        match term {
            Term::Variable(symbol) | Term::Constant(symbol) => self.name(*symbol),
            Term::Compound(function, arguments) => self.list(*function, arguments, Self::term),
        }
    }

    fn atom(&mut self, atom: &Atom) -> fmt::Result {
        match atom.arguments.as_slice() {
            [] => self.name(atom.relation),
            arguments => self.list(atom.relation, arguments, Self::term),
        }
    }

    fn literal(&mut self, literal: &Literal) -> fmt::Result {
        match literal {
            Literal::Atom(atom) => self.atom(atom),
            Literal::Distinct(left, right, _) => {
                self.list(Symbol::DISTINCT, &[left, right], |printer, term| printer.term(term))
            }
            Literal::Not(inner, _) => {
                self.list(Symbol::NOT, &[inner], |printer, inner| printer.literal(inner))
            }
            Literal::Or(branches, _) => self.list(Symbol::OR, branches, Self::literal),
        }
    }

    /// A fact gets its parentheses even without arguments: a bare name at the
    /// outermost level looks like a mistake.
    fn rule(&mut self, rule: &Rule) -> fmt::Result {
        if rule.body.is_empty() {
            return self.list(rule.head.relation, &rule.head.arguments, Self::term);
        }
        self.out.write_str("(<= ")?;
        self.atom(&rule.head)?;
        for literal in &rule.body {
            self.out.write_char(' ')?;
            self.literal(literal)?;
        }
        self.out.write_char(')')
    }

    fn expression(&mut self, expression: &Expression) -> fmt::Result {
        let items = match expression {
            Expression::Name(symbol, _) => return self.name(*symbol),
            Expression::List(items, _) => items,
        };
        self.out.write_char('(')?;
        for (index, item) in items.iter().enumerate() {
            self.out.write_str(if index == 0 { "" } else { " " })?;
            self.expression(item)?;
        }
        self.out.write_char(')')
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn printed(source: &str) -> String {
        parse(source.as_bytes()).unwrap().text()
    }

    #[test]
    fn text_has_single_spaces() {
        let source = "( <=(next (cell ?x\t(f) b)) ; frame\r\n (OR(true a)(not\n(true b)))
                      (Distinct ?x 1)(true (cell ?x (f) b)))";
        let expected = "(<= (next (cell ?x (f) b)) (or (true a) (not (true b))) \
                        (distinct ?x 1) (true (cell ?x (f) b)))\n";
        assert_eq!(printed(source), expected);
    }

    #[test]
    fn facts_keep_their_parentheses_and_relations_in_rules_do_not_need_them() {
        assert_eq!(printed("open (closed) (<= (p))"), "(open)\n(closed)\n(p)\n");
        assert_eq!(printed("(<= (terminal) (open))"), "(<= terminal open)\n");
    }

    #[test]
    fn excerpts_are_cut() {
        let description = parse(format!("(p{})", " a".repeat(500)).as_bytes()).unwrap();
        let excerpt = description.rule_excerpt(&description.rules[0]);
        assert_eq!(excerpt.chars().count(), 161);
        assert!(excerpt.ends_with('…'));
    }

    #[test]
    fn parts_have_texts_too() {
        let description = parse(b"(<= (p ?x) (q ?x) (not r))").unwrap();
        let rule = &description.rules[0];
        assert_eq!(description.atom_text(&rule.head), "(p ?x)");
        assert_eq!(description.literal_text(&rule.body[1]), "(not r)");
        assert_eq!(description.term_text(&rule.head.arguments[0]), "?x");
    }
}
