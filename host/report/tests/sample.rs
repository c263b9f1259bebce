//! Samples as they are kept in files: text that stays as it is.

use ruche_report::{Clock, Positions, Sample, Transport};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;

/// A line of `results.jsonl` from before settings had types.
const STORED: &str = r#"{"plan":"mine","game":"empty","clusters":4,"threads":16,"strategy":"restart","mode":"per-core","word":64,"playouts_per_position":1,"batch":64,"bytes":200,"in_flight":2,"io_nodes":1,"positions":"initial","cost_factor":1.0,"clock":"model","transport":"model","repetition":0,"seed":7,"runs":10,"playouts":640,"seconds":0.5,"run_seconds":0.05,"playouts_per_second":1280.0,"shares":{"host":0.1,"transfer":0.2,"hand_off":0.3,"playouts":0.3,"waiting":0.1},"signature":"00ff","machine":"MPPA-256","version":"0.1.0","invocation":"ruche study mine"}"#;

#[test]
fn stored_samples_are_read_and_written_as_they_are() {
    let sample: Sample = serde_json::from_str(STORED).unwrap();
    assert_eq!(serde_json::to_string(&sample).unwrap(), STORED);
}

#[test]
fn what_is_behind_a_sample_does_no_harm() {
    let sealed = STORED.replace("\"ruche study mine\"", "\"ruche study mine\",\"checksum\":\"0\"");
    let sample: Sample = serde_json::from_str(&sealed).unwrap();
    assert_eq!(serde_json::to_string(&sample).unwrap(), STORED);
}

#[test]
fn settings_have_types() {
    let Sample { point, clock, transport, .. } = serde_json::from_str(STORED).unwrap();
    assert_eq!((point.strategy, point.mode), (Strategy::Restart, Mode::PerCore));
    assert_eq!((point.word, point.positions), (WordWidth::SixtyFour, Positions::Initial));
    assert_eq!((clock, transport), (Clock::Model, Transport::Model));
}

#[test]
fn what_has_no_such_name_is_no_sample() {
    for (known, unknown) in [
        (r#""strategy":"restart""#, r#""strategy":"sleep""#),
        (r#""mode":"per-core""#, r#""mode":"both""#),
        (r#""word":64"#, r#""word":63"#),
        (r#""word":64"#, r#""word":"64""#),
        (r#""positions":"initial""#, r#""positions":"final""#),
        (r#""clock":"model""#, r#""clock":"sun""#),
        (r#""transport":"model""#, r#""transport":"pigeon""#),
    ] {
        assert!(STORED.contains(known));
        let text = STORED.replace(known, unknown);
        assert!(serde_json::from_str::<Sample>(&text).is_err(), "{unknown}");
    }
}
