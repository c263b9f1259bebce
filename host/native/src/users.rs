//! Who reads what: the edges of a graph the other way round.

use crate::graph::{Graph, Node};
use crate::tape::Literal;

/// Who reads each node.
pub(crate) struct Users {
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// Results that read a node as it is, and those that read its complement.
    pub(crate) results: Vec<[u32; 2]>,
}

impl Users {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut starts = vec![0_u32; graph.nodes.len() + 1];
        let operands = |node: &Node| node.operands().map(Literal::value);
        graph.nodes.iter().flat_map(operands).for_each(|operand| starts[operand + 1] += 1);
        (1..starts.len()).for_each(|node| starts[node] += starts[node - 1]);
        let mut free = starts.clone();
        let mut readers = vec![0; *starts.last().unwrap_or(&0) as usize];
        for (reader, node) in graph.nodes.iter().enumerate() {
            for operand in operands(node) {
                readers[free[operand] as usize] = reader as u32;
                free[operand] += 1;
            }
        }
        let mut results = vec![[0; 2]; graph.nodes.len()];
        for literal in graph.results() {
            results[literal.value()][usize::from(literal.is_complement())] += 1;
        }
        Self { starts, readers, results }
    }

    pub(crate) fn readers(&self, node: usize) -> &[u32] {
        &self.readers[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
