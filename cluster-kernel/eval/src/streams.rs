//! The random streams of all lanes, one word per bit of their states.
//!
//! The generator of [`ruche_shared::stream`] slides over a sequence of bits.
//! Here the words form a ring: a draw writes 16 new words over the 16 oldest ones
//! and moves nothing. The ring starts at one of four places, and a draw is
//! compiled for each of them, so that it need not compute where the words are.

use ruche_shared::stream::{DRAW_BITS, FEEDBACK, FILTER, STATE_BITS, Stream};

use crate::transpose::transpose;
use crate::word::{CHUNK_LANES, Word};

/// A draw for each lane: word `i` holds bit `i` of all lanes.
pub type Draw<W> = [W; DRAW_BITS];

/// Fewer new streams than this are written bit by bit; for more it is cheaper to
/// transpose the states of a whole word. Measured with the benchmark `refill`.
const WORTH_TRANSPOSING: u32 = 4;

/// One stream per lane.
#[derive(Debug)]
pub struct Streams<W: Word> {
    /// Bit `i` of the states is word `head + i`, or 64 words before.
    ring: [W; STATE_BITS],
    /// A multiple of the bits of a draw.
    head: usize,
    /// With one lane, the ring would cost 16 times as much as the stream itself.
    single: Option<Stream>,
    /// States on their way into the ring. Before they are transposed, that of lane
    /// `64 × c + r` is chunk `c` of word `r`; afterwards word `i` holds bit `i`.
    fresh: [W; STATE_BITS],
}

impl<W: Word> Streams<W> {
    /// Streams that draw nothing but zeros, until others are set.
    #[must_use]
    pub fn new() -> Self {
        Self { ring: [W::ZERO; STATE_BITS], head: 0, single: None, fresh: [W::ZERO; STATE_BITS] }
    }

    /// Gives the lanes of the mask new streams, lowest lane first. Each is asked
    /// for by its lane.
    #[inline(always)]
    pub fn set(&mut self, lanes: W, mut stream: impl FnMut(usize) -> Stream) {
        lanes.for_each_lane(|lane| self.prepare(lane, stream(lane)));
        self.start(lanes);
    }

    /// A lane gets a new stream when it [starts](Self::start): many at a time cost
    /// hardly more than one.
    #[inline(always)]
    pub fn prepare(&mut self, lane: usize, stream: Stream) {
        match W::LANES {
            1 => self.single = Some(stream),
            // The states of a narrow word would not fit into 64 words.
            ..CHUNK_LANES => self.insert(lane, stream.state()),
            _ => self.fresh[lane % CHUNK_LANES].set_chunk(lane / CHUNK_LANES, stream.state()),
        }
    }

    /// Lets the lanes of the mask, all that are prepared, go on with their new
    /// streams.
    #[inline(always)]
    pub fn start(&mut self, lanes: W) {
        if W::LANES < CHUNK_LANES {
            return;
        }
        if lanes.count() < WORTH_TRANSPOSING {
            lanes.for_each_lane(|lane| {
                let state = self.fresh[lane % CHUNK_LANES].chunk(lane / CHUNK_LANES);
                self.insert(lane, state);
            });
            return;
        }
        transpose(&mut self.fresh);
        self.insert_fresh(lanes);
    }

    /// Replaces the state of one lane.
    #[inline(always)]
    fn insert(&mut self, lane: usize, state: u64) {
        let (chunk, lane) = (lane / CHUNK_LANES, lane % CHUNK_LANES);
        for bit in 0..STATE_BITS {
            let place = (self.head + bit) % STATE_BITS;
            let others = self.ring[place].chunk(chunk) & !(1 << lane);
            let lanes = others | (state >> bit & 1) << lane;
            self.ring[place].set_chunk(chunk, lanes);
        }
    }

    /// Replaces the states of some lanes by the transposed ones.
    #[inline(always)]
    fn insert_fresh(&mut self, lanes: W) {
        for bit in 0..STATE_BITS {
            let word = &mut self.ring[(self.head + bit) % STATE_BITS];
            *word = self.fresh[bit].select(*word, lanes);
        }
    }

    /// The next draw of the only lane of a word that has just one.
    #[inline(always)]
    pub fn draw_single(&mut self) -> u16 {
        self.single.as_mut().map_or(0, Stream::draw)
    }

    /// Lets all lanes draw.
    #[inline(always)]
    pub fn draw(&mut self, drawn: &mut Draw<W>) {
        match self.head / DRAW_BITS {
            0 => self.draw_from::<0>(drawn),
            1 => self.draw_from::<1>(drawn),
            2 => self.draw_from::<2>(drawn),
            _ => self.draw_from::<3>(drawn),
        }
        self.head = (self.head + DRAW_BITS) % STATE_BITS;
    }

    /// The draw when the ring starts behind so many draws.
    #[inline(always)]
    fn draw_from<const DRAWS: usize>(&mut self, drawn: &mut Draw<W>) {
        let ([[a, b], [c, d]], [e, f, g]) = (FILTER, FEEDBACK);
        for (bit, drawn) in drawn.iter_mut().enumerate() {
            let first = DRAWS * DRAW_BITS + bit;
            let products = (self.bit(first + a) & self.bit(first + b))
                ^ (self.bit(first + c) & self.bit(first + d));
            *drawn = self.bit(first) ^ products;
        }
        for bit in 0..DRAW_BITS {
            let first = DRAWS * DRAW_BITS + bit;
            let feedback = self.bit(first).sum(self.bit(first + e), self.bit(first + f));
            self.ring[first] = feedback ^ self.bit(first + g);
        }
    }

    #[inline(always)]
    fn bit(&self, place: usize) -> W {
        self.ring[place % STATE_BITS]
    }

    /// Lets some lanes draw once more. The others keep the draw that they have, and
    /// draw the same again next time. This is dear, because the ring turns for all:
    /// the states of the others have to be turned with it.
    #[inline(always)]
    pub fn draw_again(&mut self, draw: &Draw<W>, lanes: W) -> Draw<W> {
        for bit in 0..STATE_BITS {
            self.fresh[bit] = self.bit(self.head + bit);
        }
        let mut drawn = [W::ZERO; DRAW_BITS];
        self.draw(&mut drawn);
        if lanes != W::ONES {
            self.insert_fresh(!lanes);
            for (drawn, &kept) in drawn.iter_mut().zip(draw) {
                *drawn = drawn.select(kept, lanes);
            }
        }
        drawn
    }
}

impl<W: Word> Default for Streams<W> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::{OneLane, Wide};
    use ruche_shared::stream::PositionStreams;

    fn drawn_by<W: Word>(draw: &Draw<W>, lane: usize) -> u16 {
        draw.iter()
            .enumerate()
            .fold(0, |drawn, (bit, word)| drawn | u16::from(word.lane(lane)) << bit)
    }

    /// Lanes get new streams in changing patterns, few and many at a time, and
    /// each draws what the scalar generator draws.
    fn lanes_draw_as_their_streams_do<W: Word>() {
        let streams = PositionStreams::new(1, 2);
        let mut all = Streams::<W>::new();
        let mut expected: [Option<Stream>; 512] = [None; 512];
        let mut number = 0;
        for round in 0..40 {
            let mut lanes = W::ZERO;
            let every = [1, 2, 3, 17, 40][round % 5];
            (0..W::LANES)
                .filter(|lane| lane % every == round % every)
                .for_each(|lane| lanes.set_lane(lane, true));
            let first = number;
            lanes.for_each_lane(|lane| {
                expected[lane] = Some(streams.playout(number));
                number += 1;
            });
            let mut numbers = first..;
            all.set(lanes, |_| streams.playout(numbers.next().unwrap()));
            let mut draw = [W::ZERO; DRAW_BITS];
            all.draw(&mut draw);
            for (lane, stream) in expected.iter_mut().enumerate() {
                let Some(stream) = stream else { continue };
                assert_eq!(drawn_by(&draw, lane), stream.draw(), "lane {lane} in round {round}");
            }
        }
    }

    #[test]
    fn every_word_draws_the_same() {
        lanes_draw_as_their_streams_do::<u8>();
        lanes_draw_as_their_streams_do::<u16>();
        lanes_draw_as_their_streams_do::<u32>();
        lanes_draw_as_their_streams_do::<u64>();
        lanes_draw_as_their_streams_do::<Wide<2>>();
        lanes_draw_as_their_streams_do::<Wide<8>>();
    }

    #[test]
    fn one_lane_draws_the_same() {
        let mut expected = PositionStreams::new(3, 4).playout(5);
        let mut streams = Streams::<OneLane>::new();
        assert_eq!(streams.draw_single(), 0);
        streams.set(OneLane::ONES, |_| expected);
        for _ in 0..100 {
            assert_eq!(streams.draw_single(), expected.draw());
        }
    }
}
