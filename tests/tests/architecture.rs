//! What ARCHITECTURE.md says about `unsafe`, globals, MPI, features and build scripts,
//! compared with the sources. The tables there are read as they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a folder that this says yes to, by their paths from the root.
fn files(folder: &str, wanted: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join(folder)).expect("a readable folder") {
        let entry = entry.expect("a readable entry");
        let name = entry.file_name().into_string().expect("a plain name");
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if entry.file_type().expect("a readable entry").is_dir() {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.insert(path);
        }
    }
    found
}

/// The sources of programs and libraries: tests and benches may do as they like.
fn sources() -> BTreeSet<String> {
    files("", &|path| path.ends_with(".rs") && format!("/{path}").contains("/src/"))
}

fn manifests() -> BTreeSet<String> {
    files("", &|path| path.ends_with("Cargo.toml"))
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Cells of the table below a heading: one row each, without the lines on top.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = read("ARCHITECTURE.md");
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let rows = lines.skip_while(|line| !line.starts_with('|')).take_while(|l| l.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect();
    let rows: Vec<_> = rows.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table below {heading}");
    rows
}

/// All that stands between backticks in a cell, `{a,b}` multiplied out.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).flat_map(expand).collect()
}

fn expand(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let (inside, after) = rest.split_once('}').expect("a closing brace");
    inside.split(',').map(|middle| format!("{before}{middle}{after}")).collect()
}

/// Whether code has the keyword, and not a word of a message.
fn is_unsafe(code: &str) -> bool {
    const AFTER: [&str; 6] = ["{", "fn ", "impl", "trait ", "extern ", "(no_mangle"];
    code.match_indices("unsafe").any(|(place, word)| {
        let rest = code[place + word.len()..].trim_start();
        AFTER.iter().any(|after| rest.starts_with(after))
    })
}

#[test]
fn unsafe_code_is_where_the_architecture_says() {
    let said: BTreeSet<_> =
        table("### Unsafe code").iter().flat_map(|row| names(&row[0])).collect();
    let has = |path: &String| read(path).lines().any(|line| is_unsafe(code(line)));
    let found: BTreeSet<_> = sources().into_iter().filter(has).collect();
    let more: Vec<_> = found.difference(&said).collect();
    let less: Vec<_> = said.difference(&found).collect();
    assert!(more.is_empty(), "ARCHITECTURE.md does not know the unsafe code of {more:?}");
    assert!(less.is_empty(), "ARCHITECTURE.md knows unsafe code that is not there: {less:?}");
}

/// The name of a static that starts in this line.
fn global(line: &str) -> Option<String> {
    let line = code(line).trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let line = line.strip_prefix("static ")?;
    let name = line.strip_prefix("mut ").unwrap_or(line).split(':').next()?;
    Some(name.trim().to_owned())
}

#[test]
fn globals_are_those_that_the_architecture_names() {
    let mut said = BTreeMap::<String, BTreeSet<String>>::new();
    for row in table("### Globals") {
        for path in names(&row[0]) {
            said.entry(path).or_default().extend(names(&row[1]));
        }
    }
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for path in sources() {
        let globals: BTreeSet<_> = read(&path).lines().filter_map(global).collect();
        if !globals.is_empty() {
            found.insert(path, globals);
        }
    }
    assert_eq!(found, said, "left: in the sources; right: in ARCHITECTURE.md");
    for path in sources() {
        assert!(!read(&path).contains("thread_local!"), "{path} has globals for each thread");
    }
}

#[test]
fn crates_that_forbid_unsafe_code_are_those_that_the_architecture_names() {
    let text = read("ARCHITECTURE.md");
    let line = text.lines().find(|line| line.contains("`forbid(unsafe_code)`")).expect("a line");
    let (_, list) = line.split_once("`forbid(unsafe_code)`").expect("a list behind it");
    let forbids = |path: &&String| {
        let forbids = read(path).lines().any(|line| line == "#![forbid(unsafe_code)]");
        assert!(!forbids || path.ends_with("src/lib.rs"), "{path}: not the whole crate");
        forbids
    };
    let sources = sources();
    let folder = |path: &String| path.trim_end_matches("/src/lib.rs").to_owned();
    let found: BTreeSet<_> = sources.iter().filter(forbids).map(folder).collect();
    assert_eq!(found, names(list), "left: in the sources; right: in ARCHITECTURE.md");
}

/// Every block of unsafe code gives its reason, where clippy is told to ask for it.
#[test]
fn every_crate_asks_for_the_reason_of_unsafe_code() {
    for manifest in manifests() {
        let text = read(&manifest);
        let asks = text.contains("[lints]\nworkspace = true")
            || text.contains("undocumented_unsafe_blocks = \"deny\"");
        assert!(asks, "{manifest} does not have the lints of the workspace");
    }
}

#[test]
fn only_the_crate_of_ranks_knows_mpi() {
    let depends = |line: &str| {
        let name = line.split([' ', '.', '=']).next().unwrap_or_default();
        ["mpi", "mpi-sys", "rsmpi"].contains(&name.trim_matches('"')) && !line.contains('[')
            || line.contains("package = \"mpi\"")
            || line.contains("\"dep:mpi\"")
    };
    let knows = |path: &String| read(path).lines().any(depends);
    let found: Vec<_> = manifests().into_iter().filter(knows).collect();
    assert_eq!(found, ["io-node/mpi/Cargo.toml"]);
    for path in sources().iter().filter(|path| !path.starts_with("io-node/mpi/")) {
        let text = read(path);
        let mut lines = text.lines().map(code);
        assert!(!lines.any(|line| line.contains(" mpi::") || line.contains("MPI_")), "{path}");
    }
}

#[test]
fn search_does_not_know_clusters() {
    let manifest = read("host/search/Cargo.toml");
    for below in ["ruche-clusters", "ruche-io-node", "ruche-runtime", "ruche-mpi"] {
        assert!(!manifest.contains(below), "host/search depends on {below}");
    }
}

#[test]
fn there_is_one_build_script_and_no_feature_but_mpi_and_boards() {
    let scripts = files("", &|path| format!("/{path}").ends_with("/build.rs"));
    assert_eq!(scripts, BTreeSet::from(["host/cli/build.rs".to_owned()]));
    for manifest in manifests() {
        let text = read(&manifest);
        let lines = text.lines().skip_while(|line| *line != "[features]").skip(1);
        let features = lines.take_while(|line| !line.starts_with('['));
        for feature in features.filter_map(|line| line.split_once(" = ")) {
            assert!(["mpi", "boards"].contains(&feature.0), "{manifest}: {}", feature.0);
        }
    }
}
