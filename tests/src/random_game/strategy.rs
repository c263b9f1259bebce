//! How games are drawn. The weights are chosen such that most games change
//! their state, offer choices and use views that are recursive.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Argument, Arguments, Condition, Head, Number, RandomGame, Relation, Rule};

/// More than there ever is of anything.
const NUMBERS: Range<Number> = 0..12;

/// Any small game.
pub fn random_game() -> impl Strategy<Value = RandomGame> {
    let sizes = (1..=3_usize, 2..=4_usize, any::<bool>());
    let arities = (vec(arity(), 2..5), vec(arity(), 1..4), vec(arity(), 1..6), vec(arity(), 1..4));
    let facts = vec((1..=2_usize, vec([NUMBERS, NUMBERS], 0..7)), 1..3);
    let initial = vec((NUMBERS, [NUMBERS, NUMBERS]), 1..8);
    (sizes, arities, facts, initial, rules()).prop_map(
        |(
            (roles, constants, declared),
            (fluents, moves, views, effects),
            facts,
            initial,
            rules,
        )| {
            let facts = facts.into_iter().map(|(arity, rows)| Relation { arity, rows }).collect();
            RandomGame {
                roles,
                constants,
                fluents,
                moves,
                facts,
                views,
                effects,
                initial,
                rules,
                declared,
            }
        },
    )
}

/// A number of arguments.
fn arity() -> impl Strategy<Value = usize> {
    prop_oneof![1 => Just(0), 4 => Just(1), 3 => Just(2)]
}

/// How often a condition is of which kind, by what the rule is about.
#[derive(Clone, Copy)]
struct Weights {
    fluent: u32,
    view: u32,
    effect: u32,
    action: u32,
}

/// For rules on the state.
const STATE: Weights = Weights { fluent: 6, view: 4, effect: 0, action: 0 };
/// For views, which are to be recursive often.
const VIEW: Weights = Weights { fluent: 6, view: 8, effect: 0, action: 0 };
/// For rules on the step from one state to the next.
const STEP: Weights = Weights { fluent: 5, view: 3, effect: 2, action: 5 };

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let parts = (
        vec(rule(view(), 1..4, VIEW), 2..10),
        vec(rule(legal(), 1..4, STATE), 2..8),
        vec(rule(effect(), 1..4, STEP), 0..6),
        vec(rule(next(), 1..4, STEP), 4..14),
        vec(rule(goal(), 0..4, STATE), 1..5),
        vec(rule(Just(Head::Terminal), 2..4, STATE), 0..2),
    );
    parts.prop_map(|(views, legal, effects, next, goals, terminal)| {
        [views, legal, effects, next, goals, terminal].concat()
    })
}

fn rule(
    head: impl Strategy<Value = Head>,
    conditions: Range<usize>,
    weights: Weights,
) -> impl Strategy<Value = Rule> {
    (head, vec(condition(weights), conditions), any::<bool>())
        .prop_map(|(head, body, bind_first)| Rule { head, body, bind_first })
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        4 => Just(Argument::Variable(0)),
        3 => Just(Argument::Variable(1)),
        1 => Just(Argument::Variable(2)),
        2 => (0..4_usize).prop_map(Argument::Constant),
    ]
}

fn arguments() -> impl Strategy<Value = Arguments> {
    [argument(), argument()]
}

/// A numbered thing with its arguments.
fn numbered() -> impl Strategy<Value = (Number, Arguments)> {
    (NUMBERS, arguments())
}

/// A role and a move of it.
fn role_and_move() -> impl Strategy<Value = (Number, Number, Arguments)> {
    (NUMBERS, NUMBERS, arguments())
}

fn view() -> impl Strategy<Value = Head> {
    numbered().prop_map(|(view, with)| Head::View(view, with))
}

fn legal() -> impl Strategy<Value = Head> {
    role_and_move().prop_map(|(role, kind, with)| Head::Legal(role, kind, with))
}

fn effect() -> impl Strategy<Value = Head> {
    numbered().prop_map(|(effect, with)| Head::Effect(effect, with))
}

fn next() -> impl Strategy<Value = Head> {
    prop_oneof![
        8 => numbered().prop_map(|(fluent, with)| Head::Next(fluent, with)),
        1 => Just(Head::NextAll),
    ]
}

fn goal() -> impl Strategy<Value = Head> {
    (NUMBERS, NUMBERS).prop_map(|(role, value)| Head::Goal(role, value))
}

fn condition(weights: Weights) -> impl Strategy<Value = Condition> {
    prop_oneof![
        16 => simple_condition(weights),
        5 => negation(simple_condition(weights)),
        2 => disjunction(weights),
        1 => negation(disjunction(weights)),
        1 => negation(negation(simple_condition(weights))),
    ]
}

fn negation(inner: impl Strategy<Value = Condition>) -> impl Strategy<Value = Condition> {
    inner.prop_map(|inner| Condition::Not(Box::new(inner)))
}

fn disjunction(weights: Weights) -> impl Strategy<Value = Condition> {
    let branch = prop_oneof![
        4 => simple_condition(weights),
        1 => negation(simple_condition(weights)),
    ];
    vec(branch, 1..4).prop_map(Condition::Or)
}

fn simple_condition(weights: Weights) -> impl Strategy<Value = Condition> {
    prop_oneof![
        weights.fluent => numbered().prop_map(|(fluent, with)| Condition::Fluent(fluent, with)),
        weights.view => numbered().prop_map(|(view, with)| Condition::View(view, with)),
        weights.effect => numbered().prop_map(|(effect, with)| Condition::Effect(effect, with)),
        weights.action => action(),
        1 => numbered().prop_map(|(fact, with)| Condition::Fact(fact, with)),
        1 => (argument(), argument()).prop_map(|(left, right)| Condition::Distinct(left, right)),
        1 => prop_oneof![
            Just(Condition::AnyFluent),
            Just(Condition::Terminal),
            role_and_move().prop_map(|(role, kind, with)| Condition::Legal(role, kind, with)),
        ],
    ]
}

fn action() -> impl Strategy<Value = Condition> {
    prop_oneof![
        4 => role_and_move().prop_map(|(role, kind, with)| Condition::Does(role, kind, with)),
        1 => numbered().prop_map(|(kind, with)| Condition::DoesAnyone(kind, with)),
        1 => NUMBERS.prop_map(Condition::DoesAnything),
    ]
}
