//! What a search has found, for a person or a program.

mod answers;
mod moves;

use std::time::Duration;

use ruche_game::{Game, Names, PlayoutPolicy, State};
use ruche_offload::{Attributes, VirtualTime};
use ruche_search::{MoveReport, Progress, SearchReport};
use ruche_shared::Transport;
use serde_json::{Value, json};

use crate::arguments::{Format, SearchCommand};
use crate::output::{Align, grouped, rate, table};
use moves::{Document, Joint, Moves};

/// Moves of a role that the table shows; JSON has all.
const SHOWN_MOVES: usize = 10;

/// Joint moves of a line that the table shows.
const SHOWN_PLIES: usize = 4;

/// Above what was found until somebody stopped the search.
const STOPPED: &str = "stopped before its limit: this is what was found until then\n\n";

/// The words of a joint move. What a role does that has nothing to do is left
/// out, where another does something.
pub fn joint(names: &Names, numbers: &[u32]) -> String {
    let words: Vec<&str> = full_joint(names, numbers).collect();
    let busy: Vec<&str> =
        words.iter().copied().filter(|word| !word.eq_ignore_ascii_case("noop")).collect();
    if busy.is_empty() { words.join(" ") } else { busy.join(" ") }
}

/// How far a search is, in a line: how fast, the best move, and the means of all roles.
pub fn live(names: &Names, progress: &Progress) -> String {
    let means: Vec<String> = progress.means.iter().map(|mean| format!("{mean:.0}")).collect();
    let rate = grouped(rate(progress.playouts, progress.time) as u64);
    let best = joint(names, &progress.best);
    let score = progress.best_score.map(|score| format!(", best score {score}"));
    let score = score.unwrap_or_default();
    format!("{rate} playouts/s, best {best} ({}){score}", means.join(" "))
}

/// A joint move with all that roles do.
fn full_joint<'a>(names: &'a Names, numbers: &'a [u32]) -> impl Iterator<Item = &'a str> {
    let word = |(role, number): (usize, &u32)| names.moves(role)[*number as usize].as_str();
    numbers.iter().enumerate().map(word)
}

/// What is needed to tell about a report.
pub struct Findings<'a> {
    /// What was asked for.
    pub command: &'a SearchCommand,
    /// What things are called.
    pub names: &'a Names,
    /// Where the playouts were played.
    pub transport: Transport,
    /// What the offload says of itself: which word was used, on how many clusters.
    pub attributes: Attributes,
    /// How long a cluster played on average; without clusters nobody knows.
    pub playing: Option<Duration>,
    /// How long it took on a machine that is modelled.
    pub virtual_time: Option<VirtualTime>,
    /// Where the search began.
    pub state: &'a State,
    /// The game that playouts were played in.
    pub played: &'a Game,
    /// The time of this process on all processors, while it searched.
    pub cpu: Duration,
}

impl Findings<'_> {
    /// The report in the format that was asked for.
    pub fn text_or_json(&self, report: &SearchReport) -> String {
        match self.command.format {
            Format::Text => self.text(report),
            Format::Json => self.document(report),
        }
    }

    /// One JSON document. A game may have tens of thousands of moves, so that they are not
    /// made values before.
    fn document(&self, report: &SearchReport) -> String {
        let moves = Moves { names: self.names, roles: &report.roles };
        let document = Document { about: self.about_json(report), moves };
        let text = match self.transport {
            // A launcher that ends a job lets only a few KB of output through.
            Transport::Mpi => serde_json::to_string(&document),
            _ => serde_json::to_string_pretty(&document),
        };
        format!("{}\n", text.expect("texts and numbers can be written"))
    }

    /// As many as there were, or would have been: without clusters one thread plays.
    fn clusters(&self) -> usize {
        self.attributes.clusters.max(1)
    }

    /// Why there is nothing to search for, if that is so.
    pub fn standstill(&self) -> Option<String> {
        let role = |role: usize| &self.names.roles()[role];
        if let Some(stuck) = self.state.stuck_role() {
            let role = role(stuck);
            return Some(format!("role {role} has no legal move although the game is not over"));
        }
        let goals = |number: usize| match self.state.goals_of(number) {
            [goal] => format!("{} {goal}", role(number)),
            [] => format!("{} has no goal", role(number)),
            several => format!("{} has the goals {several:?}", role(number)),
        };
        let goals = || (0..self.names.roles().len()).map(goals).collect::<Vec<_>>().join(", ");
        self.state.is_terminal().then(|| format!("the game is over: {}", goals()))
    }

    /// The goal of each role where the game is over; of a role that has not exactly one,
    /// nothing.
    fn goals_json(&self) -> Value {
        let roles = self.names.roles().iter().enumerate();
        let goal = |(number, role): (usize, &String)| match self.state.goals_of(number) {
            [goal] => (role.clone(), json!(goal)),
            _ => (role.clone(), Value::Null),
        };
        match self.state.is_terminal() {
            true => roles.map(goal).collect(),
            false => Value::Null,
        }
    }

    fn text(&self, report: &SearchReport) -> String {
        if let Some(standstill) = self.standstill() {
            return format!("{standstill}\n\n{}\n", self.invocation());
        }
        let best = joint(self.names, report.best.as_deref().unwrap_or_default());
        let best = format!("best: {best}{}", answers::text(self.names, report));
        let (moves, speed, times) = (self.moves(report), self.speed(report), self.times(report));
        let modelled = self.modelled(report);
        let stopped = if report.is_stopped { STOPPED } else { "" };
        format!("{stopped}{moves}\n{best}\n\n{speed}{times}{modelled}\n{}\n", self.invocation())
    }

    /// The moves of all roles that have a choice.
    fn moves(&self, report: &SearchReport) -> String {
        let last = if report.mixed.is_some() { "share" } else { "expected line" };
        let heading = ["role", "move", "visits", "mean", "proven", last];
        let mut rows = vec![heading.map(str::to_owned)];
        for (role, moves) in report.roles.iter().enumerate() {
            let is_dull = moves.moves.len() < 2 && report.roles.len() > 1;
            let shown = if is_dull { 0 } else { SHOWN_MOVES };
            rows.extend(moves.moves.iter().take(shown).map(|one| self.move_row(role, one)));
            let hidden = moves.moves.len().saturating_sub(SHOWN_MOVES);
            if shown > 0 && hidden > 0 {
                let [first, more] =
                    [self.names.roles()[role].clone(), format!("and {hidden} more")];
                rows.push([
                    first,
                    more,
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                ]);
            }
        }
        let right = Align::Right;
        table([Align::Left, Align::Left, right, right, right, Align::Left], &rows)
    }

    fn move_row(&self, role: usize, one: &MoveReport) -> [String; 6] {
        let plies = one.line.iter().skip(1).take(SHOWN_PLIES);
        let line = || plies.map(|next| joint(self.names, next)).collect::<Vec<_>>().join(" → ");
        [
            self.names.roles()[role].clone(),
            self.names.moves(role)[one.number as usize].clone(),
            grouped(one.visits),
            format!("{:.1}", one.mean),
            one.proven.map(|goal| goal.to_string()).unwrap_or_default(),
            one.share.map_or_else(line, |share| format!("{:.1} %", 100.0 * share)),
        ]
    }

    fn speed(&self, report: &SearchReport) -> String {
        let seconds = report.seconds();
        let rate = rate(report.playouts, report.time);
        let row = |name: &str, value: String| [name.to_owned(), value];
        let full = if report.is_full { ", full" } else { "" };
        let playouts = format!(
            "{} in {seconds:.3} s ({:.3} s of CPU), {} per second",
            grouped(report.playouts),
            self.cpu.as_secs_f64(),
            grouped(rate as u64)
        );
        let tree = format!(
            "{} nodes, {} moves, {} KB{full}",
            grouped(report.nodes),
            grouped(report.edges),
            grouped(report.bytes >> 10)
        );
        let leaves = format!("{} in {} batches", grouped(report.leaves), grouped(report.batches));
        let mut rows = vec![row("playouts", playouts), row("policy", self.policy_text())];
        // A sum is told beside its moves.
        let parts = self.command.settings.options().parts_in_use(self.state.game());
        rows.extend(parts.filter(|_| report.sum.is_none()).map(|parts| row("parts", parts)));
        rows.extend([
            row("leaves", leaves),
            row("tree", tree),
            row("machine", self.machine()),
            row("signature", format!("{:016x}", report.signature)),
        ]);
        table([Align::Left, Align::Left], &rows)
    }

    /// How playouts have chosen their moves: what was asked for is not possible in all games.
    fn policy(&self) -> PlayoutPolicy {
        let game = self.state.game();
        match game.for_playouts(self.command.settings.options().policy).is(game) {
            true => PlayoutPolicy::Uniform,
            false => PlayoutPolicy::Tactical,
        }
    }

    fn policy_text(&self) -> String {
        let gates = |game: &Game| grouped(game.report().gates() as u64);
        match self.policy() {
            policy @ PlayoutPolicy::Uniform => policy.to_string(),
            policy @ PlayoutPolicy::Tactical => format!(
                "{policy}: playouts see one ply ahead ({} gates instead of {})",
                gates(self.played),
                gates(self.state.game())
            ),
        }
    }

    /// Who has played.
    fn machine(&self) -> String {
        let (threads, width) = (self.command.topology.threads, self.attributes.width);
        let word = format!("words of {width} lanes");
        match self.attributes.clusters {
            0 => format!("this thread, {word}"),
            clusters => {
                let strategy = self.command.topology.strategy;
                format!("clusters × threads {clusters}×{threads}, {strategy}, {word}")
            }
        }
    }

    /// The command with every default filled in.
    fn invocation(&self) -> String {
        let SearchCommand {
            game,
            moves,
            method,
            settings,
            limits,
            seed,
            check,
            topology,
            machine,
            ..
        } = self.command;
        let machine = machine.as_deref().map(|file| format!(" --machine '{}'", file.display()));
        let machine = machine.unwrap_or_default();
        let options = settings.options();
        let time = limits.time.map(|time| format!(" --seconds {}", time.as_secs_f64()));
        let playouts = limits.playouts.map(|playouts| format!(" --playouts {playouts}"));
        let limits = time.or(playouts).unwrap_or_default();
        let moves = if moves.is_empty() { String::new() } else { format!(" --moves '{moves}'") };
        format!(
            "ruche search {game}{moves} --method {method}{limits} --seed {seed} --batch {} --playouts-per-position {} \
             --in-flight {} --order {} --exploration {} --prior {} --proofs {} --decompose {} --trees {} --merge {} --policy {} --memory {} --check {check} \
             --transport {}{machine} --clusters {} --threads {} --strategy {} --mode {} --word {} \
             --engine {} --run-mode {} --deadline {} --split-least {}",
            options.batch,
            options.playouts_per_position,
            options.in_flight,
            options.order,
            options.exploration,
            options.prior,
            options.proofs,
            options.decompose,
            options.trees,
            options.merge,
            options.policy,
            options.memory >> 20,
            self.transport,
            self.clusters(),
            topology.threads,
            topology.strategy,
            topology.mode,
            self.attributes.width,
            self.command.engine,
            topology.run_mode,
            topology.deadline.as_secs_f64(),
            topology.split_least,
        )
    }

    /// Everything but the moves.
    fn about_json(&self, report: &SearchReport) -> Value {
        let SearchCommand { game, seed, method, .. } = self.command;
        json!({
            "game": game,
            "terminal": self.state.is_terminal(),
            "goals": self.goals_json(),
            "stuck": self.state.stuck_role().map(|role| &self.names.roles()[role]),
            "best": report.best.as_deref().map(|best| Joint(self.names, best)),
            "best_score": report.best_line.as_ref().map(|line| line.score),
            "best_line": report.best_line.as_ref().map(|line| {
                answers::best_line(self.names, line).collect::<Vec<_>>()
            }),
            "playouts": report.playouts,
            "stopped": report.is_stopped,
            "complete": report.is_complete,
            "proven": answers::proven_json(self.names, report),
            "mixed": answers::mixed_json(self.names, report),
            "exploitability": report.mixed.as_ref().map(|mixed| mixed.exploitability),
            "seed": seed,
            "signature": format!("{:016x}", report.signature),
            "seconds": report.seconds(),
            "cpu_seconds": self.cpu.as_secs_f64(),
            "playouts_per_second": rate(report.playouts, report.time),
            "leaves": report.leaves,
            "batches": report.batches,
            "tree": {
                "nodes": report.nodes,
                "edges": report.edges,
                "bytes": report.bytes,
                "full": report.is_full,
            },
            "cut": {
                "endless": report.tally.endless,
                "stuck": report.tally.stuck,
                "unscored": report.tally.unscored,
            },
            "time": self.times_json(report),
            "virtual_time": self.virtual_time.map(|time| virtual_time_json(report, &time)),
            "method": method,
            "policy": self.policy(),
            "search": self.options_json(),
            "topology": self.topology_json(),
            "invocation": self.invocation(),
        })
    }

    fn times_json(&self, report: &SearchReport) -> Value {
        let parts = self.time_parts(report).into_iter();
        parts.map(|(name, time)| (name.to_owned(), json!(time.as_secs_f64()))).collect()
    }

    fn options_json(&self) -> Value {
        let options = self.command.settings.options();
        json!({
            "batch": options.batch,
            "playouts_per_position": options.playouts_per_position,
            "in_flight": options.in_flight,
            "exploration": options.exploration,
            "prior": options.prior,
            "proofs": options.proofs,
            "decompose": options.decompose,
            "trees": options.trees,
            "merge": options.merge,
            "policy": options.policy,
        })
    }

    fn topology_json(&self) -> Value {
        let topology = &self.command.topology;
        json!({
            "transport": self.transport,
            "clusters": self.clusters(),
            "threads": topology.threads,
            "strategy": topology.strategy,
            "mode": topology.mode,
            "word": self.attributes.width,
            "run_mode": topology.run_mode,
        })
    }

    /// Where the time of the host went. While it waits, the clusters play, on
    /// average for so long, and the rest is transfer: frames under way, and
    /// clusters that wait for each other. With several batches in flight playouts
    /// overlap with the host's own work; only what it waits for is counted.
    fn time_parts(&self, report: &SearchReport) -> [(&'static str, Duration); 5] {
        let split = &report.split;
        let playouts = self.playing.unwrap_or(split.waiting).min(split.waiting);
        let known = split.selection + split.waiting + split.backup;
        [
            ("selection", split.selection),
            ("transfer", split.waiting - playouts),
            ("playouts", playouts),
            ("backup", split.backup),
            ("rest", report.time.saturating_sub(known)),
        ]
    }

    fn times(&self, report: &SearchReport) -> String {
        let all = report.time.as_secs_f64().max(1e-9);
        let parts = self
            .time_parts(report)
            .map(|(name, time)| format!("{name} {:.0} %", 100.0 * time.as_secs_f64() / all));
        format!("time       {}\n", parts.join(", "))
    }

    /// How long it would have taken on the machine that is modelled.
    fn modelled(&self, report: &SearchReport) -> String {
        let Some(time) = self.virtual_time else { return String::new() };
        let parts = shares(&time).map(|(name, share)| format!("{name} {:.0} %", 100.0 * share));
        let (seconds, rate) = (time.elapsed.as_secs_f64(), rate(report.playouts, time.elapsed));
        let rate = grouped(rate as u64);
        format!("modelled   {seconds:.3} s, {rate} playouts per second: {}\n", parts.join(", "))
    }
}

/// What the cores of a modelled machine did.
fn shares(time: &VirtualTime) -> [(&'static str, f64); 5] {
    [
        ("host", time.host),
        ("transfer", time.transfer),
        ("hand_off", time.hand_off),
        ("playouts", time.playouts),
        ("waiting", time.waiting),
    ]
}

fn virtual_time_json(report: &SearchReport, time: &VirtualTime) -> Value {
    let shares: serde_json::Map<String, Value> =
        shares(time).into_iter().map(|(name, share)| (name.to_owned(), json!(share))).collect();
    json!({
        "seconds": time.elapsed.as_secs_f64(),
        "playouts_per_second": rate(report.playouts, time.elapsed),
        "shares": shares,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_a_rate() {
        let game = ruche_game::Game::bundled("connectfour").unwrap();
        let time = Duration::from_secs(2);
        let means = vec![50.4, 49.6];
        let best_score = None;
        let progress =
            Progress { playouts: 5000, time, best: vec![0, 0], means, best_score, report: None };
        let line = live(game.names(), &progress);
        assert!(line.starts_with("2,500 playouts/s, best "), "{line}");
        assert!(line.ends_with("(50 50)"), "{line}");
    }
}
