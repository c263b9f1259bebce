//! What must hold for any bytes from outside: the bodies of the fuzz targets.
//! Each takes an input of its target and panics if a promise is broken.
//!
//! The fuzzer calls them through `tests/fuzz`, where their inputs are kept; the
//! test `fuzz_corpus` replays those without a fuzzer.

mod image;
mod meaning;

use std::time::Duration;

pub use image::Fate;
use image::play_everywhere;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_compiler::{Compiled, Options, SymbolTable, WorkLimits};
use ruche_eval::{Evaluator, Word};
use ruche_gdl::Diagnostic;
use ruche_ggp::{Message, Status, kif};
use ruche_io_node::transport::faulty::{FakeCluster, fake_load, fake_work};
use ruche_io_node::{IoNode, NodeSettings, Peer, RunMode, frames};
use ruche_shared::Image;
use ruche_shared::image::{Section, seal};
use ruche_shared::wire::control::{self, Hello, Load, Loss, Ready, Refusal, Sharing};
use ruche_shared::wire::work::Work;
use ruche_shared::wire::{Frame, Header, Kind, MAGIC, VERSION, results};
use zerocopy::FromBytes;

/// More slots only cost time.
const MOST_SLOTS: usize = 1 << 16;
/// Moves that are made in a game that compiles.
const PLIES: usize = 8;

/// A target by its name, which is also that of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 5] = [
    ("parse_gdl", parse_gdl),
    ("compile_gdl", compile_gdl),
    ("parse_image", parse_image),
    ("parse_frame", parse_frame),
    ("parse_message", parse_message),
];

/// Any bytes as GDL: a description or diagnostics, and what was read can be
/// printed and read again.
///
/// # Panics
/// When the front end breaks a promise.
pub fn parse_gdl(source: &[u8]) {
    for diagnostic in ruche_gdl::load(source).map_or_else(|found| found, |(_, warnings)| warnings) {
        check_diagnostic(&diagnostic, source);
    }
    if let Ok(description) = ruche_gdl::parse(source) {
        let text = description.text();
        let again = ruche_gdl::parse(text.as_bytes()).expect("printed text parses");
        assert_eq!(again.text(), text);
        assert_eq!(again.rules.len(), description.rules.len());
    }
}

fn check_diagnostic(diagnostic: &Diagnostic, source: &[u8]) {
    assert!(!diagnostic.help.is_empty());
    assert!(diagnostic.render("fuzz", source).contains(&diagnostic.message));
}

/// Any bytes as a game: refused within small limits, or a sound image that can
/// be played.
///
/// # Panics
/// When the compiler or the evaluator breaks a promise.
pub fn compile_gdl(source: &[u8]) {
    let Ok((description, _)) = ruche_gdl::load(source) else { return };
    match ruche_compiler::compile(&description, &Options { limits: WorkLimits::small() }) {
        Ok(compiled) => check_compiled(&compiled),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check_compiled(compiled: &Compiled) {
    let (image, names) = compiled.file.split_at(compiled.image_length);
    assert_eq!(SymbolTable::parse(names).as_ref(), Ok(&compiled.symbols));
    with_aligned(image, |bytes| {
        let image = Image::parse(bytes).expect("the compiler makes valid images");
        let mut scratch = vec![0; image.slots()];
        image.validate_strata(&mut scratch).expect("the gates of a stratum are independent");
        image.validate_flow(&mut scratch).expect("what is read was written");
        assert_eq!(image.moves(), compiled.symbols.moves.len());
        play(&image, &mut Pcg64Mcg::seed_from_u64(image.length() as u64));
    });
}

/// Plays a few plies in all lanes, also where the game is over or a role has no
/// legal move: the evaluator must stand it.
fn play(image: &Image<'_>, random: &mut Pcg64Mcg) {
    let mut slots = vec![0_u64; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).expect("the arena is large enough");
    for lane in 0..u64::LANES {
        evaluator.load(lane, image.initial()).expect("the initial state is a position");
    }
    for _ in 0..PLIES {
        evaluator.legal();
        evaluator.goal();
        for lane in 0..u64::LANES {
            choose(&mut evaluator, lane, random);
        }
        evaluator.next();
    }
}

/// Chooses for each role a random move of the lane, a legal one if there is any.
fn choose(evaluator: &mut Evaluator<'_, '_, u64>, lane: usize, random: &mut Pcg64Mcg) {
    for role in 0..evaluator.image().roles() {
        let _ = evaluator.score(lane, role);
        let moves = evaluator.legal_moves(role);
        let legal: Vec<usize> = (0..moves.len()).filter(|&each| moves[each].lane(lane)).collect();
        let chosen = match (legal.choose(random), moves.len()) {
            (Some(legal), _) => *legal,
            (None, 0) => continue,
            (None, all) => random.random_range(0..all),
        };
        evaluator.choose(lane, role, chosen).expect("a move of this role");
    }
}

/// Any bytes as an image: refused, or played to an end by everybody who plays, with the
/// same results.
///
/// The bytes are tried as they are and with a fitting length and checksum, which
/// no mutation would ever hit.
///
/// # Panics
/// When the image format or whoever plays breaks a promise.
pub fn parse_image(data: &[u8]) {
    play_image(data);
}

/// The same, with what became of the bytes that have a fitting length and checksum.
///
/// # Panics
/// As [`parse_image`].
pub fn play_image(data: &[u8]) -> Fate {
    let mut fate = Fate::Refused;
    with_aligned(data, |bytes| {
        evaluate(bytes);
        seal(bytes);
        evaluate(bytes);
        fate = play_everywhere(bytes);
    });
    fate
}

/// Lends a copy that starts where an image must: at a 4-byte boundary.
fn with_aligned(data: &[u8], borrower: impl FnOnce(&mut [u8])) {
    let mut words = vec![0_u32; data.len().div_ceil(size_of::<u32>())];
    let bytes = &mut bytemuck::cast_slice_mut(&mut words)[..data.len()];
    bytes.copy_from_slice(data);
    borrower(bytes);
}

fn evaluate(bytes: &[u8]) {
    let Ok(image) = Image::parse(bytes) else { return };
    if image.slots() > MOST_SLOTS {
        return;
    }
    let mut slots = vec![0_u64; image.slots()];
    let _ = image.validate_strata(&mut vec![0; image.slots()]);
    let _ = image.validate_flow(&mut vec![0; image.slots()]);
    let mut evaluator = Evaluator::new(&image, &mut slots).expect("the arena is large enough");
    for lane in [0, 63] {
        evaluator.load(lane, image.initial()).expect("the initial state is a position");
    }
    Section::ALL.into_iter().for_each(|section| evaluator.run(section));
    for role in 0..image.roles() {
        let _ = (evaluator.legal_moves(role), evaluator.score(63, role));
    }
}

/// Any bytes as a frame: refused, or read by everybody who reads frames. An I/O
/// node that gets it from its host or from a cluster stands it, and what it sends
/// then are sound frames.
///
/// The bytes are tried as they are and with a fitting start, length and checksum.
///
/// # Panics
/// When the frames or the I/O node break a promise.
pub fn parse_frame(data: &[u8]) {
    receive(data);
    if let Ok((header, payload)) = Header::read_from_prefix(data) {
        receive(&frames::frame(Header { magic: MAGIC, version: VERSION, ..header }, &[payload]));
    }
}

fn receive(bytes: &[u8]) {
    read_frame(bytes);
    let mut node = busy_node();
    node.on_cluster(0, bytes, Duration::ZERO);
    node.on_host(bytes.to_vec(), Duration::ZERO);
    node.on_cluster(1, bytes, Duration::ZERO);
    while let Some((_, frame)) = node.outbox().pop() {
        Frame::parse(&frame).expect("a node sends sound frames");
    }
    while let Some(deadline) = node.next_deadline() {
        node.on_tick(deadline);
    }
}

fn read_frame(bytes: &[u8]) {
    let Ok(Frame { header, kind, payload }) = Frame::parse(bytes) else { return };
    let _ = control::unpack::<Hello>(payload, kind);
    let _ = control::unpack::<Load>(payload, kind);
    let _ = control::unpack::<Ready>(payload, kind);
    let _ = control::unpack::<Refusal>(payload, kind);
    let _ = control::unpack::<Loss>(payload, kind);
    for size in [0, 1, 40, 2000] {
        let _ = results::parse(&header, payload, results::Columns::of_roles(size));
        with_aligned(payload, |payload| {
            let _ = Work::parse(&header, payload, size);
        });
    }
}

/// A node with two clusters in the middle of a batch.
fn busy_node() -> IoNode {
    let (mut node, now) = (IoNode::new(NodeSettings::new(2)), Duration::ZERO);
    (0..2).for_each(|cluster| node.on_cluster(cluster, &FakeCluster::hello(), now));
    let deadline = Duration::from_secs(5);
    let sharing = Sharing { clusters: 2, run_mode: RunMode::Sync, deadline };
    node.on_host(fake_load(1, 1, 2, 40, sharing), now);
    while let Some((to, frame)) = node.outbox().pop() {
        if let (Peer::Cluster(cluster), Some(answer)) = (to, FakeCluster::default().answer(&frame))
        {
            node.on_cluster(cluster, &answer, now);
        }
    }
    let header = Header { run: 1, batch: 1, count: 4, playouts: 1, ..Header::new(Kind::Work) };
    node.on_host(fake_work(header, 0, 40), now);
    while node.outbox().pop().is_some() {}
    node
}

/// Any bytes as a message of a game manager, or as what a player says of itself: refused in
/// a few words, or read, and what was read can be written and read again.
///
/// # Panics
/// When the protocol breaks a promise.
pub fn parse_message(data: &[u8]) {
    let text = kif::text_of(data);
    let _ = Status::parse(&text);
    match Message::parse(&text) {
        Ok(message) => {
            let written = message.to_string();
            let again = Message::parse(&written).expect("what is written can be read");
            assert_eq!(again.to_string(), written);
            assert_eq!(again.id(), message.id());
        }
        Err(error) => assert!(error.to_string().len() < 1000),
    }
}
