//! Numbers of impartial games (Sprague 1935, Grundy 1939), and when they also settle a sum
//! in which nobody wants to move last (Conway, *On Numbers and Games*, chapter 12).

use super::Convention;

/// The number of each position: the least that none of its options has. Nothing if play can
/// come back to where it was.
pub(crate) fn numbers(options: &[Vec<usize>]) -> Option<Vec<u32>> {
    let mut numbers: Vec<Option<u32>> = vec![None; options.len()];
    let mut is_open = vec![false; options.len()];
    for start in 0..options.len() {
        let mut path = vec![(start, 0)];
        while let Some((position, next)) = path.pop() {
            if numbers[position].is_some() {
                continue;
            }
            is_open[position] = true;
            match options[position].get(next) {
                Some(&option) if numbers[option].is_some() => path.push((position, next + 1)),
                Some(&option) if is_open[option] => return None,
                Some(&option) => path.extend([(position, next + 1), (option, 0)]),
                None => numbers[position] = Some(least_other(&options[position], &numbers)),
            }
        }
    }
    numbers.into_iter().collect()
}

/// The least number that none of these positions has.
fn least_other(options: &[usize], numbers: &[Option<u32>]) -> u32 {
    let mut taken: Vec<u32> = options.iter().filter_map(|&option| numbers[option]).collect();
    taken.sort_unstable();
    taken.dedup();
    let first_gap = |(place, number): &(usize, &u32)| *place as u32 != **number;
    let gap = taken.iter().enumerate().find(first_gap);
    gap.map_or(taken.len(), |(place, _)| place) as u32
}

/// Whether each position is the same as the heap of its number even if nobody wants to move
/// last. Moves to higher numbers can be taken back by the other one, unless there is nothing
/// else to move and a heap that is gone would end the game: then there must be a move to 1,
/// which loses at once as the last move should.
pub(crate) fn are_heaps(options: &[Vec<usize>], numbers: &[u32]) -> bool {
    let is_heap = |(options, &number): (&Vec<usize>, &u32)| {
        number > 0 || options.is_empty() || options.iter().any(|&option| numbers[option] == 1)
    };
    options.iter().zip(numbers).all(is_heap)
}

/// Whether who is to move wins a sum of heaps.
pub(crate) fn mover_wins(convention: Convention, numbers: &[u32]) -> bool {
    let together = numbers.iter().fold(0, |together, number| together ^ number);
    let only_small = numbers.iter().all(|&number| number < 2);
    match convention {
        Convention::Misere if only_small => together == 0,
        _ => together != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who is to move wins, by trying everything.
    fn wins(options: &[Vec<usize>], sum: &[usize], last_wins: bool) -> bool {
        let mut successors = Vec::new();
        for (part, &position) in sum.iter().enumerate() {
            for &option in &options[position] {
                let mut next = sum.to_vec();
                next[part] = option;
                successors.push(next);
            }
        }
        match successors.is_empty() {
            true => !last_wins,
            false => successors.iter().any(|next| !wins(options, next, last_wins)),
        }
    }

    /// Small games without a way back, by a generator of the test's own.
    fn random_game(seed: u64, positions: usize) -> Vec<Vec<usize>> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut bit = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 33 & 1 == 1
        };
        (0..positions).map(|own| (0..own).filter(|_| bit()).collect()).collect()
    }

    #[test]
    fn numbers_settle_sums_of_random_games() {
        let (mut tame, mut wild) = (0, 0);
        for seed in 0..60 {
            let options = random_game(seed, 7);
            let numbers = numbers(&options).expect("no way back");
            let is_tame = are_heaps(&options, &numbers);
            *(if is_tame { &mut tame } else { &mut wild }) += 1;
            for one in 0..7 {
                for other in 0..=one {
                    let heaps = [numbers[one], numbers[other]];
                    let normal = mover_wins(Convention::Normal, &heaps);
                    assert_eq!(normal, wins(&options, &[one, other], true), "{seed} {one} {other}");
                    if is_tame {
                        let misere = mover_wins(Convention::Misere, &heaps);
                        assert_eq!(misere, wins(&options, &[one, other], false), "{seed}");
                    }
                }
            }
        }
        assert!(tame > 5 && wild > 5, "both kinds are needed: {tame} and {wild}");
    }

    #[test]
    fn ways_back_have_no_numbers() {
        assert_eq!(numbers(&[vec![1], vec![0]]), None);
        assert_eq!(numbers(&[vec![0]]), None);
        assert_eq!(numbers(&[vec![], vec![0], vec![0, 1]]), Some(vec![0, 1, 2]));
    }
}
