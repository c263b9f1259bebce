//! Whatever goes wrong on the way: the right results, or an error by name with what
//! was finished. Never a hang, never a wrong, lost or doubled result.
//!
//! A failure names its seed; `RUCHE_FAULT_SEED=<seed> cargo test -p ruche-io-node
//! --test faults replay -- --nocapture` plays it again.

use proptest::prelude::*;
use ruche_io_node::RunMode;
use ruche_io_node::transport::faulty::{BatchPlan, FaultPlan, Faults, Outcome, simulate};

/// What is wrong with how a plan ended, if anything.
fn fault_of(plan: &FaultPlan, outcome: &Outcome) -> Option<String> {
    let is_hang = |error: &String| error.starts_with("it hangs");
    let is_clean = plan.host_faults.is_none();
    let total = outcome.results.iter().flatten().count();
    match outcome {
        Outcome { error: Some(error), .. } if is_hang(error) => Some(error.clone()),
        _ if outcome.first_mistake(plan).is_some() => outcome.first_mistake(plan),
        Outcome { doubled: 1.., .. } if is_clean => Some("a result came twice".to_owned()),
        _ if is_clean && outcome.statistics.positions != outcome.finished() as u64 => {
            Some("a result that the node had was lost".to_owned())
        }
        Outcome { error: None, .. } if outcome.finished() != total => {
            Some("results are missing, and no error says why".to_owned())
        }
        _ => None,
    }
}

fn check(plan: &FaultPlan) -> Outcome {
    let outcome = simulate(plan);
    if let Some(fault) = fault_of(plan, &outcome) {
        panic!("seed {}: {fault}\n{plan:#?}\n{:?}", plan.seed, outcome.statistics);
    }
    outcome
}

fn batches(count: usize) -> Vec<BatchPlan> {
    vec![BatchPlan { positions: 100, playouts: 10 }; count]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, max_shrink_iters: 0, ..Default::default() })]

    #[test]
    fn any_schedule_ends_with_the_right_results_or_a_named_error(seed: u64) {
        check(&FaultPlan::of_seed(seed));
    }
}

#[test]
fn most_schedules_with_a_surviving_cluster_succeed() {
    let outcomes: Vec<Outcome> = (0..1000).map(|seed| check(&FaultPlan::of_seed(seed))).collect();
    let succeeded = outcomes.iter().filter(|outcome| outcome.error.is_none()).count();
    let lost = outcomes.iter().filter(|outcome| outcome.losses > 0).count();
    println!("{succeeded} of 1000 succeeded; {lost} lost clusters");
    assert!(succeeded > 500, "only {succeeded}: the node gives up too easily");
    assert!((200..900).contains(&lost), "{lost} plans with losses test too little");
}

#[test]
fn replay() {
    if let Ok(seed) = std::env::var("RUCHE_FAULT_SEED") {
        let plan = FaultPlan::of_seed(seed.parse().expect("a seed is a number"));
        println!("{plan:#?}\n{:#?}", check(&plan));
    }
}

#[test]
fn the_same_seed_is_the_same_schedule() {
    for seed in 0..50 {
        let plan = FaultPlan::of_seed(seed);
        assert_eq!(simulate(&plan), simulate(&plan));
    }
}

#[test]
fn without_faults_nothing_is_sent_twice() {
    for mode in [RunMode::Sync, RunMode::Async] {
        for clusters in 1..=8 {
            let outcome = check(&FaultPlan::quiet(clusters, mode, batches(6)));
            let statistics = outcome.statistics;
            assert_eq!((outcome.error, statistics.batches), (None, 6));
            assert_eq!((statistics.resent, statistics.lost), (0, 0));
            assert_eq!((statistics.late, statistics.damaged), (0, 0));
        }
    }
}

#[test]
fn one_cluster_on_a_link_that_loses_frames_is_not_declared_dead() {
    let faults = Faults { drop: 0.1, flip: 0.1, ..Faults::default() };
    for mode in [RunMode::Sync, RunMode::Async] {
        let succeeded = (0..100).filter(|seed| {
            let plan = FaultPlan { seed: *seed, faults, ..FaultPlan::quiet(1, mode, batches(4)) };
            check(&plan).error.is_none()
        });
        let count = succeeded.count();
        assert!(count > 80, "{mode:?}: {count}");
    }
}
