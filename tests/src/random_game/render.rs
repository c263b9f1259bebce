//! The text of a random game. What a rule must not contain is left out here:
//! conditions on moves where none is made yet, and negation of what is still
//! being defined.

use std::collections::BTreeSet;

use super::{Argument, Arguments, Condition, Head, Number, RandomGame, Rule};

/// What the body of a rule may look at. Views and effects come in groups of two;
/// a rule may use its own group and earlier ones, but negate only earlier ones.
#[derive(Clone, Copy)]
struct Scope {
    /// Views from this number on are out of reach.
    views: usize,
    /// Views from this number on cannot be negated.
    negatable_views: usize,
    /// The same for effects; nothing that moves do is known where this is none.
    effects: Option<usize>,
    negatable_effects: usize,
    legal: bool,
    terminal: bool,
    /// Whether a variable may stand for something that is no constant. Nothing
    /// binds it inside of a negation.
    anything: bool,
}

const GROUP: usize = 2;

impl Scope {
    const STATE: Scope = Scope {
        views: usize::MAX,
        negatable_views: usize::MAX,
        effects: None,
        negatable_effects: 0,
        legal: false,
        terminal: false,
        anything: true,
    };

    fn of(head: &Head, game: &RandomGame) -> Scope {
        let group = |number: Number, all: usize| number % all.max(1) / GROUP * GROUP;
        match head {
            Head::Legal(..) => Scope::STATE,
            Head::Next(..) | Head::NextAll => Scope {
                effects: Some(usize::MAX),
                negatable_effects: usize::MAX,
                legal: true,
                ..Scope::STATE
            },
            Head::View(number, _) => {
                let start = group(*number, game.views.len());
                Scope { views: start + GROUP, negatable_views: start, ..Scope::STATE }
            }
            Head::Effect(number, _) => {
                let start = group(*number, game.effects.len());
                Scope { effects: Some(start + GROUP), negatable_effects: start, ..Scope::STATE }
            }
            Head::Goal(..) => Scope { legal: true, terminal: true, ..Scope::STATE },
            Head::Terminal => Scope { legal: true, ..Scope::STATE },
        }
    }

    /// The scope inside of a negation.
    fn negated(self) -> Scope {
        let effects = self.effects.map(|_| self.negatable_effects);
        Scope { views: self.negatable_views, effects, anything: false, ..self }
    }
}

/// A condition as text, with its variables.
struct Rendered {
    text: String,
    /// All variables.
    variables: BTreeSet<Number>,
    /// Those that have a value whenever the condition holds.
    bound: BTreeSet<Number>,
}

impl RandomGame {
    /// The description in GDL.
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.extend((0..self.roles).map(|role| format!("(role r{role})")));
        lines.extend((0..self.constants).map(|constant| format!("(dom c{constant})")));
        lines.extend((0..self.roles).map(|role| format!("(legal r{role} wait)")));
        lines.extend(self.fact_lines());
        lines.extend(self.initial_lines());
        if self.declared {
            lines.extend(self.declarations());
        }
        lines.extend(self.rules.iter().filter_map(|rule| self.rule(rule)));
        // Each of the keywords must be there, though it need not come true.
        lines.push("(<= (goal r0 7) (true never))".to_owned());
        lines.push("(<= terminal (true never))".to_owned());
        lines.join("\n") + "\n"
    }

    fn fact_lines(&self) -> impl Iterator<Item = String> {
        self.facts.iter().enumerate().flat_map(move |(number, relation)| {
            relation.rows.iter().map(move |row| {
                let row = row.map(Argument::Constant);
                self.term(&format!("s{number}"), relation.arity, &row)
            })
        })
    }

    fn initial_lines(&self) -> impl Iterator<Item = String> {
        self.initial.iter().map(|(fluent, row)| {
            let row = row.map(Argument::Constant);
            format!("(init {})", self.fluent(*fluent, &row))
        })
    }

    fn declarations(&self) -> impl Iterator<Item = String> {
        let any = [Argument::Variable(0), Argument::Variable(1)];
        let declare = move |keyword: String, term: String, arity: usize| {
            let domains: String =
                (0..arity).map(|at| format!(" (dom {})", self.argument(any[at]))).collect();
            format!("(<= ({keyword} {term}){domains})")
        };
        let fluents = self.fluents.iter().enumerate().map(move |(number, arity)| {
            declare("base".to_owned(), self.fluent(number, &any), *arity)
        });
        let roles = 0..self.roles;
        let inputs = roles.flat_map(move |role| {
            self.moves.iter().enumerate().map(move |(number, arity)| {
                declare(format!("input r{role}"), self.move_(number, &any), *arity)
            })
        });
        let waits = (0..self.roles).map(|role| format!("(input r{role} wait)"));
        fluents.chain(inputs).chain(waits)
    }

    fn rule(&self, rule: &Rule) -> Option<String> {
        let scope = Scope::of(&rule.head, self);
        let (head, head_arguments) = self.head(&rule.head)?;
        let mut body: Vec<Rendered> =
            rule.body.iter().filter_map(|condition| self.condition(condition, scope)).collect();
        let mut unbound: BTreeSet<Number> = head_arguments;
        unbound.extend(body.iter().flat_map(|condition| &condition.variables));
        for condition in &body {
            unbound.retain(|variable| !condition.bound.contains(variable));
        }
        let binding = unbound.into_iter().map(|variable| self.domain(variable));
        let at = if rule.bind_first { 0 } else { body.len() };
        body.splice(at..at, binding);
        if matches!(rule.head, Head::NextAll) {
            body.push(Rendered::without_variables("(true ?f)".to_owned()));
        }
        let body: String = body.iter().map(|condition| format!(" {}", condition.text)).collect();
        Some(format!("(<= {head}{body})"))
    }

    fn domain(&self, variable: Number) -> Rendered {
        let text = format!("(dom {})", self.argument(Argument::Variable(variable)));
        Rendered { text, variables: [variable].into(), bound: [variable].into() }
    }

    /// The text of a head and its variables; nothing if it names what is not there.
    fn head(&self, head: &Head) -> Option<(String, BTreeSet<Number>)> {
        let role = |number: &Number| number % self.roles;
        Some(match head {
            Head::Legal(role, kind, with) => self.of_role("legal", *role, *kind, with),
            Head::Next(fluent, with) => {
                let arity = self.fluents[fluent % self.fluents.len()];
                (format!("(next {})", self.fluent(*fluent, with)), variables(arity, with))
            }
            Head::NextAll => ("(next ?f)".to_owned(), BTreeSet::new()),
            Head::View(number, with) => self.numbered("v", *number, &self.views, with)?,
            Head::Effect(number, with) => self.numbered("e", *number, &self.effects, with)?,
            Head::Goal(number, value) => {
                (format!("(goal r{} {})", role(number), value * 10 % 101), BTreeSet::new())
            }
            Head::Terminal => ("terminal".to_owned(), BTreeSet::new()),
        })
    }

    fn numbered(
        &self,
        letter: &str,
        number: Number,
        arities: &[usize],
        with: &Arguments,
    ) -> Option<(String, BTreeSet<Number>)> {
        let number = number.checked_rem(arities.len())?;
        let text = self.term(&format!("{letter}{number}"), arities[number], with);
        Some((text, variables(arities[number], with)))
    }

    /// A condition as far as it is allowed.
    fn condition(&self, condition: &Condition, scope: Scope) -> Option<Rendered> {
        match condition {
            Condition::Not(inner) => {
                let inner = self.condition(inner, scope.negated())?;
                let text = format!("(not {})", inner.text);
                Some(Rendered { text, variables: inner.variables, bound: BTreeSet::new() })
            }
            Condition::Or(branches) => Some(self.disjunction(branches, scope)),
            Condition::Distinct(left, right) => {
                let both = [*left, *right];
                let text = self.term("distinct", 2, &both);
                Some(Rendered { text, variables: variables(2, &both), bound: BTreeSet::new() })
            }
            atom => {
                let (text, variables) = self.atom(atom, scope)?;
                Some(Rendered { text, bound: variables.clone(), variables })
            }
        }
    }

    fn disjunction(&self, branches: &[Condition], scope: Scope) -> Rendered {
        let branches: Vec<Rendered> =
            branches.iter().filter_map(|branch| self.condition(branch, scope)).collect();
        let texts: String = branches.iter().map(|branch| format!(" {}", branch.text)).collect();
        let variables: BTreeSet<Number> =
            branches.iter().flat_map(|branch| branch.variables.clone()).collect();
        let everywhere = |v: &Number| branches.iter().all(|branch| branch.bound.contains(v));
        let bound = variables.iter().copied().filter(everywhere).collect();
        Rendered { text: format!("(or{texts})"), variables, bound }
    }

    fn atom(&self, condition: &Condition, scope: Scope) -> Option<(String, BTreeSet<Number>)> {
        match condition {
            Condition::Fluent(number, with) => {
                let arity = self.fluents[number % self.fluents.len()];
                Some((format!("(true {})", self.fluent(*number, with)), variables(arity, with)))
            }
            Condition::AnyFluent if scope.anything => {
                Some(("(true ?g)".to_owned(), BTreeSet::new()))
            }
            Condition::Fact(number, with) => {
                let arities: Vec<usize> = self.facts.iter().map(|fact| fact.arity).collect();
                self.numbered("s", *number, &arities, with)
            }
            Condition::View(number, with) => {
                let reach = scope.views.min(self.views.len());
                self.numbered("v", *number, &self.views[..reach], with)
            }
            Condition::Legal(role, kind, with) if scope.legal => {
                Some(self.of_role("legal", *role, *kind, with))
            }
            Condition::Terminal if scope.terminal => Some(("terminal".to_owned(), BTreeSet::new())),
            other => self.consequence(other, scope.effects?, scope.anything),
        }
    }

    /// A condition on the moves that are made.
    fn consequence(
        &self,
        condition: &Condition,
        effects: usize,
        anything: bool,
    ) -> Option<(String, BTreeSet<Number>)> {
        match condition {
            Condition::Effect(number, with) => {
                let reach = effects.min(self.effects.len());
                self.numbered("e", *number, &self.effects[..reach], with)
            }
            Condition::Does(role, kind, with) => Some(self.of_role("does", *role, *kind, with)),
            Condition::DoesAnyone(kind, with) if anything => {
                let arity = self.moves[kind % self.moves.len()];
                Some((format!("(does ?who {})", self.move_(*kind, with)), variables(arity, with)))
            }
            Condition::DoesAnything(role) if anything => {
                Some((format!("(does r{} ?what)", role % self.roles), BTreeSet::new()))
            }
            _ => None,
        }
    }

    /// A keyword with a role and a move of it, and the variables.
    fn of_role(
        &self,
        keyword: &str,
        role: Number,
        kind: Number,
        with: &Arguments,
    ) -> (String, BTreeSet<Number>) {
        let arity = self.moves[kind % self.moves.len()];
        let text = format!("({keyword} r{} {})", role % self.roles, self.move_(kind, with));
        (text, variables(arity, with))
    }

    fn fluent(&self, number: Number, with: &Arguments) -> String {
        let number = number % self.fluents.len();
        self.term(&format!("f{number}"), self.fluents[number], with)
    }

    fn move_(&self, number: Number, with: &Arguments) -> String {
        let number = number % self.moves.len();
        self.term(&format!("m{number}"), self.moves[number], with)
    }

    fn term(&self, name: &str, arity: usize, with: &Arguments) -> String {
        let arguments: String =
            with[..arity].iter().map(|argument| format!(" {}", self.argument(*argument))).collect();
        if arity == 0 { name.to_owned() } else { format!("({name}{arguments})") }
    }

    fn argument(&self, argument: Argument) -> String {
        match argument {
            Argument::Variable(number) => format!("?{}", ["x", "y", "z"][number % 3]),
            Argument::Constant(number) => format!("c{}", number % self.constants),
        }
    }
}

impl Rendered {
    fn without_variables(text: String) -> Self {
        Rendered { text, variables: BTreeSet::new(), bound: BTreeSet::new() }
    }
}

fn variables(arity: usize, with: &Arguments) -> BTreeSet<Number> {
    let variable = |argument: &Argument| match argument {
        Argument::Variable(number) => Some(*number),
        Argument::Constant(_) => None,
    };
    with[..arity].iter().filter_map(variable).collect()
}
