//! Random streams: each playout has one of its own, named by the run seed, the
//! number of its position and its number there, and by nothing else. So every
//! word, core and machine draws the same numbers for it.
//!
//! # The generator
//! A stream is 64 bits of state that slide over a sequence of bits:
//! ```text
//! s[n + 64] = s[n] ^ s[n + 14] ^ s[n + 31] ^ s[n + 45]
//! drawn[n]  = s[n] ^ (s[n + 19] & s[n + 37]) ^ (s[n + 26] & s[n + 48])
//! ```
//! The recurrence is a primitive polynomial, so that the state comes back only
//! after 2⁶⁴ − 1 bits; the two products hide its linearity. A draw is 16 bits.
//!
//! In each ply a playout draws once for the first role that has several moves,
//! even if no role has, and once more for each further role that has, in the order
//! of the roles. A role with one move needs no draw.
//!
//! It has this shape because the kernel runs it for all lanes of a word at once,
//! with one word per bit of the state. There a shift costs nothing, since it is a
//! matter of which word is read, whereas the multiplications of a PCG would cost
//! thousands of operations. The steps that one draw needs do not depend on each
//! other: no tap reaches further than 48 bits.

/// Bits of a draw.
pub const DRAW_BITS: usize = 16;

/// Bits of the state.
pub const STATE_BITS: usize = 64;

/// Where the next bit of the state comes from, beside its oldest bit.
pub const FEEDBACK: [usize; 3] = [14, 31, 45];

/// The pairs of bits whose products are added to the oldest bit.
pub const FILTER: [[usize; 2]; 2] = [[19, 37], [26, 48]];

// All bits of a draw, and all new bits of the state, exist before the draw.
const _: () = assert!(FEEDBACK[2] + DRAW_BITS <= STATE_BITS);
const _: () = assert!(FILTER[0][1] + DRAW_BITS <= STATE_BITS);
const _: () = assert!(FILTER[1][1] + DRAW_BITS <= STATE_BITS);

/// The streams of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionStreams(u64);

impl PositionStreams {
    /// The streams of the position with this number in the run with this seed.
    #[must_use]
    pub const fn new(seed: u64, position: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(position)))
    }

    /// The stream of a playout.
    #[must_use]
    #[inline(always)]
    pub const fn playout(self, number: u64) -> Stream {
        let state = mix(self.0 ^ number.wrapping_mul(GOLDEN));
        // All zeros would stay so for ever.
        Stream(if state == 0 { GOLDEN } else { state })
    }
}

/// The stream of one playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The state before the next draw; bit `i` is `s[n + i]`, and one is set.
    #[must_use]
    #[inline(always)]
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The next 16 bits.
    #[must_use]
    #[inline(always)]
    pub const fn draw(&mut self) -> u16 {
        let state = self.0;
        let [[a, b], [c, d]] = FILTER;
        let drawn = state ^ (state >> a & state >> b) ^ (state >> c & state >> d);
        let [e, f, g] = FEEDBACK;
        let feedback = state ^ state >> e ^ state >> f ^ state >> g;
        self.0 = state >> DRAW_BITS | feedback << (STATE_BITS - DRAW_BITS);
        drawn as u16
    }
}

/// The golden ratio, whose multiples are spread most evenly.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A permutation of the numbers in which each bit depends on all bits: the
/// finaliser of SplitMix64.
#[inline(always)]
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(GOLDEN);
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// The choice that a draw makes among `count` things: `draw / 2¹⁶` of the way
/// through them. Each has a probability of `1 / count` to within 2⁻¹⁶.
#[must_use]
#[inline(always)]
pub const fn scale(draw: u16, count: u32) -> u32 {
    ((draw as u64 * count as u64) >> DRAW_BITS) as u32
}
