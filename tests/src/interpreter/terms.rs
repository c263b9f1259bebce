//! Ground terms, interned: equal terms have equal [`Value`]s.

use ruche_gdl::{Symbol, Symbols};
use rustc_hash::FxHashMap;

/// A ground term of one interpreter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(u32);

/// What a ground term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    Constant(Symbol),
    Compound(Symbol, Box<[Value]>),
}

/// All ground terms seen so far.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    symbols: Symbols,
    nodes: Vec<Node>,
    values: FxHashMap<Node, Value>,
}

impl Terms {
    pub fn new(symbols: Symbols) -> Self {
        Terms { symbols, nodes: Vec::new(), values: FxHashMap::default() }
    }

    pub fn intern(&mut self, node: Node) -> Value {
        if let Some(&value) = self.values.get(&node) {
            return value;
        }
        let value = Value(u32::try_from(self.nodes.len()).expect("fewer terms than memory"));
        self.nodes.push(node.clone());
        self.values.insert(node, value);
        value
    }

    pub fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    pub fn text(&self, value: Value) -> String {
        match self.node(value) {
            Node::Constant(symbol) => self.symbols.name(*symbol).to_owned(),
            Node::Compound(function, arguments) => {
                let arguments: String =
                    arguments.iter().map(|&argument| format!(" {}", self.text(argument))).collect();
                format!("({}{arguments})", self.symbols.name(*function))
            }
        }
    }

    /// The term with this text, or nothing if the text is not one ground term.
    pub fn read(&mut self, text: &str) -> Option<Value> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace();
        let first = words.next()?;
        let value = self.read_from(first, &mut words)?;
        words.next().is_none().then_some(value)
    }

    fn read_from<'a>(
        &mut self,
        word: &str,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Option<Value> {
        match word {
            ")" => None,
            "(" => self.read_compound(words),
            name => {
                let symbol = self.symbols.intern(name);
                Some(self.intern(Node::Constant(symbol)))
            }
        }
    }

    fn read_compound<'a>(&mut self, words: &mut impl Iterator<Item = &'a str>) -> Option<Value> {
        let function = words.next().filter(|name| !matches!(*name, "(" | ")"))?;
        let function = self.symbols.intern(function);
        let mut arguments = Vec::new();
        loop {
            match words.next()? {
                ")" => return Some(self.intern(Node::Compound(function, arguments.into()))),
                word => arguments.push(self.read_from(word, words)?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        let mut terms = Terms::new(Symbols::default());
        for text in ["noop", "(f)", "(cell 1 2 (piece white))"] {
            let value = terms.read(text).unwrap();
            assert_eq!(terms.text(value), text);
            assert_eq!(terms.read(text), Some(value));
        }
        assert_ne!(terms.read("f"), terms.read("(f)"));
    }

    #[test]
    fn what_is_no_term_is_refused() {
        let mut terms = Terms::new(Symbols::default());
        for text in ["", ")", "(f", "(", "()", "a b", "(f) a", "((f))"] {
            assert_eq!(terms.read(text), None, "{text}");
        }
    }
}
