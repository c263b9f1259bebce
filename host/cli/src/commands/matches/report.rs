//! What is said about a match.

use ruche_arena::{Contestant, Faults, Match, MatchSettings, Sprt, Standing, Tally};
use ruche_search::{Clock, Limits};
use serde_json::{Value, json};

use crate::arguments::{Format, MatchCommand};
use crate::output::{Align, grouped, table};

/// A match as far as it was played.
pub struct Report<'a> {
    pub command: &'a MatchCommand,
    pub contest: &'a Match,
    pub standing: &'a Standing,
    /// Whether somebody stopped it before its end.
    pub is_stopped: bool,
}

/// A line for those who wait.
pub fn live(standing: &Standing) -> String {
    let [_, _, score, outcomes, elo, interval] = row("", &standing.total);
    let ratio = standing.ratio().map(|ratio| format!(", LLR {ratio:+.2}")).unwrap_or_default();
    format!("{score} {outcomes}, Elo {elo} ({interval}){ratio}")
}

const ALIGN: [Align; 6] =
    [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];

/// A line of the table.
fn row(name: &str, tally: &Tally) -> [String; 6] {
    let Tally { games, wins, draws, losses, .. } = tally;
    let score = tally.score().map(|score| format!("{:.1} %", 100.0 * score));
    let elo = |elo: Option<f64>| elo.map(|elo| format!("{elo:+.0}"));
    let [low, high] = tally.elo_interval().map(|bound| elo(bound).unwrap_or("?".to_owned()));
    [
        name.to_owned(),
        grouped(*games),
        score.unwrap_or("?".to_owned()),
        format!("+{wins} ={draws} -{losses}"),
        elo(tally.elo()).unwrap_or("?".to_owned()),
        format!("{low} to {high}"),
    ]
}

impl Report<'_> {
    pub fn text_or_json(&self) -> String {
        match self.command.format {
            Format::Text => self.text(),
            Format::Json => format!("{:#}\n", self.json()),
        }
    }

    fn text(&self) -> String {
        let head = ["game", "games", "score", "A wins, draws, loses", "Elo", "95 % interval"];
        let mut rows = vec![head.map(str::to_owned)];
        let by_game = self.contest.games().zip(&self.standing.by_game);
        rows.extend(by_game.map(|(name, tally)| row(name, tally)));
        if self.standing.by_game.len() > 1 {
            rows.push(row("total", &self.standing.total));
        }
        let sprt = self.contest.settings().sprt.map(|sprt| self.sprt(&sprt)).unwrap_or_default();
        format!("{}\n{}{}{sprt}", self.title(), table(ALIGN, &rows), self.faults())
    }

    /// The moves of players elsewhere that were replaced by random ones; nothing where all
    /// play here.
    fn faults(&self) -> String {
        let head = ["player", "late moves", "illegal moves"].map(str::to_owned);
        let mut rows = vec![head];
        let contestants = self.contest.contestants().iter().zip(["A", "B"]);
        for ((contestant, side), faults) in contestants.zip(self.standing.total.faults) {
            if let Contestant::Remote { address, .. } = contestant {
                let Faults { late, illegal } = faults;
                rows.push([format!("{side}  {address}"), grouped(late), grouped(illegal)]);
            }
        }
        match rows.len() {
            1 => String::new(),
            _ => format!("\n{}", table([Align::Left, Align::Right, Align::Right], &rows)),
        }
    }

    fn title(&self) -> String {
        let [a, b] = &self.command.texts;
        let each = match self.command.limits {
            Limits { time: Some(time), clock: Clock::Wall, .. } => {
                format!("{} seconds", time.as_secs_f64())
            }
            Limits { time: Some(time), clock: Clock::Thread, .. } => {
                format!("{} seconds of a processor", time.as_secs_f64())
            }
            Limits { playouts, .. } => format!("{} playouts", grouped(playouts.unwrap_or(0))),
        };
        let MatchSettings { opening, seed, .. } = self.contest.settings();
        format!("A  {a}\nB  {b}\n{each} for a move, openings of {opening} plies, seed {seed}\n")
    }

    fn sprt(&self, sprt: &Sprt) -> String {
        let ([elo0, elo1], [alpha, beta]) = (sprt.elos(), sprt.rates());
        let ([reject, accept], ratio) = (sprt.limits(), self.standing.ratio().unwrap_or(0.0));
        let verdict = self.standing.verdict.unwrap_or_default();
        format!(
            "\nSPRT {elo0} or {elo1} Elo, alpha {alpha}, beta {beta}: {verdict} (LLR {ratio:+.2}, \
             {reject:+.2} to {accept:+.2})\n"
        )
    }

    /// What a person should know beside the result.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints: Vec<String> = Vec::new();
        for (name, tally) in self.contest.games().zip(&self.standing.by_game) {
            let odd = [
                (tally.endless, "did not end within the limit of plies"),
                (tally.stuck, "came to a state where a role has no legal move"),
                (tally.unscored, "ended without exactly one goal for each role"),
            ];
            let said = |(count, why): (u64, &str)| {
                let games = grouped(tally.games);
                format!("{name}: of {games} games {} {why}: draws", grouped(count))
            };
            complaints.extend(odd.into_iter().filter(|(count, _)| *count > 0).map(said));
        }
        if self.is_stopped {
            let how = match self.command.output {
                Some(_) => "the same command goes on",
                None => "with -o FILE.jsonl it could go on",
            };
            let (games, all) =
                (grouped(self.standing.total.games), grouped(self.contest.planned()));
            complaints.push(format!("stopped after {games} of {all} games; {how}"));
        }
        complaints
    }

    fn json(&self) -> Value {
        let [a, b] = self.contest.contestants().each_ref().map(ToString::to_string);
        let MatchSettings { opening, ply_limit, seed, sprt, .. } = *self.contest.settings();
        let by_game = self.contest.games().zip(&self.standing.by_game).map(|(name, tally)| {
            let mut object = json!({ "game": name });
            extend(&mut object, numbers(tally));
            object
        });
        let mut document = json!({
            "a": self.command.texts[0],
            "b": self.command.texts[1],
            "settings": { "a": a, "b": b },
            "opening": opening,
            "ply_limit": ply_limit,
            "seed": seed,
            "planned": self.contest.planned(),
            "stopped": self.is_stopped,
            "sprt": self.standing.verdict,
            "llr": self.standing.ratio(),
            "llr_bounds": sprt.map(|sprt| sprt.limits()),
            "elo_bounds": sprt.map(|sprt| sprt.elos()),
            "by_game": by_game.collect::<Value>(),
            "results": self.standing.records,
        });
        extend(&mut document, numbers(&self.standing.total));
        document
    }
}

fn numbers(tally: &Tally) -> Value {
    let [low, high] = tally.elo_interval();
    let [a, b] = tally.faults;
    json!({
        "games": tally.games,
        "pairs": tally.scores.pairs(),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "endless": tally.endless,
        "stuck": tally.stuck,
        "unscored": tally.unscored,
        "faults": { "a": a, "b": b },
        "score": tally.score(),
        "elo": tally.elo(),
        "elo_low": low,
        "elo_high": high,
    })
}

/// Adds the keys of another object.
fn extend(object: &mut Value, further: Value) {
    if let (Value::Object(object), Value::Object(further)) = (object, further) {
        object.extend(further);
    }
}
