//! What holds for any input: nothing panics, and printing loses nothing.

use std::path::Path;

use proptest::prelude::*;
use ruche_gdl::{Atom, Description, Literal, Place, Rule, Symbol, Symbols, Term, load, parse};

/// Reads bytes in every way there is.
fn exercise(source: &[u8]) {
    let found = match load(source) {
        Ok((description, warnings)) => {
            assert!(warnings.iter().all(|warning| !warning.is_error()));
            assert_round_trip(&description);
            warnings
        }
        Err(found) => {
            assert!(found.iter().any(|diagnostic| diagnostic.is_error()));
            found
        }
    };
    for diagnostic in found {
        assert!(!diagnostic.help.is_empty());
        assert!(diagnostic.render("file", source).contains(&diagnostic.message));
    }
}

fn assert_round_trip(description: &Description) {
    let text = description.text();
    let again = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.rules.len(), description.rules.len(), "{text}");
    let mut symbols = description.symbols.clone();
    for (rule, read) in description.rules.iter().zip(&again.rules) {
        let expected = Moved { from: &description.symbols, to: &mut symbols }.rule(rule);
        let found = Moved { from: &again.symbols, to: &mut symbols }.rule(read);
        assert_eq!(found, expected, "{text}");
    }
}

/// Brings rules to another table of symbols and forgets their places.
struct Moved<'a> {
    from: &'a Symbols,
    to: &'a mut Symbols,
}

impl Moved<'_> {
    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.to.intern(self.from.name(symbol))
    }

    fn term(&mut self, term: &Term) -> Term {
        match term {
            Term::Variable(symbol) => Term::Variable(self.symbol(*symbol)),
            Term::Constant(symbol) => Term::Constant(self.symbol(*symbol)),
            Term::Compound(symbol, arguments) => {
                let arguments = arguments.iter().map(|term| self.term(term)).collect();
                Term::Compound(self.symbol(*symbol), arguments)
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        let arguments = atom.arguments.iter().map(|term| self.term(term)).collect();
        Atom { relation: self.symbol(atom.relation), arguments, place: Place::default() }
    }

    fn literal(&mut self, literal: &Literal) -> Literal {
        let place = Place::default();
        match literal {
            Literal::Atom(atom) => Literal::Atom(self.atom(atom)),
            Literal::Distinct(left, right, _) => {
                Literal::Distinct(self.term(left), self.term(right), place)
            }
            Literal::Not(inner, _) => Literal::Not(Box::new(self.literal(inner)), place),
            Literal::Or(branches, _) => {
                Literal::Or(branches.iter().map(|branch| self.literal(branch)).collect(), place)
            }
        }
    }

    fn rule(&mut self, rule: &Rule) -> Rule {
        let body = rule.body.iter().map(|literal| self.literal(literal)).collect();
        Rule { head: self.atom(&rule.head), body, place: Place::default() }
    }
}

const NAMES: &[&str] = &["p", "q", "P", "1", "-1", "<", "++", "é", "and", "random", "x|\"y"];
const HEADS: &[&str] = &["role", "init", "next", "legal", "goal", "terminal", "base", "input"];
const BODIES: &[&str] = &["true", "does", "legal", "goal", "terminal"];
const FUNCTIONS: &[&str] = &["f", "F", "true", "not", "Or", "distinct"];
const CONSTANTS: &[&str] = &["a", "<=", "or", "goal"];
const VARIABLES: &[&str] = &["?x", "?X", "?n++", "??", "?<="];

/// Every name that the strategies use has the same symbol in each table made
/// here.
fn symbols() -> Symbols {
    let mut symbols = Symbols::default();
    for name in [NAMES, HEADS, BODIES, FUNCTIONS, CONSTANTS, VARIABLES].concat() {
        symbols.intern(name);
    }
    symbols
}

fn symbol_of(names: Vec<&'static str>) -> impl Strategy<Value = Symbol> + Clone {
    let symbols = symbols();
    let known: Vec<Symbol> = names.iter().filter_map(|name| symbols.find(name)).collect();
    assert_eq!(known.len(), names.len());
    proptest::sample::select(known)
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        symbol_of(VARIABLES.to_vec()).prop_map(Term::Variable),
        symbol_of([NAMES, CONSTANTS].concat()).prop_map(Term::Constant),
    ];
    let function = symbol_of([NAMES, FUNCTIONS].concat());
    leaf.prop_recursive(4, 12, 4, move |inner| {
        (function.clone(), prop::collection::vec(inner, 0..4))
            .prop_map(|(function, arguments)| Term::Compound(function, arguments))
    })
}

fn atom(relations: &[&'static str]) -> impl Strategy<Value = Atom> {
    let relation = symbol_of([NAMES, relations].concat());
    (relation, prop::collection::vec(term(), 0..4)).prop_map(|(relation, arguments)| Atom {
        relation,
        arguments,
        place: Place::default(),
    })
}

fn literal() -> impl Strategy<Value = Literal> {
    let place = Place::default();
    let leaf = prop_oneof![
        atom(BODIES).prop_map(Literal::Atom),
        (term(), term()).prop_map(move |(left, right)| Literal::Distinct(left, right, place)),
    ];
    leaf.prop_recursive(3, 8, 4, move |inner| {
        prop_oneof![
            inner.clone().prop_map(move |inner| Literal::Not(Box::new(inner), place)),
            prop::collection::vec(inner, 0..4).prop_map(move |all| Literal::Or(all, place)),
        ]
    })
}

fn description() -> impl Strategy<Value = Description> {
    let rule = (atom(HEADS), prop::collection::vec(literal(), 0..4))
        .prop_map(|(head, body)| Rule { head, body, place: Place::default() });
    prop::collection::vec(rule, 0..6).prop_map(|rules| Description { symbols: symbols(), rules })
}

/// Pieces from which nearly correct descriptions are made.
fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "<=",
        "(<= (",
        "role",
        "legal",
        "TRUE",
        "does",
        "next",
        "init",
        "goal",
        "terminal",
        "not",
        "Or",
        "distinct",
        "and",
        "?x",
        "?y",
        "?",
        "p",
        "P",
        "(p ?x)",
        "(q ?x (f ?y))",
        "(not (p ?x))",
        "(or (p ?x) (q ?x ?x))",
        "100",
        ";",
        "\n",
        "\r\n",
        "\t",
        "\u{FFFD}",
        "\0",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(source in prop::collection::vec(any::<u8>(), 0..400)) {
        exercise(&source);
    }

    #[test]
    fn anything_close_to_a_game_is_read_or_refused(source in pieces()) {
        exercise(source.as_bytes());
    }

    #[test]
    fn printing_and_parsing_gives_the_same_description(description in description()) {
        assert_round_trip(&description);
        exercise(description.text().as_bytes());
    }
}

#[test]
fn every_seed_of_the_fuzz_target_is_read_or_refused() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus/parse_gdl");
    let mut count = 0;
    for entry in std::fs::read_dir(seeds).unwrap() {
        exercise(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 20, "only {count} seeds");
}
