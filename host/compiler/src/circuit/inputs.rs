//! Numbers and names for the inputs of a circuit: the atoms of `true` and `does` in
//! the order of their texts, so that they do not depend on how grounding went.

use super::Names;
use super::signal::{FluentId, MoveId, RoleId};
use crate::error::CompileError;
use crate::front::ground::Ground;
use crate::front::program::{DOES, ROLE, TRUE};
use crate::front::relation::AtomId;
use crate::front::terms::TermId;
use crate::index::{Id, IndexVec};
use ruche_gdl::Symbols;
use rustc_hash::FxHashMap;

/// Numbers for the atoms of `true` and `does`.
pub(super) struct Inputs {
    pub(super) names: Names,
    pub(super) role_of_term: FxHashMap<TermId, RoleId>,
    pub(super) moves_of_roles: Vec<usize>,
    /// Fluent of each `true` atom.
    pub(super) fluent_of: IndexVec<AtomId, FluentId>,
    /// Move of each `does` atom.
    pub(super) move_of: IndexVec<AtomId, MoveId>,
}

impl Inputs {
    pub(super) fn of(ground: &Ground, symbols: &Symbols) -> Result<Self, CompileError> {
        let world = &ground.world;
        let roles = &world.tables[ROLE];
        let role_terms: IndexVec<RoleId, _> =
            roles.atoms().map(|a| roles.arguments(a)[0]).collect();
        if role_terms.is_empty() {
            return Err(CompileError::NoRole);
        }
        let role_of_term: FxHashMap<_, _> =
            role_terms.enumerate().map(|(role, &term)| (term, role)).collect();
        let text = |term: TermId| world.terms.text(term, symbols);
        let fluents = &world.tables[TRUE];
        let fluent_texts = fluents.atoms().map(|a| (0, text(fluents.arguments(a)[0])));
        let (fluent_of, fluents) = sorted(fluent_texts.collect());
        let does = &world.tables[DOES];
        // Only roles do.
        let role_of = |a: AtomId| role_of_term[&does.arguments(a)[0]].index();
        let moves = does.atoms().map(|a| (role_of(a), text(does.arguments(a)[1])));
        let mut moves_of_roles = vec![0; role_terms.len()];
        does.atoms().for_each(|a| moves_of_roles[role_of(a)] += 1);
        let (move_of, moves) = sorted(moves.collect());
        let roles = role_terms.iter().map(|&r| text(r)).collect();
        let names = Names { roles, moves, fluents };
        Ok(Inputs { names, role_of_term, moves_of_roles, fluent_of, move_of })
    }
}

/// The place of each item in sorted order, and the sorted texts.
fn sorted<F: Id, T: Id>(items: Vec<(usize, String)>) -> (IndexVec<F, T>, IndexVec<T, String>) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let (left, right) = (&items[a], &items[b]);
        left.0.cmp(&right.0).then_with(|| natural(&left.1).cmp(natural(&right.1)))
    });
    let mut place = IndexVec::filled(T::new(0), items.len());
    order.iter().enumerate().for_each(|(at, &item)| place[F::new(item)] = T::new(at));
    (place, order.into_iter().map(|item| items[item].1.clone()).collect())
}

/// Compares numbers by value: `(cell 2 1)` before `(cell 10 1)`.
fn natural(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.split([' ', '(', ')']).map(|word| (word.parse().unwrap_or(u64::MAX), word))
}
