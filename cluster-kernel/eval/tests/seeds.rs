//! The seeds of the fuzz target `parse_image` are images of this version: a
//! fuzzer that starts from refused bytes finds nothing.
//!
//! After a change of the format write them anew with
//! `RUCHE_WRITE_SEEDS=1 cargo test -p ruche-eval --test seeds`.

#[path = "../../../shared/tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

use support::{Bytes, Circuit, line_of_three, paths};

fn seeds() -> [(&'static str, Bytes); 5] {
    [
        ("line_of_three_narrow", line_of_three(false).encode()),
        ("line_of_three_wide", line_of_three(true).encode()),
        ("paths_narrow", paths(false).encode()),
        ("paths_wide", paths(true).encode()),
        ("no_code", Circuit::new(0, 1, false).encode()),
    ]
}

#[test]
fn seeds_of_the_fuzzer_are_images_of_this_version() {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus/parse_image");
    let write = std::env::var_os("RUCHE_WRITE_SEEDS").is_some();
    for (name, seed) in seeds() {
        let path = folder.join(name);
        if write {
            std::fs::write(&path, seed.bytes()).unwrap();
        }
        let found = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found, seed.bytes(), "{name} is of another version, see above");
        assert!(seed.parse().is_ok(), "{name}");
    }
}
