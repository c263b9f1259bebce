//! Existential-variable elimination: a rule whose body has variables that its
//! head does not need is split so that those variables are summed out over the
//! few conditions that mention them. `(<= (next (cell ?x ?y ?p)) (true (cell ?x
//! ?y ?p)) (does ?r (mark ?m ?n)) (distinct ?m ?x))` becomes an auxiliary
//! relation over `?x` alone and a rule that uses it: 9 instances instead of
//! hundreds, and the circuit comes out factored.

use crate::front::domains::Estimates;
use crate::front::join_order::{Candidate, greedy};
use crate::front::program::{
    DOES, Kind, Literal, Pattern, PredicateId, Program, Rule, TRUE, Test, VariableId,
};
use crate::index::{Id, first};
use ruche_gdl::Place;
use rustc_hash::FxHashMap;

/// Rules with more variables are left alone.
const MOST_VARIABLES: usize = VariableSet::BITS as usize;

/// Conditions that are looked at before the rest of the rules is left alone.
const MOST_WORK: usize = 100_000_000;

type VariableSet = u128;

/// Stands for the predicate that a definition will have.
const TO_BE_MADE: PredicateId = TRUE;

/// Splits all rules of the program.
pub(crate) fn split(program: &mut Program, estimates: &mut Estimates) {
    let mut splitter =
        Splitter { program, estimates, known: FxHashMap::default(), made: vec![], work: 0 };
    let rules = std::mem::take(&mut splitter.program.rules);
    let split: Vec<_> = rules.into_iter().map(|rule| splitter.rule(rule)).collect();
    let made = splitter.made;
    program.rules = made;
    program.rules.extend(split);
}

/// A condition of a body with the variables in it.
#[derive(Clone)]
struct Condition {
    what: What,
    variables: VariableSet,
}

#[derive(Clone)]
enum What {
    Positive(Literal),
    Negative(Literal),
    Test(Test),
}

/// Conditions that can leave a rule together.
struct Bucket {
    members: Vec<bool>,
    /// All variables of the members.
    variables: VariableSet,
    /// Those that the rest of the rule needs.
    scope: VariableSet,
    cost: f64,
}

struct Splitter<'p> {
    program: &'p mut Program,
    estimates: &'p mut Estimates,
    /// Predicates that are made already, by what they are for and their
    /// (renumbered) definition.
    known: FxHashMap<(Kind, Rule), PredicateId>,
    made: Vec<Rule>,
    work: usize,
}

impl Splitter<'_> {
    fn rule(&mut self, rule: Rule) -> Rule {
        if rule.variables > MOST_VARIABLES {
            return rule;
        }
        let head = variables_of(|visit| rule.head.for_each_variable(visit));
        let mut conditions = conditions(&rule);
        while let Some(bucket) = self.best_bucket(&conditions, head, rule.variables) {
            let auxiliary = self.auxiliary(&conditions, &bucket, &rule);
            let mut members = bucket.members.iter();
            conditions.retain(|_| !members.next().expect("one per condition"));
            conditions.push(auxiliary);
        }
        assemble(rule, conditions)
    }

    fn best_bucket(
        &mut self,
        conditions: &[Condition],
        head: VariableSet,
        variables: usize,
    ) -> Option<Bucket> {
        let all = conditions.iter().fold(0, |set, c| set | c.variables);
        self.work += conditions.len() * variables;
        if self.work > MOST_WORK {
            return None;
        }
        let buckets = first(variables)
            .filter(|&v| has(all & !head, v))
            .filter_map(|v| self.bucket(conditions, head, v, variables));
        buckets.min_by(|a, b| {
            let scope = |bucket: &Bucket| bucket.scope.count_ones();
            a.cost.total_cmp(&b.cost).then(scope(a).cmp(&scope(b)))
        })
    }

    /// What has to leave with `variable`; `None` if it should stay.
    fn bucket(
        &self,
        conditions: &[Condition],
        head: VariableSet,
        variable: VariableId,
        variables: usize,
    ) -> Option<Bucket> {
        let core = conditions.iter().filter(|c| has(c.variables, variable));
        let inside = core.fold(0, |set, c| set | c.variables);
        let member = |c: &Condition| c.variables != 0 && c.variables & !inside == 0;
        let members: Vec<bool> = conditions.iter().map(member).collect();
        if members.iter().all(|&m| m) {
            return None;
        }
        let outside =
            conditions.iter().filter(|c| !member(c)).fold(head, |set, c| set | c.variables);
        let literals = conditions.iter().filter(|c| member(c)).filter_map(positive);
        let candidates: Vec<_> =
            literals.map(|literal| Candidate::of(literal, self.estimates)).collect();
        let (_, cost) = greedy(&candidates, None, variables);
        let bucket = Bucket { members, variables: inside, scope: inside & outside, cost };
        (!only_roles(conditions, &bucket)).then_some(bucket)
    }

    /// The auxiliary literal that replaces the bucket.
    fn auxiliary(&mut self, conditions: &[Condition], bucket: &Bucket, rule: &Rule) -> Condition {
        let mut taken: Vec<_> = conditions
            .iter()
            .zip(&bucket.members)
            .filter(|(_, member)| **member)
            .map(|(condition, _)| condition.clone())
            .collect();
        let bound = taken.iter().filter(|c| positive(c).is_some()).fold(0, |s, c| s | c.variables);
        for variable in elements(bucket.variables & !bound) {
            taken.push(self.domain(conditions, variable, rule));
        }
        let arguments: Vec<_> = elements(bucket.scope).map(Pattern::Variable).collect();
        let literal = self.define(Kind::Auxiliary, &arguments, taken, rule);
        Condition { variables: bucket.scope, what: What::Positive(literal) }
    }

    /// A literal over all values that `variable` takes in some positive
    /// condition; safety says that there is one.
    fn domain(&mut self, conditions: &[Condition], variable: VariableId, rule: &Rule) -> Condition {
        let holds = |c: &&Condition| has(c.variables, variable) && positive(c).is_some();
        let size = |c: &Condition| {
            let literal = positive(c).expect("filtered");
            self.estimates.size(literal)
        };
        let source = conditions.iter().filter(holds).min_by(|a, b| size(a).total_cmp(&size(b)));
        let source = source.expect("checked: every variable is bound").clone();
        let literal = self.define(Kind::Domain, &[Pattern::Variable(variable)], vec![source], rule);
        Condition { variables: 1 << variable.index(), what: What::Positive(literal) }
    }

    /// A predicate for `body` summed out to `arguments`; equal definitions get
    /// one predicate.
    fn define(
        &mut self,
        kind: Kind,
        arguments: &[Pattern],
        body: Vec<Condition>,
        rule: &Rule,
    ) -> Literal {
        let head = Literal { predicate: TO_BE_MADE, arguments: arguments.to_vec() };
        let empty = Rule {
            head,
            positive: vec![],
            negative: vec![],
            tests: vec![],
            variables: 0,
            place: Place::default(),
        };
        let key = (kind, renumber(assemble(empty, body)));
        let predicate = match self.known.get(&key) {
            Some(&known) => known,
            None => self.add(key, rule),
        };
        Literal { predicate, arguments: arguments.to_vec() }
    }

    /// Makes the predicate of a definition, for the sake of `rule`.
    fn add(&mut self, key: (Kind, Rule), rule: &Rule) -> PredicateId {
        let (kind, definition) = &key;
        let user = &self.program.predicates[rule.head.predicate].name;
        let name = format!("part of {}", user.trim_start_matches("part of "));
        let arity = definition.head.arguments.len();
        let predicate = self.program.add_predicate(name, arity, *kind);
        let mut made = Rule { place: rule.place, ..definition.clone() };
        made.head.predicate = predicate;
        self.estimates.add_predicate(&made);
        self.made.push(made);
        self.known.insert(key, predicate);
        predicate
    }
}

/// Whether the bucket only merges the roles of a move. The circuit does better
/// when it sees the moves of each role: one of them is played.
fn only_roles(conditions: &[Condition], bucket: &Bucket) -> bool {
    let mut taken = conditions.iter().zip(&bucket.members).filter(|(_, member)| **member);
    taken.any(|(condition, _)| {
        condition.variables == bucket.variables
            && positive(condition).is_some_and(|literal| {
                let role = variables_of(|visit| literal.arguments[0].for_each_variable(visit));
                literal.predicate == DOES && bucket.variables & !bucket.scope == role
            })
    })
}

fn positive(condition: &Condition) -> Option<&Literal> {
    if let What::Positive(literal) = &condition.what { Some(literal) } else { None }
}

fn variables_of(for_each: impl FnOnce(&mut dyn FnMut(VariableId))) -> VariableSet {
    let mut set = 0;
    for_each(&mut |variable| set |= 1 << variable.index());
    set
}

fn has(set: VariableSet, variable: VariableId) -> bool {
    set >> variable.index() & 1 == 1
}

fn elements(set: VariableSet) -> impl Iterator<Item = VariableId> {
    first(MOST_VARIABLES).filter(move |&variable| has(set, variable))
}

fn conditions(rule: &Rule) -> Vec<Condition> {
    let literal = |literal: &Literal| variables_of(|visit| literal.for_each_variable(visit));
    let positive = rule
        .positive
        .iter()
        .map(|l| Condition { variables: literal(l), what: What::Positive(l.clone()) });
    let negative = rule
        .negative
        .iter()
        .map(|l| Condition { variables: literal(l), what: What::Negative(l.clone()) });
    let tests = rule.tests.iter().map(|t| Condition {
        variables: variables_of(|visit| t.for_each_variable(visit)),
        what: What::Test(t.clone()),
    });
    positive.chain(negative).chain(tests).collect()
}

fn assemble(rule: Rule, conditions: Vec<Condition>) -> Rule {
    let mut whole = Rule { positive: vec![], negative: vec![], tests: vec![], ..rule };
    for condition in conditions {
        match condition.what {
            What::Positive(literal) => whole.positive.push(literal),
            What::Negative(literal) => whole.negative.push(literal),
            What::Test(test) => whole.tests.push(test),
        }
    }
    whole
}

/// Numbers the variables in the order of their appearance, so that equal
/// definitions from different rules compare equal.
fn renumber(mut rule: Rule) -> Rule {
    let mut numbers = FxHashMap::default();
    let literals = std::iter::once(&mut rule.head)
        .chain(&mut rule.positive)
        .chain(&mut rule.negative)
        .flat_map(|literal| &mut literal.arguments);
    let tests = rule.tests.iter_mut().flat_map(|test| [&mut test.left, &mut test.right]);
    literals.chain(tests).for_each(|pattern| renumber_pattern(pattern, &mut numbers));
    rule.variables = numbers.len();
    rule
}

fn renumber_pattern(pattern: &mut Pattern, numbers: &mut FxHashMap<VariableId, VariableId>) {
    match pattern {
        Pattern::Variable(variable) => {
            let next = VariableId::new(numbers.len());
            *variable = *numbers.entry(*variable).or_insert(next);
        }
        Pattern::Ground(_) => {}
        Pattern::Compound(_, arguments) => {
            arguments.iter_mut().for_each(|a| renumber_pattern(a, numbers));
        }
    }
}
