//! Names of choices, and back.

use ruche_shared::named;
use ruche_shared::names::Named;

named! {
    /// What a hive holds.
    enum Content: "content" = Bees {
        /// Sweet.
        Honey = "honey",
        /// Busy
        /// all day.
        Bees = "bees",
    }
}

#[test]
fn names_lead_to_their_values_and_back() {
    for content in Content::ALL {
        assert_eq!(content.to_string().parse::<Content>().ok(), Some(*content));
    }
    assert_eq!(Content::Honey.about(), "Sweet.");
    assert_eq!(Content::default().about(), "Busy all day.");
}

#[test]
fn unknown_names_tell_those_that_there_are() {
    let error = "wax".parse::<Content>().unwrap_err().to_string();
    assert_eq!(error, "there is no content of this name; possible: honey, bees");
}
