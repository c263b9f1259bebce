//! Text to a [`Description`].

use crate::ast::{Atom, Description, Literal, Place, Rule, Term};
use crate::diagnostic::Diagnostic;
use crate::expression::{Expression, Reader};
use crate::print::expression_excerpt;
use crate::symbol::{Symbol, Symbols};

/// The longest source that is read; sixty times the longest known game.
pub const MAXIMUM_SOURCE_BYTES: usize = 4 << 20;

/// Parses a description. Symbols keep their case; only keywords are the same in
/// any case. `(p)` and `p` are the same relation, `(f)` and `f` are different
/// terms.
///
/// # Errors
/// The first thing that is not GDL.
pub fn parse(source: &[u8]) -> Result<Description, Diagnostic> {
    parse_with_warnings(source).map(|(description, _)| description)
}

/// The same with the warnings that only the parser can give.
pub(crate) fn parse_with_warnings(
    source: &[u8],
) -> Result<(Description, Vec<Diagnostic>), Diagnostic> {
    if source.len() > MAXIMUM_SOURCE_BYTES {
        return Err(too_long(source.len()));
    }
    let mut description = Description::default();
    let mut bare_names = BareNames::default();
    let mut reader = Reader::new(source);
    while let Some(expression) = reader.next(&mut description.symbols)? {
        bare_names.note(&expression);
        let rule = Parser { symbols: &description.symbols }.rule_or_error(&expression)?;
        description.rules.push(rule);
    }
    let bare = bare_names.warning(&description.symbols);
    Ok((description, bare.into_iter().chain(reader.surplus_warning()).collect()))
}

/// Names at the outermost level: facts, but often the rest of a comment.
#[derive(Default)]
struct BareNames {
    first: Option<(Symbol, Place)>,
    count: usize,
}

impl BareNames {
    fn note(&mut self, expression: &Expression) {
        if let Expression::Name(symbol, place) = expression {
            self.first.get_or_insert((*symbol, *place));
            self.count += 1;
        }
    }

    fn warning(&self, symbols: &Symbols) -> Option<Diagnostic> {
        let (symbol, place) = self.first?;
        let others = match self.count {
            1 => String::new(),
            count => format!(", and so are {} more", count - 1),
        };
        let name = symbols.name(symbol);
        Some(Diagnostic::warning(
            place,
            format!("the bare name `{name}` is taken as a fact{others}"),
            format!("write `({name})` if it is one, or begin the line with `;` if it is a comment"),
        ))
    }
}

/// What a name stands for at the start of a condition, in any case.
enum Operator {
    Not,
    Or,
    Distinct,
}

struct Parser<'a> {
    symbols: &'a Symbols,
}

impl Parser<'_> {
    fn rule_or_error(&self, expression: &Expression) -> Result<Rule, Diagnostic> {
        let excerpt = || expression_excerpt(self.symbols, expression);
        self.rule(expression).map_err(|error| error.in_rule(excerpt()))
    }

    fn rule(&self, expression: &Expression) -> Result<Rule, Diagnostic> {
        let place = expression.place();
        match expression {
            Expression::List(items, _) if starts_rule(items) => {
                self.implication(&items[1..], place)
            }
            _ => Ok(Rule { head: self.head(expression)?, body: Vec::new(), place }),
        }
    }

    fn implication(&self, parts: &[Expression], place: Place) -> Result<Rule, Diagnostic> {
        let Some((head, conditions)) = parts.split_first() else {
            return Err(headless(place));
        };
        let head = self.head(head)?;
        let body = conditions.iter().map(|condition| self.literal(condition));
        Ok(Rule { head, body: body.collect::<Result<_, _>>()?, place })
    }

    fn head(&self, expression: &Expression) -> Result<Atom, Diagnostic> {
        let atom = self.atom(expression)?;
        let given = matches!(atom.relation, Symbol::TRUE | Symbol::DOES);
        if given || self.operator(atom.relation).is_some() {
            return Err(self.not_a_head(&atom));
        }
        Ok(atom)
    }

    fn atom(&self, expression: &Expression) -> Result<Atom, Diagnostic> {
        let place = expression.place();
        let (relation, arguments) = match expression {
            Expression::Name(symbol, _) => (*symbol, [].as_slice()),
            Expression::List(items, _) => self.split(items, place)?,
        };
        match relation {
            Symbol::IMPLIED_BY => Err(nested_rule(place)),
            _ if self.is_variable(relation) => Err(self.variable_relation(relation, place)),
            _ => Ok(Atom { relation, arguments: self.terms(arguments)?, place }),
        }
    }

    fn literal(&self, expression: &Expression) -> Result<Literal, Diagnostic> {
        let place = expression.place();
        let (name, arguments) = match expression {
            Expression::Name(symbol, _) => (*symbol, [].as_slice()),
            Expression::List(items, _) => self.split(items, place)?,
        };
        match self.operator(name) {
            None => self.atom(expression).map(Literal::Atom),
            Some(_) if matches!(expression, Expression::Name(..)) => {
                Err(self.bare_operator(name, place))
            }
            Some(Operator::Not) => self.negation(arguments, place),
            Some(Operator::Or) => self.disjunction(arguments, place),
            Some(Operator::Distinct) => self.distinction(arguments, place),
        }
    }

    fn negation(&self, arguments: &[Expression], place: Place) -> Result<Literal, Diagnostic> {
        match arguments {
            [inner] => Ok(Literal::Not(Box::new(self.literal(inner)?), place)),
            _ => Err(wrong_count("not", "one condition", arguments.len(), place)),
        }
    }

    fn disjunction(&self, arguments: &[Expression], place: Place) -> Result<Literal, Diagnostic> {
        let branches = arguments.iter().map(|branch| self.literal(branch));
        Ok(Literal::Or(branches.collect::<Result<_, _>>()?, place))
    }

    fn distinction(&self, arguments: &[Expression], place: Place) -> Result<Literal, Diagnostic> {
        match arguments {
            [left, right] => Ok(Literal::Distinct(self.term(left)?, self.term(right)?, place)),
            _ => Err(wrong_count("distinct", "two terms", arguments.len(), place)),
        }
    }

    fn term(&self, expression: &Expression) -> Result<Term, Diagnostic> {
        match expression {
            Expression::Name(symbol, _) if self.is_variable(*symbol) => Ok(Term::Variable(*symbol)),
            Expression::Name(symbol, _) => Ok(Term::Constant(*symbol)),
            Expression::List(items, place) => self.compound(items, *place),
        }
    }

    fn compound(&self, items: &[Expression], place: Place) -> Result<Term, Diagnostic> {
        let (function, arguments) = self.split(items, place)?;
        match function {
            Symbol::IMPLIED_BY => Err(nested_rule(place)),
            _ if self.is_variable(function) => Err(self.variable_function(function, place)),
            _ => Ok(Term::Compound(function, self.terms(arguments)?)),
        }
    }

    fn terms(&self, expressions: &[Expression]) -> Result<Vec<Term>, Diagnostic> {
        expressions.iter().map(|expression| self.term(expression)).collect()
    }

    /// The name at the start of a list and what follows it.
    fn split<'e>(
        &self,
        items: &'e [Expression],
        place: Place,
    ) -> Result<(Symbol, &'e [Expression]), Diagnostic> {
        match items {
            [Expression::Name(symbol, _), arguments @ ..] => Ok((*symbol, arguments)),
            [Expression::List(_, place), ..] => Err(list_as_name(*place)),
            [] => Err(empty_list(place)),
        }
    }

    fn operator(&self, symbol: Symbol) -> Option<Operator> {
        match self.symbols.name(symbol) {
            name if name.eq_ignore_ascii_case("not") => Some(Operator::Not),
            name if name.eq_ignore_ascii_case("or") => Some(Operator::Or),
            name if name.eq_ignore_ascii_case("distinct") => Some(Operator::Distinct),
            _ => None,
        }
    }

    fn is_variable(&self, symbol: Symbol) -> bool {
        self.symbols.is_variable(symbol)
    }

    fn not_a_head(&self, atom: &Atom) -> Diagnostic {
        let name = self.symbols.name(atom.relation);
        let help = match atom.relation {
            Symbol::TRUE => "the state is defined by `init` and `next`; did you mean one of them?",
            Symbol::DOES => "the players choose what `does` holds; did you mean `legal`?",
            _ => "define a relation of your own and use the condition in its body",
        };
        Diagnostic::error(atom.place, format!("a rule cannot define `{name}`"), help)
    }

    fn bare_operator(&self, symbol: Symbol, place: Place) -> Diagnostic {
        let name = self.symbols.name(symbol);
        Diagnostic::error(
            place,
            format!("`{name}` stands alone as a condition"),
            format!("put it and what belongs to it in parentheses: `({name} …)`"),
        )
    }

    fn variable_relation(&self, symbol: Symbol, place: Place) -> Diagnostic {
        let name = self.symbols.name(symbol);
        Diagnostic::error(
            place,
            format!("the variable `{name}` stands where a relation must be"),
            format!("name the relation: `(true {name})` asks for a fluent of the state"),
        )
    }

    fn variable_function(&self, symbol: Symbol, place: Place) -> Diagnostic {
        Diagnostic::error(
            place,
            format!("the variable `{}` stands where a function must be", self.symbols.name(symbol)),
            "use a variable for the whole term, or name the function",
        )
    }
}

fn starts_rule(items: &[Expression]) -> bool {
    matches!(items.first(), Some(Expression::Name(Symbol::IMPLIED_BY, _)))
}

fn too_long(bytes: usize) -> Diagnostic {
    Diagnostic::error(
        Place { line: 1, column: 1 },
        format!("the source has {bytes} bytes; the limit is {MAXIMUM_SOURCE_BYTES}"),
        "check that the file is a game description; if it is, derive its facts by rules",
    )
}

fn headless(place: Place) -> Diagnostic {
    Diagnostic::error(place, "a rule needs a head", "write `(<= head condition …)`")
}

fn nested_rule(place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        "a rule with `<=` stands inside of another list",
        "close the parentheses before it: one `)` is missing there and one too many follows later",
    )
}

fn wrong_count(name: &str, expected: &str, count: usize, place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        format!("`{name}` takes {expected}, not {count}"),
        match name {
            "not" => "write `(not condition)`; for several conditions, negate each or use `or`",
            _ => "write `(distinct term term)`; compare more terms pair by pair",
        },
    )
}

fn list_as_name(place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        "a list stands where the name of a relation or function must be",
        "remove the doubled parenthesis or put a name before it",
    )
}

fn empty_list(place: Place) -> Diagnostic {
    Diagnostic::error(place, "the parentheses are empty", "put a name in them or remove them")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(source: &str) -> (Description, usize) {
        let description = parse(source.as_bytes()).unwrap();
        let count = description.rules.len();
        (description, count)
    }

    fn printed(source: &str) -> String {
        rules(source).0.text().trim_end().to_owned()
    }

    fn error(source: &str) -> Diagnostic {
        parse(source.as_bytes()).unwrap_err()
    }

    /// The error is at this column of the only line, and says this.
    fn assert_error(source: &str, column: u32, message: &str) {
        let error = error(source);
        assert_eq!((error.place.line, error.place.column), (1, column), "{error}");
        assert!(error.message.contains(message), "{error}");
        assert!(!error.help.is_empty());
    }

    #[test]
    fn an_empty_source_is_an_empty_description() {
        assert_eq!(rules("").1, 0);
        assert_eq!(rules(" ; nothing\n").1, 0);
    }

    #[test]
    fn facts_and_rules_have_their_places() {
        let (description, _) = rules("(role r)\n  (<= (p ?x)\n (not (q ?x)))");
        let rule = &description.rules[1];
        assert_eq!(rule.place, Place { line: 2, column: 3 });
        assert_eq!(rule.head.place, Place { line: 2, column: 7 });
        assert_eq!(rule.body[0].place(), Place { line: 3, column: 2 });
    }

    #[test]
    fn keywords_are_folded_also_inside_of_terms() {
        assert_eq!(printed("(INIT (f TRUE (Goal Random)))"), "(init (f true (goal random)))");
        assert_eq!(printed("(<= Terminal (True X))"), "(<= terminal (true X))");
        let (description, _) = rules("(LEGAL r a)");
        assert_eq!(description.rules[0].head.relation, Symbol::LEGAL);
    }

    #[test]
    fn operators_are_recognised_in_any_case_but_not_inside_of_terms() {
        let source = "(<= p (OR q (Not r)) (DISTINCT a (Or b)))";
        assert_eq!(printed(source), "(<= p (or q (not r)) (distinct a (Or b)))");
    }

    #[test]
    fn other_names_keep_their_case() {
        let (description, _) = rules("(Cell x) (cell X)");
        assert_ne!(description.rules[0].head.relation, description.rules[1].head.relation);
    }

    #[test]
    fn no_arguments_make_a_difference_for_terms_only() {
        let (description, _) = rules("(<= (p) (q) q (true (f)) (true f))");
        let [
            Literal::Atom(listed),
            Literal::Atom(bare),
            Literal::Atom(compound),
            Literal::Atom(constant),
        ] = description.rules[0].body.as_slice()
        else {
            panic!("four atoms")
        };
        assert_eq!((listed.relation, &listed.arguments), (bare.relation, &bare.arguments));
        assert!(matches!(compound.arguments[0], Term::Compound(..)));
        assert!(matches!(constant.arguments[0], Term::Constant(..)));
    }

    #[test]
    fn nested_conditions_are_legal() {
        for body in ["(or)", "(not (or a b))", "(not (not a))", "(or (or a) (or))", "(and a b)"] {
            assert_eq!(printed(&format!("(<= p {body})")), format!("(<= p {body})"));
        }
    }

    #[test]
    fn an_empty_body_makes_a_fact() {
        assert_eq!(printed("(<= (legal r noop))"), "(legal r noop)");
    }

    #[test]
    fn what_cannot_be_a_head() {
        assert_error("(<= ?x p)", 5, "`?x`");
        assert_error("(?x p)", 1, "`?x`");
        for keyword in ["not", "OR", "Distinct", "true", "DOES"] {
            let folded = keyword.to_lowercase();
            assert!(error(&format!("(<= ({keyword} a b) p)")).message.contains("cannot define"));
            assert!(error(&format!("({folded} a b)")).message.contains("cannot define"));
        }
        assert_error("(<=)", 1, "needs a head");
        assert_error("?x", 1, "`?x`");
        assert_error("(<= (<= a b) c)", 5, "inside of another list");
    }

    #[test]
    fn what_cannot_be_a_condition() {
        assert_error("(<= p ?x)", 7, "`?x`");
        assert_error("(<= p (not ?x))", 12, "`?x`");
        assert_error("(<= p (not))", 7, "takes one condition, not 0");
        assert_error("(<= p (not a b))", 7, "takes one condition, not 2");
        assert_error("(<= p (distinct a))", 7, "takes two terms, not 1");
        assert_error("(<= p not q)", 7, "stands alone");
        assert_error("(<= p ())", 7, "empty");
        assert_error("(<= p ((q) r))", 8, "a list stands");
        assert_error("(<= p (<= q r))", 7, "inside of another list");
        assert_error("(<= p <= r)", 7, "inside of another list");
    }

    #[test]
    fn what_cannot_be_a_term() {
        assert_error("(p (?f a))", 4, "where a function must be");
        assert_error("(p ())", 4, "empty");
        assert_error("(p ((f) a))", 5, "a list stands");
        assert_error("(init s (<= (next a) b))", 9, "inside of another list");
    }

    #[test]
    fn errors_bring_the_rule() {
        assert_eq!(error("(<= p\n  (q   ?x)\n ?x)").rule.as_deref(), Some("(<= p (q ?x) ?x)"));
    }

    #[test]
    fn bare_names_are_facts_with_one_warning() {
        let (description, warnings) = parse_with_warnings(b"this is no comment (p)").unwrap();
        assert_eq!((description.rules.len(), warnings.len()), (5, 1));
        assert!(warnings[0].message.contains("`this`") && warnings[0].message.contains("3 more"));
    }

    #[test]
    fn long_sources_are_refused() {
        assert!(parse(&vec![b' '; MAXIMUM_SOURCE_BYTES]).is_ok());
        assert!(parse(&vec![b' '; MAXIMUM_SOURCE_BYTES + 1]).is_err());
    }
}
