//! Which relation needs which, and what must not need the state or the moves.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Findings;
use crate::ast::{Atom, Description, Place, Rule};
use crate::symbol::Symbol;

/// What may not depend on what, and why.
const FORBIDDEN: &[(Symbol, Symbol, &str)] = &[
    (Symbol::ROLE, Symbol::TRUE, FIXED),
    (Symbol::ROLE, Symbol::DOES, FIXED),
    (Symbol::BASE, Symbol::TRUE, FIXED),
    (Symbol::BASE, Symbol::DOES, FIXED),
    (Symbol::INPUT, Symbol::TRUE, FIXED),
    (Symbol::INPUT, Symbol::DOES, FIXED),
    (Symbol::INIT, Symbol::TRUE, FIXED),
    (Symbol::INIT, Symbol::DOES, FIXED),
    (Symbol::LEGAL, Symbol::DOES, BEFORE_MOVES),
    (Symbol::GOAL, Symbol::DOES, BEFORE_MOVES),
    (Symbol::TERMINAL, Symbol::DOES, BEFORE_MOVES),
];
const FIXED: &str = "it is settled before the game starts: use only relations that neither the \
                     state nor the moves can change";
const BEFORE_MOVES: &str = "it is asked before the players choose: use `true`, or remember the \
                            move in the state with a `next` rule";

/// A relation: its name and its number of arguments.
type Relation = (Symbol, usize);

/// A condition: the rule it is in, where, and the relation it asks for.
#[derive(Clone, Copy)]
struct Edge<'a> {
    rule: &'a Rule,
    place: Place,
    target: usize,
}

/// The graph of relations: from heads to the atoms of the bodies.
pub(super) struct Dependencies<'a> {
    numbers: FxHashMap<Relation, usize>,
    names: Vec<Symbol>,
    edges: Vec<Vec<Edge<'a>>>,
    components: Vec<usize>,
}

impl<'a> Dependencies<'a> {
    pub fn new(description: &'a Description) -> Self {
        let mut graph = Dependencies {
            numbers: FxHashMap::default(),
            names: Vec::new(),
            edges: Vec::new(),
            components: Vec::new(),
        };
        description.rules.iter().for_each(|rule| graph.add_rule(rule));
        graph.components = Components::of(&graph.edges);
        graph
    }

    fn add_rule(&mut self, rule: &'a Rule) {
        let head = self.number(&rule.head);
        rule.for_each_body_atom(&mut |atom| {
            let target = self.number(atom);
            self.edges[head].push(Edge { rule, place: atom.place, target });
        });
    }

    fn number(&mut self, atom: &Atom) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(relation(atom)).or_insert(next);
        if number == next {
            self.names.push(atom.relation);
            self.edges.push(Vec::new());
        }
        number
    }

    /// Whether `condition`, which is in the body of a rule for `head`, needs the
    /// head's relation in turn.
    pub fn recurse(&self, head: &Atom, condition: &Atom) -> bool {
        let component = |atom| self.components[self.numbers[&relation(atom)]];
        component(head) == component(condition)
    }

    pub fn check(&self, findings: &mut Findings) {
        for &(keyword, forbidden, why) in FORBIDDEN {
            if let Some(chain) = self.chain(keyword, forbidden) {
                report(keyword, &chain, &self.names, why, findings);
            }
        }
    }

    /// The shortest way from one name to another, breadth first.
    fn chain(&self, from: Symbol, to: Symbol) -> Option<Vec<Edge<'a>>> {
        let mut reached: Vec<Option<(usize, Edge)>> = vec![None; self.names.len()];
        let sources = (0..self.names.len()).filter(|&node| self.names[node] == from);
        let mut queue: VecDeque<usize> = sources.collect();
        while let Some(node) = queue.pop_front() {
            if self.names[node] == to {
                return Some(walk_back(node, &reached));
            }
            for edge in &self.edges[node] {
                if reached[edge.target].is_none() && self.names[edge.target] != from {
                    reached[edge.target] = Some((node, *edge));
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }
}

fn relation(atom: &Atom) -> Relation {
    (atom.relation, atom.arguments.len())
}

fn walk_back<'a>(mut node: usize, reached: &[Option<(usize, Edge<'a>)>]) -> Vec<Edge<'a>> {
    let mut chain = Vec::new();
    while let Some((before, edge)) = reached[node] {
        chain.push(edge);
        node = before;
    }
    chain.reverse();
    chain
}

const SHOWN_LINKS: usize = 8;

fn report(keyword: Symbol, chain: &[Edge], names: &[Symbol], why: &str, findings: &mut Findings) {
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return };
    let step =
        |edge: &Edge| format!("`{}` (line {})", findings.name(names[edge.target]), edge.place.line);
    let mut steps: Vec<String> = chain.iter().take(SHOWN_LINKS - 1).map(step).collect();
    if chain.len() > SHOWN_LINKS {
        steps.push(format!("{} more", chain.len() - SHOWN_LINKS));
    }
    if chain.len() >= SHOWN_LINKS {
        steps.push(step(last));
    }
    let keyword = findings.name(keyword);
    let forbidden = findings.name(names[last.target]);
    let chain = steps.join(" → ");
    let message = format!("`{keyword}` depends on `{forbidden}`: `{keyword}` → {chain}");
    findings.error(first.rule, first.place, message, why);
}

/// Tarjan's strongly connected components, with a stack of its own instead of
/// recursion: a chain of relations can be as long as the source.
struct Components<'g, 'a> {
    edges: &'g [Vec<Edge<'a>>],
    order: Vec<usize>,
    lowest: Vec<usize>,
    component: Vec<usize>,
    open: Vec<usize>,
    visited: usize,
}

const UNKNOWN: usize = usize::MAX;

impl<'g, 'a> Components<'g, 'a> {
    /// The component of each node.
    fn of(edges: &'g [Vec<Edge<'a>>]) -> Vec<usize> {
        let unknown = vec![UNKNOWN; edges.len()];
        let mut search = Components {
            edges,
            order: unknown.clone(),
            lowest: unknown.clone(),
            component: unknown,
            open: Vec::new(),
            visited: 0,
        };
        for node in 0..edges.len() {
            if search.order[node] == UNKNOWN {
                search.explore(node);
            }
        }
        search.component
    }

    fn explore(&mut self, root: usize) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(edge) = self.edges[node].get(*next) {
                *next += 1;
                if self.order[edge.target] == UNKNOWN {
                    self.enter(edge.target);
                    path.push((edge.target, 0));
                } else if self.component[edge.target] == UNKNOWN {
                    self.lowest[node] = self.lowest[node].min(self.order[edge.target]);
                }
            } else {
                path.pop();
                self.leave(node, path.last().map(|(parent, _)| *parent));
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.visited;
        self.lowest[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.lowest[parent] = self.lowest[parent].min(self.lowest[node]);
        }
        if self.lowest[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = node;
            if member == node {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn what_is_asked_before_the_move_cannot_need_the_move() {
        assert_error("(<= (legal r b) (does r a))", 17, &["`legal` → `does` (line 2)"]);
        assert_error("(<= (goal r 0) (not (does r a)))", 21, &["`goal` → `does`"]);
        assert_error("(<= terminal (or (true s) (does r a)))", 27, &["`terminal` → `does`"]);
    }

    #[test]
    fn the_chain_is_named() {
        let rules = "(<= (legal r b) p) (<= p\n q) (<= q\n (does r a))";
        assert_error(rules, 17, &["`legal` → `p` (line 2) → `q` (line 3) → `does` (line 4)"]);
    }

    #[test]
    fn long_chains_are_shortened() {
        let links: String =
            (0..20).map(|i| format!("(<= (p {i}) (p{i})) (<= p{i} p{})", i + 1)).collect();
        let links = links.replace("(p 0)", "(init x)");
        let found = findings(&format!("{links} (<= p20 (true s))"));
        let error = found.iter().find(|finding| finding.is_error()).unwrap();
        assert!(error.message.contains("→ 14 more → `true` (line 2)"), "{error}");
    }

    #[test]
    fn what_is_fixed_cannot_need_the_state() {
        assert_error("(<= (init t) (true s))", 14, &["`init` → `true`"]);
        assert_error(
            "(<= (role q) (legal q a)) (<= (legal r b) (true s))",
            14,
            &["`role` → `legal`"],
        );
        assert_error("(<= (base s) (true s))", 14, &["`base` → `true`"]);
    }

    #[test]
    fn the_rest_may_need_it() {
        assert_fine("(<= (next t) p) (<= p (does r a)) (<= (legal r b) (true s))");
        assert_fine("(<= terminal (legal r a)) (<= (goal r 0) terminal) (<= (init (c ?x)) (e ?x))");
    }

    fn recursive(rules: &str) -> Vec<bool> {
        let description = crate::parse(rules.as_bytes()).unwrap();
        let graph = Dependencies::new(&description);
        let mut answers = Vec::new();
        for rule in &description.rules {
            rule.for_each_body_atom(&mut |atom| answers.push(graph.recurse(&rule.head, atom)));
        }
        answers
    }

    #[test]
    fn cycles_are_found() {
        assert_eq!(recursive("(<= p p)"), [true]);
        assert_eq!(recursive("(<= p q) (<= q r) (<= r q)"), [false, true, true]);
        assert_eq!(recursive("(<= p (not q)) (<= q (or r p))"), [true, false, true]);
        assert_eq!(recursive("(<= (p 1) (p 1 2))"), [false]);
        assert_eq!(
            recursive("(<= a b c) (<= b d) (<= c d) (<= d e) (<= e b)"),
            [false, false, true, false, true, true]
        );
    }

    #[test]
    fn long_chains_need_no_stack() {
        let chain: String = (0..50_000).map(|i| format!("(<= p{i} p{})", i + 1)).collect();
        assert!(recursive(&format!("{chain}(<= p50000 p0)")).iter().all(|&cycle| cycle));
    }
}
