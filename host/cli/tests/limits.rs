//! What is too large is refused by name, with what would do.

mod support;

use ruche_shared::image::{MAX_SLOTS, Parts, encode, encoded_length};
use support::{assert_refused, file};

#[test]
fn a_short_image_that_asks_for_gigabytes_is_refused() {
    let parts = Parts {
        wide: true,
        fluents: 0,
        slots: MAX_SLOTS,
        terminal_slot: 0,
        move_starts: &[0, 0],
        goals: &[],
        initial: &[],
        code: [&[], &[], &[]],
    };
    let mut image = vec![0; encoded_length(&parts)];
    encode(&parts, &mut image).unwrap();
    assert_eq!(image.len(), 64);
    let greedy = file("greedy.ruche", image);
    let words = ["byte 32: 2097152 slots", "at most as many as words of code, which are 0"];
    assert_refused(&["bench", &greedy, "--seconds", "0.01"], &words);
    assert_refused(&["search", &greedy, "--seconds", "0.01"], &words);
}
