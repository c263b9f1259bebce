//! A decomposition as a picture for Graphviz.

use crate::report::{Decomposition, Kind, LinkKind, Proof, Subgame};
use std::fmt::Write;

/// Fluents of a part that are shown.
const MOST_SHOWN: usize = 8;

impl Decomposition {
    /// The parts as boxes, with what links them, in the language of Graphviz.
    #[must_use]
    pub fn dot(&self, game: &str) -> String {
        let mut text = String::from("digraph decomposition {\n  rankdir=LR;\n");
        text += "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  label=\"{}\";", escaped(game));
        text += "  end [shape=oval]; score [shape=oval];\n";
        for (number, part) in self.subgames.iter().enumerate() {
            let style = if part.useful { "rounded" } else { "rounded,dashed" };
            let label = label(number, part);
            let _ = writeln!(text, "  part{number} [label=\"{label}\", style=\"{style}\"];");
            if part.terminal {
                let _ = writeln!(text, "  part{number} -> end;");
            }
            if !part.roles.is_empty() {
                let roles = escaped(&part.roles.join(", "));
                let _ = writeln!(text, "  part{number} -> score [label=\"{roles}\"];");
            }
        }
        for link in &self.links {
            let style = match link.kind {
                LinkKind::Allows => "style=dashed",
                LinkKind::Starts => "style=bold, label=\"then\"",
            };
            let _ = writeln!(text, "  part{} -> part{} [{style}];", link.from, link.to);
        }
        text + "}\n"
    }
}

fn label(number: usize, part: &Subgame) -> String {
    let proof = match part.proof {
        Proof::Proved => "proved".to_owned(),
        Proof::Seen { states } => format!("seen on {states} states"),
    };
    let mut lines = vec![format!("{} {}, {proof}", part.kind.name(), number + 1)];
    if part.kind == Kind::Play {
        lines.push(format!("{} moves", part.moves.len()));
    }
    lines.extend(part.fluents.iter().take(MOST_SHOWN).cloned());
    if part.fluents.len() > MOST_SHOWN {
        lines.push(format!("and {} more", part.fluents.len() - MOST_SHOWN));
    }
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\\n")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
