//! Ground terms, hash-consed: equal terms have equal numbers, so that the
//! grounder joins on plain integers.

use crate::index::{Id, IndexVec, define_index};
use ruche_gdl::{Symbol, Symbols};
use rustc_hash::FxHashMap;

define_index! {
    /// A ground term.
    pub(crate) struct TermId;
}

#[derive(Clone, Copy)]
struct Node {
    functor: Symbol,
    first: u32,
    /// Number of arguments, or `CONSTANT`: `(f)` and `f` are different terms.
    arity: u16,
    /// How deep compounds are nested; a constant has depth zero.
    depth: u16,
    /// Names in it, as often as they are written. Terms share their parts: what is
    /// written can be as long as two to the power of the depth.
    size: u32,
}

const CONSTANT: u16 = u16::MAX;

/// The table of all ground terms.
#[derive(Default)]
pub(crate) struct Terms {
    nodes: IndexVec<TermId, Node>,
    arguments: Vec<TermId>,
    constants: FxHashMap<Symbol, TermId>,
    compounds: FxHashMap<Box<[u32]>, TermId>,
    key: Vec<u32>,
}

impl Terms {
    /// The constant `symbol`.
    pub(crate) fn constant(&mut self, symbol: Symbol) -> TermId {
        if let Some(&id) = self.constants.get(&symbol) {
            return id;
        }
        let id = self.push(symbol, CONSTANT, 0, 1);
        self.constants.insert(symbol, id);
        id
    }

    /// The compound `functor(arguments…)`.
    pub(crate) fn compound(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        if let Some(id) = self.find_compound(functor, arguments) {
            return id;
        }
        let deepest = arguments.iter().map(|&a| self.depth(a)).max().unwrap_or(0);
        let size = arguments.iter().fold(1u32, |size, &a| size.saturating_add(self.size(a)));
        let id = self.push(functor, arguments.len() as u16, deepest + 1, size);
        self.arguments.extend_from_slice(arguments);
        self.compounds.insert(self.key.as_slice().into(), id);
        id
    }

    /// The compound if it exists already.
    pub(crate) fn find_compound(
        &mut self,
        functor: Symbol,
        arguments: &[TermId],
    ) -> Option<TermId> {
        self.key.clear();
        self.key.push(functor.index() as u32);
        self.key.extend(arguments.iter().map(|a| a.index() as u32));
        self.compounds.get(self.key.as_slice()).copied()
    }

    fn push(&mut self, functor: Symbol, arity: u16, depth: u16, size: u32) -> TermId {
        let first = self.arguments.len() as u32;
        self.nodes.push(Node { functor, first, arity, depth, size })
    }

    /// Functor and arguments of a compound, `None` for a constant.
    pub(crate) fn as_compound(&self, term: TermId) -> Option<(Symbol, &[TermId])> {
        let node = self.nodes[term];
        (node.arity != CONSTANT).then(|| {
            let first = node.first as usize;
            (node.functor, &self.arguments[first..first + usize::from(node.arity)])
        })
    }

    /// How deep compounds are nested; a constant has depth zero.
    pub(crate) fn depth(&self, term: TermId) -> u16 {
        self.nodes[term].depth
    }

    /// How many names the term is written with.
    pub(crate) fn size(&self, term: TermId) -> u32 {
        self.nodes[term].size
    }

    /// The term as KIF text with single spaces.
    pub(crate) fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let mut text = String::new();
        self.write(term, symbols, &mut text);
        text
    }

    fn write(&self, term: TermId, symbols: &Symbols, text: &mut String) {
        let node = self.nodes[term];
        let Some((functor, arguments)) = self.as_compound(term) else {
            text.push_str(symbols.name(node.functor));
            return;
        };
        text.push('(');
        text.push_str(symbols.name(functor));
        for &argument in arguments {
            text.push(' ');
            self.write(argument, symbols, text);
        }
        text.push(')');
    }
}
