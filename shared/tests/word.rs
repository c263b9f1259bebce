//! Words of lanes: what people read and what frames hold.

use ruche_shared::WordWidth;

#[test]
fn one_lane_takes_a_byte_per_slot() {
    assert_eq!(WordWidth::WIDEST_FIRST.map(WordWidth::lanes), [64, 32, 16, 8, 1]);
    assert_eq!(WordWidth::WIDEST_FIRST.map(WordWidth::bytes), [8, 4, 2, 1, 1]);
}

#[test]
fn a_word_is_its_lanes_to_people_and_in_frames() {
    for width in WordWidth::ALL {
        assert_eq!(width.to_string().parse(), Ok(width));
        let mut packed = [0; 8];
        let packed = postcard::to_slice(&width, &mut packed).unwrap();
        assert_eq!(postcard::from_bytes(packed), Ok(width.lanes()));
        assert_eq!(postcard::from_bytes(packed), Ok(width));
    }
    assert!(postcard::from_bytes::<WordWidth>(&[63]).is_err());
}

#[test]
fn other_words_are_refused_with_those_that_there_are() {
    let list = "possible: 1, 8, 16, 32, 64, 128, 256, 512";
    let refused = |text: &str| text.parse::<WordWidth>().unwrap_err().to_string();
    assert_eq!(refused("63"), format!("there is no word of 63 lanes; {list}"));
    assert_eq!(refused("few"), format!("a word is given by its lanes; {list}"));
}
