//! Strongly connected components (Tarjan), iterative so that long chains of
//! rules do not overflow the stack.

/// A directed graph in compressed rows: the edges of node `n` are
/// `targets[starts[n]..starts[n + 1]]`.
pub struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph of `nodes` nodes from a list of edges.
    pub fn from_edges(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut cursor = starts.clone();
        let mut targets = vec![0u32; edges.len()];
        for &(from, to) in edges {
            targets[cursor[from as usize] as usize] = to;
            cursor[from as usize] += 1;
        }
        Graph { starts, targets }
    }

    /// Where the edges of `node` lead.
    pub fn targets(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The components, each after all components that it points to.
    pub fn components(&self) -> Vec<Vec<u32>> {
        Search::new(self).run()
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search<'g> {
    graph: &'g Graph,
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<bool>,
    stack: Vec<u32>,
    /// Nodes on the path from the root, with the next edge to follow.
    path: Vec<(u32, usize)>,
    seen: u32,
    found: Vec<Vec<u32>>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Self {
        let nodes = graph.starts.len() - 1;
        Search {
            graph,
            order: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            open: vec![false; nodes],
            stack: Vec::new(),
            path: Vec::new(),
            seen: 0,
            found: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Vec<u32>> {
        for root in 0..self.order.len() as u32 {
            if self.order[root as usize] == UNSEEN {
                self.enter(root);
                self.walk();
            }
        }
        self.found
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.seen;
        self.low[node as usize] = self.seen;
        self.seen += 1;
        self.open[node as usize] = true;
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

    fn follow(&mut self, node: u32, target: u32) {
        if self.order[target as usize] == UNSEEN {
            self.enter(target);
        } else if self.open[target as usize] {
            self.lower(node, self.order[target as usize]);
        }
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        if let Some(&(parent, _)) = self.path.last() {
            self.lower(parent, self.low[node as usize]);
        }
        if self.low[node as usize] == self.order[node as usize] {
            self.close(node);
        }
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn close(&mut self, root: u32) {
        let start = self.stack.iter().rposition(|&n| n == root).expect("root is open");
        let component = self.stack.split_off(start);
        component.iter().for_each(|&n| self.open[n as usize] = false);
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_point_to() {
        let graph = Graph::from_edges(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 0)]);
        let mut found = graph.components();
        found.iter_mut().for_each(|c| c.sort_unstable());
        assert_eq!(found, vec![vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn a_long_chain_does_not_overflow() {
        let edges: Vec<_> = (0..200_000).map(|n| (n, n + 1)).collect();
        assert_eq!(Graph::from_edges(200_001, &edges).components().len(), 200_001);
    }
}
