//! Settings by name, as people type them: `exploration=1.4`. A setting is a line of the
//! table here; it has the name of its flag of `ruche search`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::SearchOptions;

/// A setting that has a name.
struct Key {
    name: &'static str,
    set: fn(&mut SearchOptions, &str) -> Result<(), String>,
    get: fn(&SearchOptions) -> String,
}

macro_rules! keys {
    ($($name:literal: $field:ident as $form:ident,)+) => {
        const KEYS: &[Key] = &[$(Key {
            name: $name,
            set: |options, text| $form::read(text).map(|value| options.$field = value),
            get: |options| $form::write(options.$field),
        }),+];
    };
}

keys! {
    "batch": batch as count,
    "playouts-per-position": playouts_per_position as count,
    "in-flight": in_flight as count,
    "order": order as name,
    "exploration": exploration as decimal,
    "prior": prior as decimal,
    "proofs": proofs as name,
    "decompose": decompose as name,
    "trees": trees as count,
    "merge": merge as name,
    "policy": policy as name,
    "memory": memory as megabytes,
}

mod count {
    use crate::quantity::number;

    pub fn read<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
        let found = number(text).and_then(|number| T::try_from(number).ok());
        found.ok_or_else(|| "give a whole number, such as 256 or 20k".to_owned())
    }

    pub fn write(number: impl ToString) -> String {
        number.to_string()
    }
}

mod decimal {
    pub fn read(text: &str) -> Result<f64, String> {
        text.parse().map_err(|_| "give a number, such as 0.2".to_owned())
    }

    pub fn write(number: f64) -> String {
        number.to_string()
    }
}

mod name {
    use ruche_shared::names::Named;

    pub fn read<T: Named>(text: &str) -> Result<T, String> {
        T::of_name(text).map_err(|error| error.to_string())
    }

    pub fn write(named: impl Named) -> String {
        named.name().to_owned()
    }
}

mod megabytes {
    use crate::quantity;

    const MEGABYTE: u64 = 1 << 20;

    pub fn read(text: &str) -> Result<u64, String> {
        quantity::megabytes(text).map(|megabytes| megabytes.saturating_mul(MEGABYTE))
    }

    pub fn write(bytes: u64) -> String {
        (bytes as f64 / MEGABYTE as f64).to_string()
    }
}

/// Why a setting cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is none of this name.
    #[error("there is no setting `{key}`; possible: {}", names())]
    Unknown {
        /// What was typed.
        key: String,
    },
    /// It cannot have this value.
    #[error("{key}={text}: {wanted}")]
    Value {
        /// The setting.
        key: &'static str,
        /// What was typed.
        text: String,
        /// What should be.
        wanted: String,
    },
}

fn names() -> String {
    SearchOptions::keys().collect::<Vec<_>>().join(", ")
}

impl SearchOptions {
    /// The names of all settings.
    pub fn keys() -> impl Iterator<Item = &'static str> + Clone {
        KEYS.iter().map(|key| key.name)
    }

    /// Sets the setting of this name to what the text says. Whether all settings together
    /// make sense is for [`check`](Self::check) to say.
    ///
    /// # Errors
    /// If there is no such setting, or the text is no value of it.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), OptionError> {
        let known = KEYS.iter().find(|known| known.name == key);
        let known = known.ok_or_else(|| OptionError::Unknown { key: key.to_owned() })?;
        (known.set)(self, text).map_err(|wanted| {
            let text = text.to_owned();
            OptionError::Value { key: known.name, text, wanted }
        })
    }
}

impl FromStr for SearchOptions {
    type Err = OptionError;

    /// Settings as they are typed and printed, `batch=64,prior=0`; `default` changes none.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for setting in text.split(',').filter(|setting| *setting != "default") {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            options.set(key.trim(), value.trim())?;
        }
        Ok(options)
    }
}

impl fmt::Display for SearchOptions {
    /// All settings, as they would be typed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, key) in KEYS.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(formatter, "{comma}{}={}", key.name, (key.get)(self))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decompose, Merge, Order, Proofs};
    use ruche_game::PlayoutPolicy;

    #[test]
    fn settings_are_set_by_name() {
        let mut options = SearchOptions::default();
        let values = [
            ("batch", "64"),
            ("playouts-per-position", "1k"),
            ("in-flight", "3"),
            ("order", "arrival"),
            ("exploration", "1.4"),
            ("prior", "3.5"),
            ("proofs", "off"),
            ("decompose", "off"),
            ("trees", "3"),
            ("merge", "vote"),
            ("policy", "uniform"),
            ("memory", "2G"),
        ];
        values.iter().for_each(|(key, text)| options.set(key, text).unwrap());
        let expected = SearchOptions {
            batch: 64,
            playouts_per_position: 1000,
            in_flight: 3,
            order: Order::Arrival,
            exploration: 1.4,
            prior: 3.5,
            proofs: Proofs::Off,
            decompose: Decompose::Off,
            trees: 3,
            merge: Merge::Vote,
            policy: PlayoutPolicy::Uniform,
            memory: 2 << 30,
        };
        assert_eq!(options, expected);
        assert_eq!(values.len(), SearchOptions::keys().count(), "each has been set");
    }

    #[test]
    fn what_is_printed_can_be_set_again() {
        let mut options = SearchOptions { exploration: 0.1 + 0.2, ..SearchOptions::default() };
        options.memory = 256 << 20;
        assert_eq!(options.to_string().parse(), Ok(options));
        assert_eq!("default".parse(), Ok(SearchOptions::default()));
    }

    #[test]
    fn what_cannot_be_set_is_refused_by_name() {
        let refused = |key, text| SearchOptions::default().set(key, text).unwrap_err().to_string();
        assert!(refused("depth", "1").contains("no setting `depth`; possible: batch, "));
        assert!(refused("batch", "-1").starts_with("batch=-1: give a whole number"));
        assert!(refused("playouts-per-position", "1e12").contains("whole number"));
        assert!(refused("order", "random").contains("possible: batch, arrival"));
        assert!(refused("exploration", "much").starts_with("exploration=much: give a number"));
        assert!(refused("memory", "all").contains("megabytes"));
    }
}
