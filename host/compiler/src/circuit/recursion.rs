//! The clauses of predicates that depend on each other. Most such predicates are
//! not circular atom by atom: those atoms become plain gates. Atoms that really
//! depend on each other become a fixpoint block.

use crate::circuit::network::{Network, Signal};
use crate::error::CompileError;
use crate::front::ground::Ground;
use crate::front::program::PredicateId;
use crate::front::relation::AtomId;
use crate::graph::Graph;
use ruche_gdl::{Place, Symbols};

/// Number of a head atom among all atoms of the component.
type Member = u32;

/// A clause with atoms of its own component in the body.
struct Recursive {
    head: Member,
    condition: Signal,
    /// Range into `Clauses::inside`.
    inside: (u32, u32),
    place: Place,
}

/// The clauses of one component of predicates.
pub struct Clauses {
    predicates: Vec<PredicateId>,
    /// First member of each predicate of the component; `NOT_HERE` for others.
    first_member: Vec<Member>,
    /// Conditions of the clauses without own atoms, by head.
    direct: Vec<Vec<Signal>>,
    recursive: Vec<Recursive>,
    inside: Vec<(Member, bool)>,
}

const NOT_HERE: Member = Member::MAX;

impl Clauses {
    /// No clauses yet, for the atoms of `predicates`.
    pub fn of(predicates: &[PredicateId], ground: &Ground) -> Self {
        let mut first_member = vec![NOT_HERE; ground.predicates.len()];
        let mut members = 0;
        for &predicate in predicates {
            first_member[predicate as usize] = members;
            members += ground.world.tables[predicate as usize].count() as Member;
        }
        Clauses {
            predicates: predicates.to_vec(),
            first_member,
            direct: vec![Vec::new(); members as usize],
            recursive: Vec::new(),
            inside: Vec::new(),
        }
    }

    /// Whether the predicate belongs to the component.
    pub fn owns(&self, predicate: PredicateId) -> bool {
        self.first_member[predicate as usize] != NOT_HERE
    }

    /// The member of an atom of the component.
    pub fn member(&self, predicate: PredicateId, atom: AtomId) -> Option<Member> {
        let first = self.first_member[predicate as usize];
        (first != NOT_HERE).then(|| first + atom)
    }

    /// Adds a clause: the atom holds if `condition` and all of `inside` do.
    pub fn add(
        &mut self,
        predicate: PredicateId,
        atom: AtomId,
        condition: Signal,
        inside: &[(Member, bool)],
        place: Place,
    ) {
        let head = self.first_member[predicate as usize] + atom;
        if condition == Signal::FALSE || inside.contains(&(head, false)) {
            return;
        }
        if inside.is_empty() {
            self.direct[head as usize].push(condition);
            return;
        }
        let start = self.inside.len() as u32;
        self.inside.extend_from_slice(inside);
        let inside = (start, self.inside.len() as u32);
        self.recursive.push(Recursive { head, condition, inside, place });
    }

    /// The signals of all atoms, predicate by predicate.
    pub fn solve(
        self,
        network: &mut Network,
        ground: &Ground,
        symbols: &Symbols,
    ) -> Result<Vec<Vec<Signal>>, CompileError> {
        let signals = if self.recursive.is_empty() {
            self.direct.into_iter().map(|conditions| network.or(conditions)).collect()
        } else {
            Solver::new(&self, network).run(ground, symbols)?
        };
        let mut rest = signals.as_slice();
        let size = |p: &PredicateId| ground.world.tables[*p as usize].count();
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
        let starts = |p: &&PredicateId| self.first_member[**p as usize] <= member;
        let predicate = self.predicates.iter().rfind(starts).expect("members are ordered");
        let atom = member - self.first_member[*predicate as usize];
        let table = &ground.world.tables[*predicate as usize];
        let mut text = ground.predicates[*predicate as usize].name.clone();
        for &argument in table.arguments(atom) {
            text.push(' ');
            text.push_str(&ground.world.terms.text(argument, symbols));
        }
        text
    }
}

/// Solves a component atom by atom.
struct Solver<'c> {
    clauses: &'c Clauses,
    network: &'c mut Network,
    /// Recursive clauses of each member.
    by_head: Vec<Vec<u32>>,
    signals: Vec<Signal>,
    /// Whether a member belongs to the component that is being solved.
    current: Vec<bool>,
}

impl<'c> Solver<'c> {
    fn new(clauses: &'c Clauses, network: &'c mut Network) -> Self {
        let mut by_head = vec![Vec::new(); clauses.direct.len()];
        for (number, clause) in clauses.recursive.iter().enumerate() {
            by_head[clause.head as usize].push(number as u32);
        }
        let signals = vec![Signal::FALSE; clauses.direct.len()];
        let current = vec![false; clauses.direct.len()];
        Solver { clauses, network, by_head, signals, current }
    }

    fn run(mut self, ground: &Ground, symbols: &Symbols) -> Result<Vec<Signal>, CompileError> {
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
                &[single] => self.signals[single as usize] = self.definition(single),
                _ => self.fixpoint(&component),
            }
        }
        Ok(self.signals)
    }

    fn mark(&mut self, component: &[Member], current: bool) {
        component.iter().for_each(|&m| self.current[m as usize] = current);
    }

    fn check_negation(
        &self,
        component: &[Member],
        ground: &Ground,
        symbols: &Symbols,
    ) -> Result<(), CompileError> {
        for &head in component {
            for &number in &self.by_head[head as usize] {
                let clause = &self.clauses.recursive[number as usize];
                let body = self.clauses.body(clause);
                if body.iter().any(|&(m, negated)| negated && self.current[m as usize]) {
                    let atom = self.clauses.text(head, ground, symbols);
                    return Err(CompileError::NotStratified { atom, place: clause.place });
                }
            }
        }
        Ok(())
    }

    /// The disjunction of all clauses of a member, with the signals known now.
    fn definition(&mut self, member: Member) -> Signal {
        let mut ways = self.clauses.direct[member as usize].clone();
        for position in 0..self.by_head[member as usize].len() {
            let number = self.by_head[member as usize][position];
            let clause = &self.clauses.recursive[number as usize];
            let body = self.clauses.body(clause);
            let mut conditions = vec![clause.condition];
            conditions.extend(body.iter().map(|&(m, n)| self.signals[m as usize].negate_if(n)));
            ways.push(self.network.and(conditions));
        }
        self.network.or(ways)
    }

    /// Atoms that depend on each other: variables first, definitions over them,
    /// then the results.
    fn fixpoint(&mut self, component: &[Member]) {
        let block = self.network.open_block(component.len() as u32);
        let first = self.network.blocks[block as usize].first_variable;
        for (&member, node) in component.iter().zip(first..) {
            self.signals[member as usize] = Signal::of(node);
        }
        let definitions: Vec<_> = component.iter().map(|&m| self.definition(m)).collect();
        let results = self.network.close_block(block, definitions);
        for (&member, result) in component.iter().zip(results) {
            self.signals[member as usize] = result;
        }
    }
}
