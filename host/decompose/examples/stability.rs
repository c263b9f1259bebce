//! Decomposes games again with other seeds and with the rules written otherwise: all names
//! changed, all rules turned round, and ground. `toolchain/decompositions stable` calls it.
//!
//! Parts are compared by kind, use and fluents; in renamed rules by the names that these
//! became. Which moves of a part were seen to act is left out: it grows with what is seen.

use ruche_compiler::{EmitFormat, Options, Stage, emit};
use ruche_decompose::{Decomposition, Settings, decompose};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let corpus = PathBuf::from(arguments.next().ok_or("usage: stability CORPUS [EVERY] [SEEDS]")?);
    let every: usize = arguments.next().map_or(Ok(1), |every| every.parse())?;
    let seeds: u64 = arguments.next().map_or(Ok(20), |seeds| seeds.parse())?;
    let (mut games, mut differing, mut skipped) = (0, 0, 0);
    for path in paths(&corpus.join("games"))?.into_iter().step_by(every.max(1)) {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(first) = parts(&fs::read(&path)?, 0) else {
            skipped += 1;
            continue;
        };
        let changed = changed_by(&fs::read(&path)?, &first, seeds)?;
        games += 1;
        differing += usize::from(!changed.is_empty());
        println!(
            "{id}: {}",
            if changed.is_empty() { "the same".into() } else { changed.join(", ") }
        );
    }
    println!("{games} games, {differing} of them not always the same, {skipped} beyond a limit");
    if differing > 0 { Err("some decompositions are not stable".into()) } else { Ok(()) }
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "kif"));
    files.sort();
    Ok(files)
}

/// What is said of a part: its kind, whether it is useful, and its fluents.
type Part = (&'static str, bool, BTreeSet<String>);

fn parts(source: &[u8], seed: u64) -> Option<BTreeSet<Part>> {
    let (description, _) = ruche_gdl::load(source).ok()?;
    let found = decompose(&description, &Settings { seed, ..Settings::default() }).ok()?;
    Some(described(&found))
}

fn described(found: &Decomposition) -> BTreeSet<Part> {
    let names = |names: &[String]| names.iter().cloned().collect();
    found.subgames.iter().map(|p| (p.kind.name(), p.useful, names(&p.fluents))).collect()
}

/// What makes a difference.
fn changed_by(
    source: &[u8],
    first: &BTreeSet<Part>,
    seeds: u64,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut changed = Vec::new();
    for seed in 1..seeds {
        if parts(source, seed).as_ref() != Some(first) {
            changed.push(format!("seed {seed}"));
        }
    }
    let (description, _) = ruche_gdl::load(source).map_err(|_| "no sound description")?;
    let mut ground = Vec::new();
    emit(Stage::Ground, EmitFormat::Text, &description, &Options::default(), &mut ground)?;
    // Ground rules of some games are longer than a description may be.
    if ruche_gdl::load(&ground).is_ok() && parts(&ground, 0).as_ref() != Some(first) {
        changed.push("ground".into());
    }
    let text = String::from_utf8_lossy(source);
    if parts(turned(&text).as_bytes(), 0).as_ref() != Some(first) {
        changed.push("order".into());
    }
    let new_names: BTreeSet<Part> = first.iter().map(renamed_part).collect();
    if parts(renamed(&text).as_bytes(), 0).as_ref() != Some(&new_names) {
        changed.push("names".into());
    }
    Ok(changed)
}

fn renamed_part((kind, useful, fluents): &Part) -> Part {
    (kind, *useful, fluents.iter().map(|name| renamed(name)).collect())
}

/// Words that mean something to everybody.
const KEYWORDS: [&str; 14] = [
    "role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "not",
    "or", "distinct", "<=",
];

/// Names are turned round, so that they sort otherwise; goal values must stay numbers, and so
/// all numbers do.
fn renamed(text: &str) -> String {
    let mut renamed = String::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        for word in line.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')') {
            let name = word.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == ')');
            renamed += &new_name(name);
            renamed += &word[name.len()..];
        }
        renamed.push('\n');
    }
    renamed.trim_end().to_owned()
}

fn new_name(name: &str) -> String {
    let is_kept = name.starts_with('?') || name.parse::<u32>().is_ok();
    if name.is_empty() || is_kept || KEYWORDS.contains(&name.to_lowercase().as_str()) {
        return name.to_owned();
    }
    name.chars().rev().chain(['x']).collect()
}

/// The last rule first; the order of roles stays, since it is part of the game.
fn turned(text: &str) -> String {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut rules: Vec<String> = Vec::new();
    let (mut depth, mut rule) = (0, String::new());
    for letter in text.chars() {
        rule.push(letter);
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && letter == ')' {
            rules.push(std::mem::take(&mut rule));
        }
    }
    let is_role = |rule: &String| rule.trim_start_matches(['(', ' ']).starts_with("role");
    let (roles, mut rules): (Vec<String>, Vec<String>) = rules.into_iter().partition(is_role);
    rules.reverse();
    roles.into_iter().chain(rules).collect::<Vec<_>>().join("\n")
}
