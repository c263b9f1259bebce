//! A batch on its way: the positions as they came, the results as they come.

use ruche_shared::wire::work::{NUMBER_BYTES, payload_bytes};
use ruche_shared::wire::{FrameError, HEADER_BYTES, Header, Kind, LONGEST_PAYLOAD};
use zerocopy::{FromBytes, IntoBytes};

use super::game::Game;
use super::part::Part;
use crate::frames;

/// A batch of the host that is not answered yet.
#[derive(Debug)]
pub(super) struct Batch {
    /// The header under which it came.
    pub header: Header,
    /// Whether its parts stand in line.
    pub is_started: bool,
    work: Vec<u8>,
    number: u64,
    position_bytes: usize,
    result_bytes: usize,
    /// The answer, whose header is filled in at the end.
    answer: Vec<u8>,
    finished: Vec<Part>,
    open: u32,
    /// How long the clusters were at it together.
    nanoseconds: u64,
}

impl Batch {
    /// The batch in a `Work` frame of the host.
    pub fn parse(header: Header, work: Vec<u8>, game: &Game) -> Result<Self, FrameError> {
        let number = checked_number(&header, &work[HEADER_BYTES..], game)?;
        let result_bytes = game.columns.bytes();
        Ok(Self {
            header,
            is_started: false,
            number,
            position_bytes: payload_bytes(1, game.fluents) - NUMBER_BYTES,
            result_bytes,
            answer: vec![0; HEADER_BYTES + header.count as usize * result_bytes],
            finished: Vec::new(),
            open: header.count,
            nanoseconds: 0,
            work,
        })
    }

    /// The positions of a part as a frame for a cluster in this life.
    pub fn part_frame(&self, part: &Part, generation: u32) -> Vec<u8> {
        let header = self.part_header(part, Kind::Work);
        let number = self.number + u64::from(part.first);
        let positions = &self.work[HEADER_BYTES + NUMBER_BYTES..];
        let range = part.range();
        let (from, to) = (range.start * self.position_bytes, range.end * self.position_bytes);
        frames::frame(Header { generation, ..header }, &[number.as_bytes(), &positions[from..to]])
    }

    /// Takes the results of a part.
    pub fn take(&mut self, part: Part, nanoseconds: u64, results: &[u8]) {
        self.nanoseconds = self.nanoseconds.saturating_add(nanoseconds);
        let from = HEADER_BYTES + part.first as usize * self.result_bytes;
        self.answer[from..from + results.len()].copy_from_slice(results);
        self.open -= part.count;
        self.finished.push(part);
    }

    /// Parts whose results are there.
    pub fn finished(&self) -> &[Part] {
        &self.finished
    }

    /// Whether all results are there.
    pub fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// All results as one frame for the host.
    pub fn into_answer(mut self) -> Vec<u8> {
        let header = Header {
            kind: Kind::Done as u16,
            first: 0,
            nanoseconds: self.nanoseconds,
            ..self.header
        };
        frames::seal(header, &mut self.answer);
        self.answer
    }

    /// What is there, part by part, as frames for the host.
    pub fn finished_frames(&self) -> impl Iterator<Item = Vec<u8>> {
        self.finished.iter().map(|part| {
            let from = HEADER_BYTES + part.first as usize * self.result_bytes;
            let results = &self.answer[from..from + part.count as usize * self.result_bytes];
            frames::frame(self.part_header(part, Kind::Done), &[results])
        })
    }

    fn part_header(&self, part: &Part, kind: Kind) -> Header {
        Header { kind: kind as u16, first: part.first, count: part.count, ..self.header }
    }
}

/// The number of the first position, if the frame is what it says.
fn checked_number(header: &Header, payload: &[u8], game: &Game) -> Result<u64, FrameError> {
    let wrong = |what| FrameError::Payload { kind: Kind::Work, what };
    let (expected, found) = (payload_bytes(header.count as usize, game.fluents), payload.len());
    if expected != found {
        return Err(FrameError::Length { expected, found });
    }
    if header.count == 0 || header.playouts == 0 {
        return Err(wrong("it asks for nothing"));
    }
    if header.first != 0 {
        return Err(wrong("a batch comes in one frame and starts with its first position"));
    }
    if header.count as usize * game.columns.bytes() > LONGEST_PAYLOAD {
        return Err(wrong("its results would not fit into one frame: send smaller batches"));
    }
    let (number, _) = u64::read_from_prefix(payload).map_err(|_| wrong("it has no number"))?;
    match number.checked_add(u64::from(header.count)) {
        Some(_) => Ok(number),
        None => Err(wrong("the numbers of its positions are too large")),
    }
}
