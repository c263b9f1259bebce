//! Decomposes all games of a corpus and prints a table in Markdown: what was found beside
//! what `decomposition.tsv` expects. `toolchain/decompositions` calls it.

use ruche_decompose::{By, Counts, Decomposition, Kind, Proof, Settings, Subgame, decompose};
use ruche_shared::names::Named;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let corpus = arguments.next().ok_or("usage: table CORPUS [METHOD] [SEED]")?;
    let by = arguments.next().map_or(Ok(By::Both), |name| By::of_name(&name))?;
    let seed = arguments.next().map_or(Ok(0), |seed| seed.parse())?;
    let settings = Settings { by, seed, ..Settings::default() };
    let corpus = PathBuf::from(corpus);
    let expected = expectations(&fs::read_to_string(corpus.join("decomposition.tsv"))?);
    let mut summary = Summary::default();
    println!(
        "| game | expected | found | verdict | composition | score | played parts proved | s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for path in games(&corpus.join("games"))? {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let clock = Clock::start();
        let found = find(&path, &settings);
        let seconds = clock.seconds();
        println!("{}", summary.line(&id, expected.get(&id).copied(), found, seconds));
    }
    println!("\n{}", summary.text());
    Ok(())
}

/// Which counts are expected of which game.
fn expectations(table: &str) -> BTreeMap<String, Counts> {
    let mut expected = BTreeMap::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |column: usize| columns.get(column)?.parse::<usize>().ok();
        if columns.get(5) == Some(&"yes")
            && let (Some(ad), Some(uad), Some(ai), Some(uai)) =
                (number(1), number(2), number(3), number(4))
        {
            expected.insert(columns[0].to_owned(), Counts { ad, uad, ai, uai });
        }
    }
    expected
}

fn games(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "kif"));
    files.sort_by_key(|file| file.to_string_lossy().to_lowercase());
    Ok(files)
}

fn find(path: &Path, settings: &Settings) -> Result<Decomposition, String> {
    let source = fs::read(path).map_err(|error| error.to_string())?;
    let loaded = ruche_gdl::load(&source);
    let (description, _) = loaded.map_err(|_| "no sound description".to_owned())?;
    decompose(&description, settings).map_err(|error| error.to_string())
}

/// What a game costs: the time on a processor where the system tells it, so that other work
/// on the machine does not count, and else the time on the wall.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Clock { wall: Instant::now(), processor: on_processor() }
    }

    fn seconds(&self) -> f64 {
        let processor = on_processor().zip(self.processor).map(|(now, start)| now - start);
        processor.unwrap_or_else(|| self.wall.elapsed()).as_secs_f64()
    }
}

/// Linux counts the nanoseconds of the first thread, and there is no other one.
fn on_processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Counts of what was right.
#[derive(Default)]
struct Summary {
    seconds: Vec<f64>,
    rows: usize,
    right: usize,
    /// Rows and right ones of each half of the games.
    halves: [(usize, usize); 2],
    right_play: usize,
    over: usize,
    under: usize,
}

impl Summary {
    fn line(
        &mut self,
        id: &str,
        expected: Option<Counts>,
        found: Result<Decomposition, String>,
        seconds: f64,
    ) -> String {
        self.seconds.push(seconds);
        let wanted = expected.map_or(String::new(), text);
        match found {
            Err(error) => {
                let what = error.split([';', ':']).take(2).collect::<Vec<_>>().join(":");
                format!("| `{id}` | {wanted} | {what} | | | | | {seconds:.2} |")
            }
            Ok(found) => {
                let verdict = expected.map_or("", |wanted| self.judge(id, wanted, found.counts()));
                let is_play = |part: &&Subgame| part.kind == Kind::Play;
                let play: Vec<_> = found.subgames.iter().filter(is_play).collect();
                let proved = play.iter().filter(|part| part.proof == Proof::Proved).count();
                format!(
                    "| `{id}` | {wanted} | {} | {verdict} | {} | {} | {proved} of {} | {seconds:.2} |",
                    text(found.counts()),
                    found.composition.name(),
                    found.score.name(),
                    play.len(),
                )
            }
        }
    }

    fn judge(&mut self, id: &str, wanted: Counts, found: Counts) -> &'static str {
        self.rows += 1;
        let (rows, right) = &mut self.halves[half(id)];
        *rows += 1;
        *right += usize::from(wanted == found);
        self.right_play += usize::from((wanted.ad, wanted.uad) == (found.ad, found.uad));
        if wanted == found {
            self.right += 1;
            "right"
        } else if found.ad > wanted.ad {
            self.over += 1;
            "**over**"
        } else if found.ad < wanted.ad {
            self.under += 1;
            "under"
        } else {
            "other"
        }
    }

    fn text(&self) -> String {
        let Summary { rows, right, right_play, over, under, halves, .. } = self;
        let [(first, right_first), (second, right_second)] = halves;
        let share = |count: &usize| 100.0 * *count as f64 / (*rows).max(1) as f64;
        let within = |most: f64| self.seconds.iter().filter(|&&seconds| seconds <= most).count();
        format!(
            "{rows} games with an expectation: all four counts as expected in {right} ({:.1} %), \
             those of played parts in {right_play} ({:.1} %), over-decomposed {over}, \
             under-decomposed {under}. Right by halves of the games, told apart by a hash of \
             their names: {right_first} of {first}, {right_second} of {second}. {} games in \
             all: {} within 1 s, {} within 30 s, the \
             slowest in {:.1} s.",
            share(right),
            share(right_play),
            self.seconds.len(),
            within(1.0),
            within(30.0),
            self.seconds.iter().copied().fold(0.0, f64::max),
        )
    }
}

/// The half of the corpus that a game is in: a hash of its name, so that it stays there.
fn half(id: &str) -> usize {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    (id.bytes().fold(0x811c_9dc5, mix) >> 16 & 1) as usize
}

fn text(counts: Counts) -> String {
    format!("{} {} {} {}", counts.ad, counts.uad, counts.ai, counts.uai)
}
