//! What several trees say together of the same position.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::report::{MoveReport, RoleReport, SearchReport, TimeSplit};
use crate::settings::Merge;

/// One report of all trees; there is at least one.
pub(super) fn merged(reports: Vec<SearchReport>, merge: Merge) -> SearchReport {
    let mut all = SearchReport {
        best: best(&reports, merge),
        is_complete: reports.iter().any(|one| one.is_complete),
        best_line: leading(&reports).and_then(|one| one.best_line.clone()),
        is_full: reports.iter().any(|one| one.is_full),
        is_stopped: reports.iter().any(|one| one.is_stopped),
        signature: FxBuildHasher
            .hash_one(reports.iter().map(|one| one.signature).collect::<Vec<_>>()),
        ..SearchReport::default()
    };
    for one in &reports {
        all.playouts += one.playouts;
        all.tally.add(&one.tally);
        all.leaves += one.leaves;
        all.terminal_visits += one.terminal_visits;
        all.nodes += one.nodes;
        all.edges += one.edges;
        all.bytes += one.bytes;
        all.batches += one.batches;
        // Trees grow side by side: what is told is what one of them took.
        let TimeSplit { selection, waiting, backup } = one.split;
        all.split.selection = all.split.selection.max(selection);
        all.split.waiting = all.split.waiting.max(waiting);
        all.split.backup = all.split.backup.max(backup);
    }
    let first = |role: usize| all.best.as_ref().map(|best| best[role]);
    let roles = reports.first().map_or(0, |one| one.roles.len());
    all.roles = (0..roles).map(|role| merged_role(&reports, role, first(role))).collect();
    all
}

/// The tree that all follow: one in which all is proven, or in games for one that with the
/// best line.
fn leading(reports: &[SearchReport]) -> Option<&SearchReport> {
    let proven = reports.iter().find(|one| one.is_complete);
    let most = reports.iter().filter(|one| one.best_line.is_some());
    proven.or(most.max_by_key(|one| one.best_line.as_ref().map(|line| line.score)))
}

/// What to play: what a tree knows, else what they agree on.
fn best(reports: &[SearchReport], merge: Merge) -> Option<Vec<u32>> {
    if let Some(known) = leading(reports) {
        return known.best.clone();
    }
    let first = reports.first()?.best.as_ref()?;
    (0..first.len()).map(|role| best_of_role(reports, role, merge)).collect()
}

fn best_of_role(reports: &[SearchReport], role: usize, merge: Merge) -> Option<u32> {
    let of_trees = || reports.iter().filter_map(|one| one.roles.get(role)?.moves.first());
    let mut moves = merged_moves(reports, role);
    let votes = |number: u32| of_trees().filter(|one| one.number == number).count();
    let mean = |number: u32| {
        let means = of_trees().filter(|one| one.number == number).map(|one| one.mean);
        means.fold(f64::NEG_INFINITY, f64::max)
    };
    // Sorting is stable, so that of equals the one with the most visits stays before others.
    moves.sort_by_key(|one| (u64::MAX - one.visits, one.number));
    match merge {
        Merge::Sum => {}
        Merge::Best => moves.sort_by(|one, other| mean(other.number).total_cmp(&mean(one.number))),
        Merge::Vote => moves.sort_by_key(|one| usize::MAX - votes(one.number)),
    }
    moves.first().map(|one| one.number)
}

fn merged_role(reports: &[SearchReport], role: usize, first: Option<u32>) -> RoleReport {
    let proven = reports.iter().find_map(|one| one.roles.get(role)?.proven);
    let mut moves = merged_moves(reports, role);
    moves.sort_by_key(|one| (Some(one.number) != first, u64::MAX - one.visits, one.number));
    RoleReport { moves, proven }
}

/// The moves of a role with what all trees know of them, in the order of their numbers.
fn merged_moves(reports: &[SearchReport], role: usize) -> Vec<MoveReport> {
    let mut all: Vec<MoveReport> = Vec::new();
    let trees = reports.len() as f64;
    for one in reports.iter().filter_map(|one| one.roles.get(role)).flat_map(|one| &one.moves) {
        let share = one.share.map(|share| share / trees);
        let place = all.binary_search_by_key(&one.number, |known| known.number);
        match place {
            Ok(place) => add(&mut all[place], one, share),
            Err(place) => all.insert(place, MoveReport { share, ..one.clone() }),
        }
    }
    all
}

/// Adds what another tree knows of a move. The line is that of the tree which knows more.
fn add(known: &mut MoveReport, other: &MoveReport, share: Option<f64>) {
    let visits = known.visits + other.visits;
    if visits > 0 {
        let weighted =
            |one: &MoveReport| if one.visits > 0 { one.mean * one.visits as f64 } else { 0.0 };
        known.mean = (weighted(known) + weighted(other)) / visits as f64;
    }
    if other.line.len() > known.line.len() {
        known.line.clone_from(&other.line);
    }
    (known.visits, known.sum) = (visits, known.sum + other.sum);
    known.proven = known.proven.or(other.proven);
    known.share = known.share.zip(share).map(|(one, other)| one + other);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with moves by number, visits and mean, the best first.
    fn tree(moves: &[(u32, u64, f64)]) -> SearchReport {
        let of = |&(number, visits, mean): &(u32, u64, f64)| MoveReport {
            number,
            visits,
            mean,
            ..MoveReport::default()
        };
        let moves: Vec<_> = moves.iter().map(of).collect();
        let best = Some(vec![moves[0].number]);
        SearchReport { best, roles: vec![RoleReport { moves, proven: None }], ..Default::default() }
    }

    #[test]
    fn trees_are_summed_believed_or_counted() {
        let reports = vec![
            tree(&[(0, 60, 55.0), (1, 50, 50.0), (2, 10, 40.0)]),
            tree(&[(0, 60, 55.0), (1, 50, 50.0), (2, 10, 40.0)]),
            tree(&[(1, 100, 52.0), (0, 10, 50.0)]),
            tree(&[(2, 30, 70.0), (1, 20, 50.0)]),
        ];
        for (merge, best) in [(Merge::Sum, 1), (Merge::Best, 2), (Merge::Vote, 0)] {
            let found = merged(reports.clone(), merge);
            assert_eq!(found.best, Some(vec![best]), "{merge:?}");
            let moves = &found.roles[0].moves;
            assert_eq!(moves[0].number, best);
            let one = moves.iter().find(|one| one.number == 1).expect("a move");
            assert_eq!(one.visits, 220);
            assert!((one.mean - (120.0 * 50.0 + 100.0 * 52.0) / 220.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_one_tree_has_proven_is_played() {
        let mut proven = tree(&[(2, 30, 70.0), (1, 20, 50.0)]);
        (proven.is_complete, proven.roles[0].proven) = (true, Some(100.0));
        let reports = vec![tree(&[(0, 600, 55.0), (2, 10, 40.0)]), proven];
        let found = merged(reports, Merge::Sum);
        assert_eq!((found.best, found.is_complete), (Some(vec![2]), true));
        assert_eq!((found.roles[0].moves[0].number, found.roles[0].proven), (2, Some(100.0)));
    }
}
