//! The plans that come with Ruche. Each is a file of its own in
//! `host/study/plans`; here they are found by name.

use super::{Plan, PlanError};

/// A plan that comes with Ruche.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What a person types.
    pub name: &'static str,
    /// The plan in TOML.
    pub text: &'static str,
}

macro_rules! plans {
    ($($name:literal),* $(,)?) => {
        const PLANS: &[Builtin] = &[$(
            Builtin {
                name: $name,
                text: include_str!(concat!("../../plans/", $name, ".toml")),
            },
        )*];
    };
}

plans!["quick", "fig6.5", "fig6.6", "fig6.7", "fig6.8", "beyond", "tree"];

/// All of them.
#[must_use]
pub fn all() -> &'static [Builtin] {
    PLANS
}

/// The one of exactly this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    PLANS.iter().find(|plan| plan.name == name)
}

impl Builtin {
    /// The plan.
    ///
    /// # Errors
    /// Never, as the tests make sure.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        Plan::parse(self.name, self.name, self.text)
    }
}
