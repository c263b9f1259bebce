//! Players choose by whatever policy they are given, with the memory that it asks for.

use std::cell::Cell;

use ruche_eval::circuit::Interpreted;
use ruche_eval::playouts::{Player, PlayerError, Queue, Stretch, Tally, working_words};
use ruche_eval::streams::Streams;
use ruche_eval::{Evaluator, OneLane, Policy, Uniform, Wide, Word};
use ruche_game::Game;
use ruche_shared::Image;
use ruche_shared::stream::PositionStreams;

/// The first legal move of each role. Needs no random numbers, but a word for each role.
#[derive(Clone, Copy, Debug)]
struct FirstMove;

impl Policy for FirstMove {
    type Chooser<'memory, W: Word> = &'memory mut [W];

    fn working_words(&self, image: &Image<'_>) -> usize {
        image.roles()
    }

    fn chooser<'memory, W: Word>(
        &self,
        image: &Image<'_>,
        memory: &'memory mut [W],
    ) -> &'memory mut [W] {
        assert!(memory.len() == image.roles() && memory.iter().all(|word| word.is_zero()));
        memory
    }

    fn choose<W: Word>(
        able: &mut &mut [W],
        image: &Image<'_>,
        moves: &mut [W],
        _streams: &mut Streams<W>,
    ) -> W {
        for (role, able) in able.iter_mut().enumerate() {
            *able = W::ZERO;
            for legal in &mut moves[image.move_range(role)] {
                (*legal, *able) = (*legal & !*able, *legal | *able);
            }
        }
        able.iter().fold(W::ZERO, |stuck, able| stuck | !*able)
    }
}

/// So many playouts from one position.
struct Counted<'a> {
    position: &'a [u32],
    left: u64,
    playouts: u64,
    plies: u64,
    scores: Vec<u64>,
}

impl Queue for Counted<'_> {
    fn next(&mut self) -> Option<Stretch> {
        let count = core::mem::take(&mut self.left);
        let streams = PositionStreams::new(7, 0);
        (count > 0).then_some(Stretch { ticket: 0, number: 0, streams, first: 0, count })
    }

    fn position(&self, _ticket: u32) -> &[u32] {
        self.position
    }

    fn add(&mut self, _ticket: u32, tally: &Tally) {
        self.playouts += tally.playouts();
        self.plies += tally.plies;
    }

    fn add_score(&mut self, _ticket: u32, role: usize, sum: u64) {
        self.scores[role] += sum;
    }
}

/// Abandons the playouts of another queue after so many plies.
struct Hasty<'a, 'b> {
    queue: &'b mut Counted<'a>,
    plies: Cell<u32>,
}

impl Queue for Hasty<'_, '_> {
    fn next(&mut self) -> Option<Stretch> {
        self.queue.next()
    }

    fn position(&self, ticket: u32) -> &[u32] {
        self.queue.position(ticket)
    }

    fn add(&mut self, ticket: u32, tally: &Tally) {
        self.queue.add(ticket, tally);
    }

    fn add_score(&mut self, ticket: u32, role: usize, sum: u64) {
        self.queue.add_score(ticket, role, sum);
    }

    fn is_abandoned(&self) -> bool {
        self.plies.replace(self.plies.get().saturating_sub(1)) == 0
    }
}

#[test]
fn a_player_whose_queue_was_abandoned_plays_the_next_as_if_nothing_was() {
    let game = Game::bundled("tictactoe").unwrap();
    let image = game.image();
    let mut memory = vec![0_u64; working_words(image, &Uniform)];
    let mut player = Player::new(Interpreted(*image), &mut memory, 1000).unwrap();
    let counted = || Counted {
        position: image.initial(),
        left: PLAYOUTS,
        playouts: 0,
        plies: 0,
        scores: vec![0; image.roles()],
    };
    let mut queue = counted();
    player.play(&mut Hasty { queue: &mut queue, plies: Cell::new(4) }, None);
    assert_eq!((queue.playouts, queue.left), (0, 0), "nobody wins in four plies");
    let mut queue = counted();
    player.play(&mut queue, None);
    assert_eq!((queue.plies, queue.scores), play::<u64>(image, Uniform));
}

const PLAYOUTS: u64 = 1000;

/// Plies and scores of all playouts together.
fn play<W: Word>(image: &Image<'_>, policy: impl Policy) -> (u64, Vec<u64>) {
    let mut memory = vec![W::ONES; working_words(image, &policy)];
    let player = Player::with_policy(Interpreted(*image), policy, &mut memory, 1000);
    let scores = vec![0; image.roles()];
    let position = image.initial();
    let mut queue = Counted { position, left: PLAYOUTS, playouts: 0, plies: 0, scores };
    player.expect("there is enough memory").play(&mut queue, None);
    assert_eq!(queue.playouts, PLAYOUTS);
    (queue.plies, queue.scores)
}

/// The one game of first moves, move by move.
fn first_game(image: &Image<'_>) -> (u64, Vec<u64>) {
    let mut slots = vec![0_u8; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).expect("there are enough slots");
    evaluator.load(0, image.initial()).expect("a position");
    for plies in 0.. {
        evaluator.legal();
        if evaluator.terminal().lane(0) {
            evaluator.goal();
            let score = |role| u64::from(evaluator.score(0, role).expect("one goal"));
            return (plies, (0..image.roles()).map(score).collect());
        }
        for role in 0..image.roles() {
            let first = evaluator.legal_moves(role).iter().position(|legal| legal.lane(0));
            evaluator.choose(0, role, first.expect("a legal move")).expect("a move");
        }
        evaluator.next();
    }
    unreachable!("every game ends")
}

#[test]
fn a_player_plays_what_its_policy_chooses_with_every_word() {
    for name in ["tictactoe", "connectfour"] {
        let game = Game::bundled(name).expect("a bundled game");
        let image = game.image();
        let (plies, scores) = first_game(image);
        let expected = (plies * PLAYOUTS, scores.iter().map(|score| score * PLAYOUTS).collect());
        assert_ne!(play::<u64>(image, Uniform), expected, "{name}: games differ");
        assert_eq!(play::<OneLane>(image, FirstMove), expected, "{name}");
        assert_eq!(play::<u8>(image, FirstMove), expected, "{name}");
        assert_eq!(play::<u32>(image, FirstMove), expected, "{name}");
        assert_eq!(play::<u64>(image, FirstMove), expected, "{name}");
        assert_eq!(play::<Wide<4>>(image, FirstMove), expected, "{name}");
    }
}

#[test]
fn a_player_needs_the_memory_of_its_policy() {
    let game = Game::bundled("tictactoe").expect("a bundled game");
    let image = game.image();
    let needed = image.slots() + image.roles();
    assert_eq!(working_words(image, &FirstMove), needed);
    let mut memory = vec![0_u64; needed - 1];
    let player = Player::with_policy(Interpreted(*image), FirstMove, &mut memory, 1000);
    let refused = PlayerError::TooFewWords { needed, found: needed - 1 };
    assert_eq!(player.map(|_| ()), Err(refused));
}
