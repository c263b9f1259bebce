//! Are all legal moves chosen equally often, in every word and for every number
//! of roles?

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_eval::chooser::{Chooser, working_words};
use ruche_eval::streams::Streams;
use ruche_eval::{OneLane, Wide, Word};
use ruche_game::Game;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::stream::{PositionStreams, Stream, scale};

/// An image with so many moves of each role and nothing else.
fn game_with(moves: &[u32]) -> Game {
    let mut starts = vec![0];
    starts.extend(moves.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let slots = 1 + starts[moves.len()];
    let parts = Parts {
        wide: false,
        fluents: 1,
        slots,
        terminal_slot: 0,
        move_starts: &starts,
        goals: &[],
        initial: &[0],
        code: [&[], &[], &[]],
    };
    let mut bytes = vec![0; encoded_length(&parts)];
    encode(&parts, &mut bytes).unwrap();
    Game::of_image("moves", &bytes).unwrap()
}

/// Whether a move is legal in a lane in a round, for each role.
type Legality<'a> = &'a dyn Fn(usize, usize, usize, usize) -> bool;

/// Lets all lanes choose for some rounds and calls back with every choice: role,
/// the rank among its legal moves, and how many there are. Along the way the
/// choice is compared with what the scalar stream says.
fn choose<W: Word>(
    moves: &[u32],
    rounds: usize,
    legality: Legality<'_>,
    each: &mut dyn FnMut(usize, usize, usize),
) {
    let game = game_with(moves);
    let image = game.image();
    let mut memory = vec![W::ONES; working_words(image)];
    let mut chooser = Chooser::new(image, &mut memory);
    let mut streams = Streams::<W>::new();
    let source = PositionStreams::new(9, 0);
    let mut scalars: Vec<Stream> = (0..W::LANES).map(|lane| source.playout(lane as u64)).collect();
    let mut fresh = scalars.clone().into_iter();
    streams.set(W::ONES, |_| fresh.next().unwrap());
    let mut area = vec![W::ZERO; image.moves()];
    for round in 0..rounds {
        for role in 0..moves.len() {
            for (number, word) in area[image.move_range(role)].iter_mut().enumerate() {
                (0..W::LANES).for_each(|lane| {
                    word.set_lane(lane, legality(role, lane, round, number));
                });
            }
        }
        let before = area.clone();
        let stuck = chooser.choose(image, &mut area, &mut streams);
        for (lane, scalar) in scalars.iter_mut().enumerate() {
            let mut is_stuck = false;
            let mut first = Some(scalar.draw());
            for role in 0..moves.len() {
                let range = image.move_range(role);
                let set = |area: &[W]| -> Vec<usize> {
                    range.clone().filter(|&number| area[number].lane(lane)).collect()
                };
                let (legal, chosen) = (set(&before), set(&area));
                let rank = match legal.len() {
                    0 | 1 => 0,
                    several => {
                        let draw = first.take().unwrap_or_else(|| scalar.draw());
                        scale(draw, several as u32) as usize
                    }
                };
                is_stuck |= legal.is_empty();
                let expected: Vec<usize> = legal.get(rank).copied().into_iter().collect();
                assert_eq!(chosen, expected, "role {role}, lane {lane}, round {round}");
                each(role, rank, legal.len());
            }
            assert_eq!(stuck.lane(lane), is_stuck, "lane {lane}, round {round}");
        }
    }
}

/// Random, but always the same for the same numbers, all of which are small.
fn scramble(numbers: [usize; 4]) -> u64 {
    let seed = numbers.iter().fold(0, |seed, &number| seed << 16 | number as u64);
    Pcg64Mcg::seed_from_u64(seed).next_u64()
}

#[test]
fn one_to_two_hundred_moves_are_chosen_equally_often() {
    // Lane `l` has `1 + (l + round) % 200` legal moves of 240, scattered.
    let count = |lane: usize, round: usize| 1 + (lane + 7 * round) % 200;
    let legality = |_: usize, lane: usize, round: usize, number: usize| {
        (number * 7 + lane) % 240 < count(lane, round)
    };
    let mut chosen = vec![vec![0_u64; 200]; 201];
    choose::<Wide<4>>(&[240], 4000, &legality, &mut |_, rank, legal| chosen[legal][rank] += 1);
    for legal in 2..=200 {
        let counts = &chosen[legal][..legal];
        let expected = counts.iter().sum::<u64>() as f64 / legal as f64;
        assert!(expected > 20.0, "{legal} moves were hardly tried");
        let squares = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected);
        let freedom = (legal - 1) as f64;
        let deviation = (squares.sum::<f64>() - freedom) / (2.0 * freedom).sqrt();
        assert!(deviation < 6.0, "{legal} moves: chi-square {deviation:.1} deviations off");
    }
}

#[test]
fn every_number_of_moves_is_searched() {
    for moves in (1..70).chain([95, 96, 97, 155, 200, 383, 385, 1000, 3000]) {
        for density in [2, 3, 16] {
            // Few legal moves, a third, or nearly all of them.
            let legality = |role: usize, lane: usize, round: usize, number: usize| {
                let hash = scramble([role, lane, round, number]);
                if density == 16 {
                    !hash.is_multiple_of(16)
                } else {
                    hash.is_multiple_of(density * density)
                }
            };
            choose::<u8>(&[moves], 1, &legality, &mut |_, _, _| {});
            choose::<u64>(&[moves], 1, &legality, &mut |_, _, _| {});
            choose::<Wide<4>>(&[moves], 1, &legality, &mut |_, _, _| {});
        }
    }
}

/// Each word in turn.
fn with_all_words(moves: &[u32], legality: Legality<'_>) {
    choose::<OneLane>(moves, 60, legality, &mut |_, _, _| {});
    choose::<u8>(moves, 30, legality, &mut |_, _, _| {});
    choose::<u16>(moves, 20, legality, &mut |_, _, _| {});
    choose::<u32>(moves, 12, legality, &mut |_, _, _| {});
    choose::<u64>(moves, 12, legality, &mut |_, _, _| {});
    choose::<Wide<2>>(moves, 8, legality, &mut |_, _, _| {});
    choose::<Wide<4>>(moves, 6, legality, &mut |_, _, _| {});
    choose::<Wide<8>>(moves, 5, legality, &mut |_, _, _| {});
}

#[test]
fn roles_that_take_turns_choose_as_if_alone() {
    for (moves, idle) in
        [([40, 40], [39, 0]), ([7, 30], [3, 11]), ([100, 5], [0, 4]), ([1, 9], [0, 0])]
    {
        // Lanes are at different plies, so that both turns meet in each word.
        let legality = |role: usize, lane: usize, round: usize, number: usize| {
            let plays = (lane + round) % 2 == role;
            let is_idle = number == idle[role];
            if plays {
                !is_idle && scramble([role, lane, round, number]).is_multiple_of(3)
            } else {
                is_idle
            }
        };
        with_all_words(&moves, &legality);
    }
}

#[test]
fn what_looks_like_turns_may_stop_being_so() {
    // Two rounds as above, then an idle role has other moves in some lane.
    let legality = |role: usize, lane: usize, round: usize, number: usize| {
        let plays = (lane + round) % 2 == role || (round > 2 && lane == 0);
        let is_idle = number == 0;
        let likes = scramble([role, lane, round, number]).is_multiple_of(3);
        if plays { likes && (!is_idle || round > 3) } else { is_idle || (round > 4 && likes) }
    };
    with_all_words(&[20, 25], &legality);
}

#[test]
fn roles_that_move_at_once_choose_independently() {
    let legality = |role: usize, lane: usize, round: usize, number: usize| {
        scramble([role, lane, round, number]).is_multiple_of(4)
    };
    with_all_words(&[12, 17, 3], &legality);
    with_all_words(&[30, 30], &legality);
    with_all_words(&[64], &legality);
}

#[test]
fn a_role_without_moves_is_noticed() {
    let legality = |role: usize, lane: usize, round: usize, _: usize| {
        role == 0 || !scramble([role, lane, round, 0]).is_multiple_of(5)
    };
    with_all_words(&[2, 3], &legality);
    with_all_words(&[2, 3, 1], &legality);
    with_all_words(&[3, 0], &legality);
}
