//! Ground terms: equal ones have equal numbers.

use ruche_gdl::{Symbol, Symbols};
use rustc_hash::FxHashMap;

/// A ground term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Value(u32);

/// What a ground term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    Constant(Symbol),
    Compound(Symbol, Box<[Value]>),
}

/// A term with numbered variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    Variable(usize),
    Ground(Value),
    Compound(Symbol, Box<[Pattern]>),
}

/// What variables stand for.
pub(super) type Bindings = [Option<Value>];

/// All ground terms that were seen.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    symbols: Symbols,
    nodes: Vec<Node>,
    /// How deep each nests.
    depths: Vec<u32>,
    values: FxHashMap<Node, Value>,
}

impl Terms {
    pub fn new(symbols: Symbols) -> Self {
        Self { symbols, nodes: Vec::new(), depths: Vec::new(), values: FxHashMap::default() }
    }

    pub fn intern(&mut self, node: Node) -> Value {
        if let Some(&value) = self.values.get(&node) {
            return value;
        }
        let value = Value(self.nodes.len() as u32);
        let depth = match &node {
            Node::Constant(_) => 0,
            Node::Compound(_, inner) => {
                1 + inner.iter().map(|value| self.depth(*value)).max().unwrap_or(0)
            }
        };
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.values.insert(node, value);
        value
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn depth(&self, value: Value) -> u32 {
        self.depths[value.0 as usize]
    }

    pub fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    pub fn text(&self, value: Value) -> String {
        match self.node(value) {
            Node::Constant(symbol) => self.symbols.name(*symbol).to_owned(),
            Node::Compound(function, inner) => {
                let inner: String =
                    inner.iter().map(|value| format!(" {}", self.text(*value))).collect();
                format!("({}{inner})", self.symbols.name(*function))
            }
        }
    }

    /// The term that a text is, if it is one.
    pub fn read(&mut self, text: &str) -> Option<Value> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut open: Vec<(Symbol, Vec<Value>)> = Vec::new();
        let mut words = spaced.split_whitespace();
        let mut whole = None;
        while let Some(word) = words.next() {
            let value = match word {
                _ if whole.is_some() => return None,
                "(" => {
                    let name = words.next().filter(|name| !matches!(*name, "(" | ")"))?;
                    open.push((self.symbols.intern(name), Vec::new()));
                    continue;
                }
                ")" => {
                    let (function, inner) = open.pop()?;
                    self.intern(Node::Compound(function, inner.into()))
                }
                name => {
                    let symbol = self.symbols.intern(name);
                    self.intern(Node::Constant(symbol))
                }
            };
            match open.last_mut() {
                Some((_, inner)) => inner.push(value),
                None => whole = Some(value),
            }
        }
        whole.filter(|_| open.is_empty())
    }

    /// The term that a pattern stands for, if all its variables are bound.
    pub fn instance(&mut self, pattern: &Pattern, bindings: &Bindings) -> Option<Value> {
        match pattern {
            Pattern::Variable(number) => bindings[*number],
            Pattern::Ground(value) => Some(*value),
            Pattern::Compound(function, inner) => {
                let inner: Option<Box<[Value]>> =
                    inner.iter().map(|each| self.instance(each, bindings)).collect();
                Some(self.intern(Node::Compound(*function, inner?)))
            }
        }
    }

    /// Whether a term is what a pattern stands for; binds variables that are not, and
    /// remembers them in the trail.
    pub fn matches(
        &self,
        pattern: &Pattern,
        value: Value,
        bindings: &mut Bindings,
        trail: &mut Vec<usize>,
    ) -> bool {
        match pattern {
            Pattern::Ground(ground) => *ground == value,
            Pattern::Variable(number) => match bindings[*number] {
                Some(bound) => bound == value,
                None => {
                    bindings[*number] = Some(value);
                    trail.push(*number);
                    true
                }
            },
            Pattern::Compound(function, inner) => match self.node(value) {
                Node::Compound(found, values)
                    if found == function && values.len() == inner.len() =>
                {
                    let mut pairs = inner.iter().zip(values);
                    pairs.all(|(each, value)| self.matches(each, *value, bindings, trail))
                }
                _ => false,
            },
        }
    }
}
