//! The clauses of predicates that depend on each other. Most such predicates are
//! not circular atom by atom: those atoms become plain gates. Atoms that really
//! depend on each other become a fixpoint block.

use super::BlockNames;
use crate::circuit::network::Network;
use crate::circuit::signal::Signal;
use crate::error::CompileError;
use crate::front::ground::Ground;
use crate::front::program::PredicateId;
use crate::front::relation::AtomId;
use crate::graph::Graph;
use crate::index::{Id, IndexVec, define_index};
use ruche_gdl::{Place, Symbols};
use rustc_hash::FxHashMap;

define_index! {
    /// A head atom among all atoms of the component.
    pub(crate) struct Member;
    /// A clause with atoms of its own component.
    struct RecursiveId;
}

/// A clause with atoms of its own component in the body.
struct Recursive {
    head: Member,
    condition: Signal,
    /// Range into `Clauses::inside`.
    inside: (u32, u32),
    place: Place,
}

/// The clauses of one component of predicates.
pub(crate) struct Clauses {
    predicates: Vec<PredicateId>,
    /// First member of each predicate of the component.
    first_member: FxHashMap<PredicateId, Member>,
    /// Conditions of the clauses without own atoms, by head.
    direct: IndexVec<Member, Vec<Signal>>,
    recursive: IndexVec<RecursiveId, Recursive>,
    inside: Vec<(Member, bool)>,
}

impl Clauses {
    /// No clauses yet, for the atoms of `predicates`.
    pub(crate) fn of(predicates: &[PredicateId], ground: &Ground) -> Self {
        let mut first_member = FxHashMap::default();
        let mut members = 0;
        for &predicate in predicates {
            first_member.insert(predicate, Member::new(members));
            members += ground.world.tables[predicate].count();
        }
        Clauses {
            predicates: predicates.to_vec(),
            first_member,
            direct: IndexVec::filled(Vec::new(), members),
            recursive: IndexVec::new(),
            inside: Vec::new(),
        }
    }

    /// The member of an atom of the component.
    pub(crate) fn member(&self, predicate: PredicateId, atom: AtomId) -> Option<Member> {
        self.first_member.get(&predicate).map(|first| first.plus(atom.index()))
    }

    /// Adds a clause: the atom holds if `condition` and all of `inside` do.
    pub(crate) fn add(
        &mut self,
        predicate: PredicateId,
        atom: AtomId,
        condition: Signal,
        inside: &[(Member, bool)],
        place: Place,
    ) {
        let head = self.member(predicate, atom).expect("a head of the component");
        if condition == Signal::FALSE || inside.contains(&(head, false)) {
            return;
        }
        if inside.is_empty() {
            self.direct[head].push(condition);
            return;
        }
        let start = self.inside.len() as u32;
        self.inside.extend_from_slice(inside);
        let inside = (start, self.inside.len() as u32);
        self.recursive.push(Recursive { head, condition, inside, place });
    }

    /// The signals of all atoms, predicate by predicate.
    pub(crate) fn solve(
        self,
        network: &mut Network,
        names: &mut BlockNames,
        ground: &Ground,
        symbols: &Symbols,
    ) -> Result<Vec<Vec<Signal>>, CompileError> {
        let signals = if self.recursive.is_empty() {
            self.direct.into_iter().map(|conditions| network.or(conditions)).collect()
        } else {
            Solver::new(&self, network, names).run(ground, symbols)?
        };
        let mut rest = signals.as_slice();
        let size = |p: &PredicateId| ground.world.tables[*p].count();
        Ok(self
            .predicates
            .iter()
            .map(|p| rest.split_off(..size(p)).expect("one signal per atom").to_vec())
            .collect())
    }

    fn body(&self, clause: &Recursive) -> &[(Member, bool)] {
        &self.inside[clause.inside.0 as usize..clause.inside.1 as usize]
    }

    /// The atom of a member as text.
    fn text(&self, member: Member, ground: &Ground, symbols: &Symbols) -> String {
        let first = |predicate: &PredicateId| self.first_member[predicate];
        let behind = self.predicates.partition_point(|predicate| first(predicate) <= member);
        let predicate = self.predicates[behind - 1];
        let atom = AtomId::new(member.index() - first(&predicate).index());
        ground.atom_text(predicate, atom, symbols)
    }
}

/// Solves a component atom by atom.
struct Solver<'c> {
    clauses: &'c Clauses,
    network: &'c mut Network,
    names: &'c mut BlockNames,
    /// Recursive clauses of each member.
    by_head: IndexVec<Member, Vec<RecursiveId>>,
    signals: IndexVec<Member, Signal>,
    /// Whether a member belongs to the component that is being solved.
    current: IndexVec<Member, bool>,
}

impl<'c> Solver<'c> {
    fn new(clauses: &'c Clauses, network: &'c mut Network, names: &'c mut BlockNames) -> Self {
        let mut by_head = IndexVec::filled(Vec::new(), clauses.direct.len());
        for (number, clause) in clauses.recursive.enumerate() {
            by_head[clause.head].push(number);
        }
        let signals = IndexVec::filled(Signal::FALSE, clauses.direct.len());
        let current = IndexVec::filled(false, clauses.direct.len());
        Solver { clauses, network, names, by_head, signals, current }
    }

    fn run(
        mut self,
        ground: &Ground,
        symbols: &Symbols,
    ) -> Result<IndexVec<Member, Signal>, CompileError> {
        let mut edges = Vec::new();
        for clause in &self.clauses.recursive {
            edges.extend(self.clauses.body(clause).iter().map(|&(m, _)| (clause.head, m)));
        }
        let graph = Graph::from_edges(self.clauses.direct.len(), &edges);
        for component in graph.components() {
            self.mark(&component, true);
            self.check_negation(&component, ground, symbols)?;
            self.mark(&component, false);
            match component.as_slice() {
                &[single] => self.signals[single] = self.definition(single),
                _ => {
                    let names = component.iter().map(|&m| self.clauses.text(m, ground, symbols));
                    self.names.push(names.collect());
                    self.fixpoint(&component);
                }
            }
        }
        Ok(self.signals)
    }

    fn mark(&mut self, component: &[Member], current: bool) {
        component.iter().for_each(|&m| self.current[m] = current);
    }

    fn check_negation(
        &self,
        component: &[Member],
        ground: &Ground,
        symbols: &Symbols,
    ) -> Result<(), CompileError> {
        for &head in component {
            for &number in &self.by_head[head] {
                let clause = &self.clauses.recursive[number];
                let body = self.clauses.body(clause);
                if body.iter().any(|&(m, negated)| negated && self.current[m]) {
                    let atom = self.clauses.text(head, ground, symbols);
                    return Err(CompileError::NotStratified { atom, place: clause.place });
                }
            }
        }
        Ok(())
    }

    /// The disjunction of all clauses of a member, with the signals known now.
    fn definition(&mut self, member: Member) -> Signal {
        let mut ways = self.clauses.direct[member].clone();
        for position in 0..self.by_head[member].len() {
            let number = self.by_head[member][position];
            let clause = &self.clauses.recursive[number];
            let body = self.clauses.body(clause);
            let mut conditions = vec![clause.condition];
            conditions.extend(body.iter().map(|&(m, n)| self.signals[m].negate_if(n)));
            ways.push(self.network.and(conditions));
        }
        self.network.or(ways)
    }

    /// Atoms that depend on each other: variables first, definitions over them,
    /// then the results.
    fn fixpoint(&mut self, component: &[Member]) {
        let block = self.network.open_block(component.len());
        let variables = self.network.blocks[block].variables;
        for (&member, node) in component.iter().zip(variables.iter()) {
            self.signals[member] = Signal::of(node);
        }
        let definitions: Vec<_> = component.iter().map(|&m| self.definition(m)).collect();
        let results = self.network.close_block(block, definitions);
        for (&member, result) in component.iter().zip(results.iter()) {
            self.signals[member] = Signal::of(result);
        }
    }
}
