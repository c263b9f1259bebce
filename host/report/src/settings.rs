//! Settings: what samples can differ by, what it is called, and its values.

use std::cmp::Ordering;

use ruche_shared::names::Named;

use crate::{Clock, Sample};

/// What is to be known of an axis.
struct Traits {
    /// What the axis is called in a sentence and above a column.
    title: &'static str,
    label: Label,
    /// Where a sample lies on it.
    value: fn(&Sample) -> Value,
}

/// How a value is written where other axes are named too.
enum Label {
    Plain,
    /// Behind this text.
    After(&'static str),
    /// Before this text.
    Before(&'static str),
    /// Before the name of one, or of several.
    Counted(&'static str, &'static str),
}

impl Label {
    fn of(&self, value: &Value) -> String {
        match self {
            Label::Plain => value.to_string(),
            Label::After(text) => format!("{text} {value}"),
            Label::Before(text) => format!("{value} {text}"),
            Label::Counted(one, _) if value.number() == Some(1.0) => format!("1 {one}"),
            Label::Counted(_, several) => format!("{value} {several}"),
        }
    }
}

/// Defines [`Axis`] from the list of all, with a line for each of them.
macro_rules! axes {
    ($($(#[$doc:meta])* $Axis:ident: $title:literal, $label:expr, $value:expr;)+) => {
        /// What samples can differ by, other than by chance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Axis {
            $($(#[$doc])* $Axis,)+
        }

        impl Axis {
            pub(crate) const ALL: &[Axis] = &[$(Axis::$Axis),+];

            /// In the order of [`Axis::ALL`].
            const TRAITS: &[Traits] = {
                use Label::{After, Before, Counted, Plain};
                &[$(Traits { title: $title, label: $label, value: $value }),+]
            };
        }
    };
}

// What a sample differs by is a line here.
axes! {
    Game: "game", Plain, |sample| Value::text(&sample.point.game);
    Clusters: "clusters", Counted("cluster", "clusters"), |sample| sample.point.clusters.into();
    Threads: "threads per cluster", Counted("thread", "threads"),
        |sample| sample.point.threads.into();
    Strategy: "strategy", Plain, |sample| Value::name(sample.point.strategy);
    Mode: "mode", Plain, |sample| Value::name(sample.point.mode);
    Word: "lanes of a word", Counted("lane", "lanes"), |sample| sample.point.word.lanes().into();
    PlayoutsPerPosition: "playouts per position",
        Counted("playout per position", "playouts per position"),
        |sample| sample.point.playouts_per_position.into();
    Batch: "positions per run", Counted("position per run", "positions per run"),
        |sample| sample.point.batch.into();
    Bytes: "bytes per position", Counted("byte", "bytes"), |sample| sample.point.bytes.into();
    InFlight: "runs in flight", Before("in flight"), |sample| sample.point.in_flight.into();
    IoNodes: "I/O nodes", Counted("I/O node", "I/O nodes"), |sample| sample.point.io_nodes.into();
    Positions: "positions", Before("positions"), |sample| Value::name(sample.point.positions);
    CostFactor: "cost factor", After("cost ×"), |sample| Value::Number(sample.point.cost_factor);
    /// Clock and machine in one: times of two sources are never mixed.
    Source: "clock", Plain, |sample| Value::Text(source(sample));
    Transport: "transport", Plain, |sample| Value::name(sample.transport);
    Version: "version", After("version"), |sample| Value::text(&sample.version);
}

impl Axis {
    fn traits(self) -> &'static Traits {
        &Self::TRAITS[self as usize]
    }

    /// What the axis is called in a sentence and above a column.
    pub(crate) fn title(self) -> &'static str {
        self.traits().title
    }

    /// A value of this axis where other axes are named too.
    pub(crate) fn label(self, value: &Value) -> String {
        self.traits().label.of(value)
    }

    /// Where a sample lies on this axis.
    pub(crate) fn value(self, sample: &Sample) -> Value {
        (self.traits().value)(sample)
    }

    /// Whether plans may let it grow with the machine, so that it follows from
    /// other settings instead of being one of its own.
    pub(crate) fn may_follow(self) -> bool {
        matches!(self, Axis::Clusters | Axis::Threads | Axis::Batch | Axis::Bytes | Axis::IoNodes)
    }

    /// The axis whose value says this one too, unless plans make a difference of
    /// it: the model is a transport of its own.
    pub(crate) fn leader(self) -> Option<Axis> {
        matches!(self, Axis::Transport | Axis::Version).then_some(Axis::Source)
    }
}

/// By which clock a sample was taken, in words.
fn source(sample: &Sample) -> String {
    match sample.clock {
        Clock::Wall => format!("measured on {}", sample.machine),
        Clock::Model => format!("modelled: {}", sample.machine),
    }
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    fn text(text: &str) -> Self {
        Value::Text(text.to_owned())
    }

    fn name(named: impl Named) -> Self {
        Value::text(named.name())
    }

    /// Names have no size.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Number(number.into())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Number(_), Value::Text(_)) => Ordering::Less,
            (Value::Text(_), Value::Number(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_know_the_singular() {
        assert_eq!(Axis::Clusters.label(&1.into()), "1 cluster");
        assert_eq!(Axis::Clusters.label(&4.into()), "4 clusters");
        assert_eq!(Axis::InFlight.label(&1.into()), "1 in flight");
        assert_eq!(Axis::CostFactor.label(&Value::Number(2.5)), "cost × 2.5");
    }
}
