//! Playouts end to end: from rules to sums that are the same for every word,
//! engine, thread count and order, and the same as a plain player's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ruche_eval::{Evaluator, OneLane, Word};
use ruche_game::Game;
use ruche_native::NativeError;
use ruche_offload::Tally;
use ruche_playouts::{Amount, EngineChoice, PlayoutSettings, Playouts, PlayoutsError, Results};
use ruche_shared::position::position_words;
use ruche_shared::stream::{PositionStreams, Stream, scale};
use ruche_shared::{Image, WordWidth};
use ruche_tests::player::{bundled, compile};

const SEED: u64 = 11;

fn settings(width: WordWidth) -> PlayoutSettings {
    PlayoutSettings { width, seed: SEED, ..PlayoutSettings::default() }
}

fn play(
    game: &Game,
    positions: &[&[u32]],
    each: u64,
    how: &PlayoutSettings,
) -> Result<(Vec<Tally>, Vec<u64>), PlayoutsError> {
    Ok(parts(&Playouts::new(game, how)?.play(0, positions, Amount::Each(each))?.results))
}

fn sums(
    game: &Game,
    positions: &[&[u32]],
    each: u64,
    how: &PlayoutSettings,
) -> (Vec<Tally>, Vec<u64>) {
    play(game, positions, each, how).expect("these positions are the game's own")
}

/// Tallies and scores apart.
fn parts(results: &Results) -> (Vec<Tally>, Vec<u64>) {
    let indices = 0..results.len();
    let tallies = indices.clone().map(|index| results.tally(index)).collect();
    (tallies, indices.flat_map(|index| results.scores(index)).copied().collect())
}

/// A player that does what the law says, one plain step after the other.
struct PlainPlayer<'a> {
    evaluator: Evaluator<'a, 'a, OneLane>,
    ply_limit: u32,
}

impl PlainPlayer<'_> {
    fn play(&mut self, position: &[u32], mut stream: Stream, sums: &mut Tally, scores: &mut [u64]) {
        self.evaluator.load(0, position).unwrap();
        for ply in 0.. {
            self.evaluator.legal();
            sums.plies += u64::from(ply > 0);
            if self.evaluator.terminal().lane(0) {
                return self.score(sums, scores);
            }
            if ply == self.ply_limit {
                sums.endless += 1;
                return;
            }
            if !self.choose(&mut stream) {
                sums.stuck += 1;
                return;
            }
            self.evaluator.next();
        }
    }

    fn choose(&mut self, stream: &mut Stream) -> bool {
        let mut is_possible = true;
        // The first role that has a choice draws, even if there is none; each
        // further one draws again.
        let mut first = Some(stream.draw());
        for role in 0..self.evaluator.image().roles() {
            let moves = self.evaluator.legal_moves(role);
            let legal: Vec<usize> = (0..moves.len()).filter(|&at| moves[at].lane(0)).collect();
            let rank = match legal.len() {
                0 | 1 => 0,
                several => {
                    let draw = first.take().unwrap_or_else(|| stream.draw());
                    scale(draw, several as u32) as usize
                }
            };
            match legal.get(rank) {
                Some(&chosen) => self.evaluator.choose(0, role, chosen).unwrap(),
                None => is_possible = false,
            }
        }
        is_possible
    }

    fn score(&mut self, sums: &mut Tally, scores: &mut [u64]) {
        self.evaluator.goal();
        let goals: Option<Vec<u16>> =
            (0..scores.len()).map(|role| self.evaluator.score(0, role)).collect();
        match goals {
            Some(goals) => {
                sums.scored += 1;
                scores.iter_mut().zip(goals).for_each(|(sum, goal)| *sum += u64::from(goal));
            }
            None => sums.unscored += 1,
        }
    }
}

fn plain_sums(
    image: &Image<'_>,
    positions: &[&[u32]],
    each: u64,
    how: &PlayoutSettings,
) -> (Vec<Tally>, Vec<u64>) {
    let mut slots = vec![OneLane::ZERO; image.slots()];
    let evaluator = Evaluator::new(image, &mut slots).unwrap();
    let mut player = PlainPlayer { evaluator, ply_limit: how.ply_limit };
    let mut tallies = vec![Tally::default(); positions.len()];
    let mut scores = vec![0; positions.len() * image.roles()];
    for (number, position) in positions.iter().enumerate() {
        let streams = PositionStreams::new(how.seed, number as u64);
        let scores = &mut scores[number * image.roles()..][..image.roles()];
        for playout in 0..each {
            player.play(position, streams.playout(playout), &mut tallies[number], scores);
        }
    }
    (tallies, scores)
}

/// Positions some plies into the game.
fn positions_of(image: &Image<'_>, count: usize) -> Vec<Vec<u32>> {
    let mut slots = vec![OneLane::ZERO; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).unwrap();
    let mut positions = vec![image.initial().to_vec()];
    evaluator.load(0, image.initial()).unwrap();
    let mut player = PlainPlayer { evaluator, ply_limit: u32::MAX };
    let mut stream = PositionStreams::new(99, 0).playout(0);
    while positions.len() < count {
        player.evaluator.legal();
        if player.evaluator.terminal().lane(0) || !player.choose(&mut stream) {
            player.evaluator.load(0, image.initial()).unwrap();
            continue;
        }
        player.evaluator.next();
        let mut position = vec![0; position_words(image.fluents())];
        player.evaluator.store(0, &mut position).unwrap();
        positions.push(position);
    }
    positions
}

#[test]
fn bundled_games_give_the_same_sums_everywhere() {
    for game in ruche_games::all() {
        let compiled = bundled(game.name);
        let image = compiled.image();
        let positions = positions_of(image, 40);
        let positions: Vec<&[u32]> = positions.iter().map(Vec::as_slice).collect();
        for (positions, each) in [(&positions[..1], 300), (&positions[..], 3), (&positions[..], 1)]
        {
            let expected = plain_sums(image, positions, each, &settings(WordWidth::One));
            for width in WordWidth::ALL {
                for threads in [1, 3] {
                    for engine in EngineChoice::available(width) {
                        let how = PlayoutSettings { threads, engine, ..settings(width) };
                        let found = sums(&compiled, positions, each, &how);
                        assert_eq!(found, expected, "{}: {how:?}", game.name);
                    }
                }
            }
        }
    }
}

#[test]
fn corpus_games_give_the_same_sums_for_every_word() {
    let Some(corpus) = ruche_corpus::directory("playouts of the corpus") else { return };
    let mut ids: Vec<_> = std::fs::read_dir(corpus.join("games")).unwrap().flatten().collect();
    ids.sort_by_key(std::fs::DirEntry::file_name);
    let [next, played, refused] = [(); 3].map(|()| AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(entry) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let source = std::fs::read(entry.path()).unwrap();
                    let Ok(compiled) = compile(&source) else { continue };
                    let name = entry.path().display().to_string();
                    refused.fetch_add(every_word_agrees(&compiled, &name), Ordering::Relaxed);
                    played.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let played = played.into_inner();
    assert!(played * 100 >= ids.len() * 95, "only {played} of {} games compile", ids.len());
    let refused = refused.into_inner();
    assert!(refused * 100 <= played, "native code was refused {refused} times");
}

/// Few playouts that are cut early: some games of the corpus have a hundred
/// thousand gates. Returns how often there was no native code, because more values
/// are alive at a time than it has memory for.
fn every_word_agrees(compiled: &Game, name: &str) -> usize {
    let image = compiled.image();
    let positions: [&[u32]; 1] = [image.initial()];
    let report = compiled.report();
    let gates = report.gates();
    let each = if gates > 20_000 { 9 } else { 40 };
    let how = |width| PlayoutSettings { ply_limit: 40, ..settings(width) };
    let expected = plain_sums(image, &positions, each, &how(WordWidth::One));
    let mut refused = 0;
    for width in WordWidth::ALL {
        for engine in EngineChoice::available(width) {
            let how = PlayoutSettings { engine, ..how(width) };
            match play(compiled, &positions, each, &how) {
                Err(PlayoutsError::Native(NativeError::Stack { .. })) => refused += 1,
                found => {
                    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
                    assert_eq!(found, expected, "{name}: {how:?}");
                }
            }
        }
    }
    refused
}

fn total(rules: &str, ply_limit: u32) -> Tally {
    let compiled = compile(rules.as_bytes()).expect("odd games compile too");
    let image = compiled.image();
    let positions: [&[u32]; 1] = [image.initial()];
    let mut all = Vec::new();
    for width in WordWidth::ALL {
        let how = PlayoutSettings { ply_limit, ..settings(width) };
        let (tallies, scores) = sums(&compiled, &positions, 100, &how);
        let plain = plain_sums(image, &positions, 100, &how);
        assert_eq!((&tallies, &scores), (&plain.0, &plain.1), "{width:?}");
        all.push(tallies[0]);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(all[0].playouts(), 100, "every playout is counted once");
    all[0]
}

/// A coin is tossed in each step until it shows heads.
const TOSSES: &str = "
    (role player) (init (step 0)) (legal player heads) (legal player tails)
    (<= (next (step 0)) (does player tails))
    (<= (next won) (does player heads))
    (<= terminal (true won))";

#[test]
fn a_game_without_end_is_cut_at_the_limit() {
    let endless = "
        (role player) (init (step 0)) (legal player wait)
        (<= (next (step 0)) (true (step 0)))
        (<= terminal (not (true (step 0))))
        (goal player 100)";
    let tally = total(endless, 50);
    assert_eq!(tally, Tally { endless: 100, plies: 5000, ..Tally::default() });
}

#[test]
fn playouts_that_do_not_end_in_time_are_given_up() {
    let endless = "(role r) (init (p 0)) (legal r wait) (goal r 100)
        (<= (next (p 0)) (true (p 0))) (<= terminal (not (true (p 0))))";
    let game = compile(endless.as_bytes()).expect("odd games compile too");
    for threads in [1, 2] {
        let how = PlayoutSettings {
            threads,
            ply_limit: u32::MAX,
            patience: Duration::ZERO,
            ..settings(WordWidth::SixtyFour)
        };
        let amount = Amount::Until(Instant::now() + Duration::from_millis(20));
        let played = Playouts::new(&game, &how).unwrap().play_initial(amount).unwrap();
        assert!(played.is_abandoned);
        assert_eq!(played.results.total().playouts(), 0, "what is given up does not count");
    }
}

#[test]
fn a_long_game_is_cut_only_where_it_is_long() {
    let rules = format!("{TOSSES} (<= (goal player 100) (true won))");
    let tally = total(&rules, 3);
    assert_eq!(tally.scored + tally.endless, 100);
    assert!((1..40).contains(&tally.endless), "an eighth is cut: {tally:?}");
    assert_eq!(total(&rules, 1000).endless, 0);
}

#[test]
fn a_role_without_a_move_ends_the_playout() {
    let stuck = "
        (role player) (role other) (init (step 0))
        (legal player a) (legal player b) (<= (legal other c) (true (step 0)))
        (<= (next (step 0)) (does player a))
        (<= (next (step 1)) (does player b))
        (<= terminal (true (step 2)))
        (goal player 100) (goal other 0)";
    let tally = total(stuck, 1000);
    assert_eq!((tally.stuck, tally.scored), (100, 0));
}

#[test]
fn no_goal_and_two_goals_are_counted_apart() {
    let none = format!("{TOSSES} (<= (goal player 100) (true (step 0)))");
    assert_eq!(total(&none, 1000).unscored, 100);
    let two =
        format!("{TOSSES} (<= (goal player 100) (true won)) (<= (goal player 50) (true won))");
    assert_eq!(total(&two, 1000).unscored, 100);
    let one_of_two_roles =
        format!("{TOSSES} (role other) (legal other wait) (<= (goal player 100) (true won))");
    assert_eq!(total(&one_of_two_roles, 1000).unscored, 100);
}

#[test]
fn a_position_that_has_ended_counts_without_a_ply() {
    let ended = "
        (role player) (init over) (legal player wait) (<= (next over) (true over))
        (<= terminal (true over)) (<= (goal player 70) (true over))";
    assert_eq!(total(ended, 10), Tally { scored: 100, ..Tally::default() });
}

#[test]
fn positions_of_another_game_are_refused() {
    let compiled = bundled("tictactoe");
    let found = play(&compiled, &[&[0; 9]], 1, &settings(WordWidth::One));
    assert!(found.unwrap_err().to_string().contains("belongs to another game"));
}
