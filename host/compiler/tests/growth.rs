//! Work grows in step with the source: four times the rules take about four times as
//! long. What is quadratic takes sixteen times as long.

use ruche_compiler::{CompileError, Options, WorkLimits, compile};
use std::time::Duration;

use cpu_time::ThreadTime;

/// The least time of several runs: others on the machine only ever add to it.
const RUNS: usize = 7;
const MOST: f64 = 9.0;
/// What takes less is not measured well.
const LEAST: Duration = Duration::from_millis(1);

/// A game of one role with these rules.
fn game(rules: &str) -> String {
    format!(
        "(role r) (init go) (legal r a) (legal r b) (goal r 0) (<= (next over) (does r a))
         (<= (next go) (true go) (does r b)) (<= terminal (true over))\n{rules}"
    )
}

fn each(count: usize, rule: impl Fn(usize) -> String) -> String {
    (0..count).map(rule).collect()
}

fn try_compile(rules: &str, limits: WorkLimits) -> Result<usize, CompileError> {
    let (description, _) = ruche_gdl::load(game(rules).as_bytes()).expect("a sound description");
    compile(&description, &Options { limits }).map(|compiled| compiled.image_length)
}

/// How long this thread has run for it: others may take the processor away at any time.
fn time(rules: &str) -> Duration {
    let start = ThreadTime::now();
    try_compile(rules, WorkLimits::default()).unwrap_or_else(|error| panic!("{error}"));
    start.elapsed()
}

fn grows_in_step(name: &str, small: usize, rules: impl Fn(usize) -> String) {
    let (few, many) = (rules(small), rules(4 * small));
    let mut best = [Duration::MAX; 2];
    for _ in 0..RUNS {
        best[0] = best[0].min(time(&few));
        best[1] = best[1].min(time(&many));
        if best[1].as_secs_f64() < MOST * best[0].max(LEAST).as_secs_f64() {
            return;
        }
    }
    panic!("{name}: {small} take {:?}, four times as many {:?}", best[0], best[1]);
}

fn link(at: usize) -> String {
    format!("(<= p{} p{at})\n", at + 1)
}

fn backwards(count: usize) -> String {
    each(count, |at| link(count - 1 - at))
}

#[test]
fn a_chain_of_static_rules() {
    grows_in_step("forwards", 4000, |n| format!("p0 {} (<= (next end) p{n})", each(n, link)));
    grows_in_step("backwards", 4000, |n| format!("p0 {} (<= (next end) p{n})", backwards(n)));
}

#[test]
fn a_chain_of_rules_that_need_the_state() {
    let end = |n| format!("(<= p0 (true go)) (<= (next end) p{n})");
    grows_in_step("forwards", 4000, |n| end(n) + &each(n, link));
    grows_in_step("backwards", 4000, |n| end(n) + &backwards(n));
}

#[test]
fn a_circle_of_rules() {
    let circle = |n| format!("(<= p0 p{n}) (<= (next end) p{n}) {}", each(n, link));
    grows_in_step("static", 4000, |n| format!("{} p{}", circle(n), n / 2));
    grows_in_step("dynamic", 4000, |n| format!("{} (<= p{} (true go))", circle(n), n / 2));
}

#[test]
fn a_circle_through_the_state() {
    let step = |at: usize, n| format!("(<= (next s{}) (true s{at}))\n", (at + 1) % n);
    grows_in_step("names", 1500, |n| format!("(init s0) {}", each(n, |at| step(at, n))));
    let step = |at: usize, n| format!("(<= (next (s{} ?x)) (true (s{at} ?x)))\n", (at + 1) % n);
    grows_in_step("functions", 1500, |n| format!("(init (s0 x)) {}", each(n, |at| step(at, n))));
}

/// Of lists that are shorter, all pairs of operands are counted, up to a limit of its
/// own: what grows in step has to begin behind it.
const ALL_PAIRS: usize = 4000;

#[test]
fn a_long_body() {
    let fluents =
        |n| each(n, |at| format!("(init q{at}) (<= (next q{at}) (true q{at}) (does r b))"));
    let facts = |n| each(n, |at| format!("(q{at})"));
    let all = |n, literal: fn(usize) -> String| format!("(<= (next end) {})", each(n, literal));
    grows_in_step("static", 10_000, |n| facts(n) + &all(n, |at| format!(" q{at}")));
    grows_in_step("fluents", ALL_PAIRS, |n| fluents(n) + &all(n, |at| format!("(true q{at})")));
    grows_in_step("negations", 1000, |n| fluents(n) + &all(n, |at| format!("(not (true q{at}))")));
    grows_in_step("distinct", 4000, |n| {
        let tests = each(n, |at| format!("(distinct ?x k{at})"));
        format!("(e 1) (<= (next end) (e ?x) {tests})")
    });
}

#[test]
fn a_long_body_twice() {
    // What both bodies have in common is factored out.
    grows_in_step("in common", ALL_PAIRS, |n| {
        let body = each(n, |at| format!("(true q{at})"));
        let fluents =
            each(n, |at| format!("(init q{at}) (<= (next q{at}) (true q{at}) (does r b))"));
        format!("{fluents} (<= (next end) {body} (does r a)) (<= (next end) {body} (true go))")
    });
}

#[test]
fn many_of_a_kind() {
    grows_in_step("facts", 20_000, |n| each(n, |at| format!("(e {at} {})", at + 1)));
    grows_in_step("predicates", 2000, |n| {
        each(n, |at| format!("(<= (q{at} a) (true go)) (<= (next (z {at})) (q{at} a))"))
    });
    grows_in_step("shapes", 2000, |n| {
        each(n, |at| format!("(e (f{at} a)) (<= (g{at} ?x) (e (f{at} ?x)))"))
    });
    grows_in_step("roles", 250, |n| {
        each(n, |at| format!("(role r{at}) (legal r{at} a) (legal r{at} b) (goal r{at} 0)"))
    });
    grows_in_step("moves", 2000, |n| {
        each(n, |at| format!("(legal r m{at}) (<= (next q{at}) (does r m{at}))"))
    });
    grows_in_step("small circles", 500, |n| {
        each(n, |at| {
            format!(
                "(<= p{at} q{at}) (<= q{at} p{at}) (<= q{at} (true f{at})) (<= p{at} (true go))
                 (init f{at}) (<= (next f{at}) (true f{at}) (does r b)) (<= (next h{at}) q{at})"
            )
        })
    });
}

#[test]
fn a_deep_fixpoint() {
    grows_in_step("a path", 2000, |n| {
        let roads = each(n, |at| format!("(s {at} {0}) (s {0} {at}) (init (open {at}))", at + 1));
        format!(
            "{roads} (<= (reach 0) (true go)) (<= (next end) (reach {n}))
             (<= (reach ?y) (reach ?x) (s ?x ?y) (true (open ?y)))
             (<= (next (open ?x)) (true (open ?x)) (does r b))"
        )
    });
}

/// The message of the limit that these rules reach.
fn refusal(rules: &str, limits: WorkLimits) -> String {
    try_compile(rules, limits).expect_err("a limit is reached").to_string()
}

#[test]
fn the_longest_chains_that_are_read_end() {
    let chain = format!("(<= p0 (true go)) {} (<= (next end) p200000)", each(200_000, link));
    assert!(game(&chain).len() <= ruche_gdl::MAXIMUM_SOURCE_BYTES);
    try_compile(&chain, WorkLimits::default()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn alternatives_are_limited_for_all_rules_together() {
    let rule = |at| format!("(<= (z {at}) {})\n", "(or (true go) (true over))".repeat(11));
    let message = refusal(&each(400, rule), WorkLimits::default());
    assert!(message.contains("too many alternatives"), "{message}");
    let long =
        format!("(<= z {} {})", "(or go over)".repeat(11), each(5000, |at| format!("q{at} ")));
    let message = refusal(&format!("go over\n{long}"), WorkLimits::default());
    assert!(message.contains("3:1:") || message.contains("4:1:"), "{message}");
}

#[test]
fn conditions_that_are_not_rows_count_as_work_too() {
    let facts = each(2000, |at| format!("(e {at})"));
    let tests = each(400, |at| format!("(distinct ?x k{at})"));
    let rule = format!("(<= (next (end ?x)) (e ?x) {tests})");
    let message = refusal(&format!("{facts}{rule}"), WorkLimits::small());
    assert!(message.contains("join steps") && message.contains("`next/1`"), "{message}");
}

#[test]
fn views_that_are_looked_through_in_vain_count_as_work_too() {
    let rule = |at| {
        format!("(init (s (f{at} x))) (<= (next (s (f{at} ?x))) (true (s (f{at} ?x))) (does r b))")
    };
    let limits = WorkLimits { join_steps: 500_000, ..WorkLimits::default() };
    let message = refusal(&each(1500, rule), limits);
    assert!(message.contains("join steps"), "{message}");
}

#[test]
fn terms_that_double_are_limited() {
    let double = |at: usize| format!("(<= (p{} (f ?x ?x)) (p{at} ?x))\n", at + 1);
    let rules = format!("(p0 a) {} (<= (next ?x) (p30 ?x))", each(30, double));
    let message = refusal(&rules, WorkLimits::default());
    assert!(message.contains("more than 10000 names in `p13/1`"), "{message}");
}
