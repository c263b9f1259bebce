//! Strongly connected components (Tarjan), iterative so that long chains of
//! rules do not overflow the stack.

use crate::index::{Id, IndexVec, first};

/// Edges from things of one kind to things of another, in compressed rows: those of
/// `node` are `targets[starts[node]..starts[node + 1]]`.
pub(crate) struct Graph<F, T = F> {
    starts: IndexVec<F, u32>,
    targets: Vec<T>,
}

impl<F: Id, T: Id> Graph<F, T> {
    /// A graph of `nodes` nodes from a list of edges.
    pub(crate) fn from_edges(nodes: usize, edges: &[(F, T)]) -> Self {
        let mut starts = IndexVec::filled(0u32, nodes + 1);
        for &(from, _) in edges {
            starts[from.plus(1)] += 1;
        }
        for node in first::<F>(nodes) {
            starts[node.plus(1)] += starts[node];
        }
        let mut cursor = starts.clone();
        let mut targets = vec![T::new(0); edges.len()];
        for &(from, to) in edges {
            targets[cursor[from] as usize] = to;
            cursor[from] += 1;
        }
        Graph { starts, targets }
    }

    /// Where the edges of `node` lead.
    pub(crate) fn targets(&self, node: F) -> &[T] {
        &self.targets[self.starts[node] as usize..self.starts[node.plus(1)] as usize]
    }
}

impl<N: Id> Graph<N> {
    /// The components, each after all components that it points to.
    pub(crate) fn components(&self) -> Vec<Vec<N>> {
        Search::new(self).run()
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search<'g, N> {
    graph: &'g Graph<N>,
    order: IndexVec<N, u32>,
    low: IndexVec<N, u32>,
    open: IndexVec<N, bool>,
    stack: Vec<N>,
    /// Nodes on the path from the root, with the next edge to follow.
    path: Vec<(N, usize)>,
    seen: u32,
    found: Vec<Vec<N>>,
}

impl<'g, N: Id> Search<'g, N> {
    fn new(graph: &'g Graph<N>) -> Self {
        let nodes = graph.starts.len() - 1;
        Search {
            graph,
            order: IndexVec::filled(UNSEEN, nodes),
            low: IndexVec::filled(0, nodes),
            open: IndexVec::filled(false, nodes),
            stack: Vec::new(),
            path: Vec::new(),
            seen: 0,
            found: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Vec<N>> {
        for root in self.order.ids() {
            if self.order[root] == UNSEEN {
                self.enter(root);
                self.walk();
            }
        }
        self.found
    }

    fn enter(&mut self, node: N) {
        self.order[node] = self.seen;
        self.low[node] = self.seen;
        self.seen += 1;
        self.open[node] = true;
        self.stack.push(node);
        self.path.push((node, 0));
    }

    fn walk(&mut self) {
        while let Some(&(node, edge)) = self.path.last() {
            match self.graph.targets(node).get(edge) {
                Some(&target) => {
                    self.path.last_mut().expect("just seen").1 += 1;
                    self.follow(node, target);
                }
                None => self.leave(node),
            }
        }
    }

    fn follow(&mut self, node: N, target: N) {
        if self.order[target] == UNSEEN {
            self.enter(target);
        } else if self.open[target] {
            self.lower(node, self.order[target]);
        }
    }

    fn leave(&mut self, node: N) {
        self.path.pop();
        if let Some(&(parent, _)) = self.path.last() {
            self.lower(parent, self.low[node]);
        }
        if self.low[node] == self.order[node] {
            self.close(node);
        }
    }

    fn lower(&mut self, node: N, to: u32) {
        let low = &mut self.low[node];
        *low = (*low).min(to);
    }

    fn close(&mut self, root: N) {
        let start = self.stack.iter().rposition(|&n| n == root).expect("root is open");
        let component = self.stack.split_off(start);
        component.iter().for_each(|&n| self.open[n] = false);
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::define_index;

    define_index! { struct Town; }

    fn graph(towns: usize, roads: impl IntoIterator<Item = (usize, usize)>) -> Graph<Town> {
        let roads = roads.into_iter().map(|(from, to)| (Town::new(from), Town::new(to)));
        Graph::from_edges(towns, &roads.collect::<Vec<_>>())
    }

    #[test]
    fn components_come_after_what_they_point_to() {
        let graph = graph(5, [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0)]);
        let mut found = graph.components();
        found.iter_mut().for_each(|c| c.sort_unstable());
        let expected = [vec![3], vec![1, 2], vec![0], vec![4]];
        assert_eq!(found, expected.map(|c| c.into_iter().map(Town::new).collect::<Vec<_>>()));
    }

    #[test]
    fn a_long_chain_does_not_overflow() {
        let chain = graph(200_001, (0..200_000).map(|n| (n, n + 1)));
        assert_eq!(chain.components().len(), 200_001);
    }
}
