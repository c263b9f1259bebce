//! Positions to the clusters, results to the host.

use std::time::Duration;

use ruche_shared::wire::control::Refusal;
use ruche_shared::wire::results::{self, Columns};

use super::part::{Part, parts};
use super::{Batch, Header, IoNode, Peer, Phase, RunMode};

impl IoNode {
    /// The host wants positions to be played.
    pub(super) fn work(&mut self, header: Header, frame: Vec<u8>, now: Duration) {
        let in_flight = self.batches.iter().find(|batch| batch.header.batch == header.batch);
        match in_flight.filter(|batch| batch.header.run == header.run) {
            Some(batch) if batch.header == header => self.statistics.duplicate += 1,
            Some(_) => self.refuse(
                &header,
                format_args!("batch {} is in flight: count batches up", header.batch),
            ),
            None => self.accept(header, frame, now),
        }
    }

    fn accept(&mut self, header: Header, frame: Vec<u8>, now: Duration) {
        match &self.game {
            _ if self.players() == 0 => self.refuse(&header, "no cluster is left: start again"),
            Some(game) if game.run != header.run => {
                let text =
                    format!("it belongs to run {}, but this is run {}", header.run, game.run);
                self.refuse(&header, text);
            }
            Some(game) if game.phase == Phase::Ready => match Batch::parse(header, frame, game) {
                Ok(batch) => self.start(batch, now),
                Err(error) => self.refuse(&header, error),
            },
            _ => self.refuse(&header, "no game is ready: send Load and wait for Ready"),
        }
    }

    fn start(&mut self, batch: Batch, now: Duration) {
        self.batches.push_back(batch);
        self.line_up();
        self.hand_out(now);
    }

    /// Puts the parts of batches in line: of all that came, or, one after the
    /// other, of the first.
    fn line_up(&mut self) {
        let Some(game) = &self.game else { return };
        let run_mode = game.sharing.run_mode;
        let plays = |cluster: &usize| self.clusters[*cluster].is_player();
        let players: Vec<usize> = (0..self.clusters.len()).filter(plays).collect();
        let queue = self.abilities().map_or(usize::MAX, |ready| ready.queue as usize);
        let most = self.settings.part_positions.min(queue);
        let at_once = match run_mode {
            RunMode::Sync => 1,
            RunMode::Async => usize::MAX,
        };
        for batch in self.batches.iter_mut().take(at_once).filter(|batch| !batch.is_started) {
            let Header { batch: number, count, .. } = batch.header;
            self.line.extend(parts(number, count as usize, &players, run_mode, most));
            batch.is_started = true;
        }
    }

    /// Gives parts to clusters as long as one waits that somebody can take.
    pub(super) fn hand_out(&mut self, now: Duration) {
        while let Some((place, cluster)) = self.next_match() {
            if let Some(part) = self.line.remove(place) {
                self.send_part(cluster, Part { sent: part.sent + 1, ..part }, now);
            }
        }
    }

    /// The first part in line that some cluster can take, and the cluster.
    fn next_match(&self) -> Option<(usize, usize)> {
        let credit = self.settings.credit;
        if !self.clusters.iter().any(|cluster| cluster.has_credit(credit)) {
            return None;
        }
        let takers = self.line.iter().map(|part| self.taker(part));
        takers.enumerate().find_map(|(place, taker)| Some((place, taker?)))
    }

    /// The least busy cluster that can take a part.
    fn taker(&self, part: &Part) -> Option<usize> {
        let (is_alone, credit) = (self.players() == 1, self.settings.credit);
        let can = |cluster: &usize| {
            self.clusters[*cluster].has_credit(credit) && part.suits(*cluster, is_alone)
        };
        let clusters = (0..self.clusters.len()).filter(can);
        clusters.min_by_key(|cluster| self.clusters[*cluster].outstanding())
    }

    fn send_part(&mut self, cluster: usize, part: Part, now: Duration) {
        self.clusters[cluster].give(part, now);
        self.send_positions(cluster, &part);
    }

    /// Sends the positions of a part that the cluster has.
    pub(super) fn send_positions(&mut self, cluster: usize, part: &Part) {
        let generation = self.clusters[cluster].generation;
        let batch = self.batches.iter().find(|batch| batch.header.batch == part.batch);
        if let Some(frame) = batch.map(|batch| batch.part_frame(part, generation)) {
            self.statistics.parts += 1;
            self.statistics.resent += u64::from(part.sent > 1);
            self.send(Peer::Cluster(cluster), frame);
        }
    }

    /// A cluster has played a part.
    pub(super) fn done(&mut self, cluster: usize, header: &Header, payload: &[u8], now: Duration) {
        if !self.is_current(cluster, header) {
            return;
        }
        let Some(part) = self.clusters[cluster].find(header.batch, header.first).copied() else {
            return self.statistics.duplicate += 1;
        };
        match self.checked(&part, header, payload) {
            Ok(()) => self.take(cluster, part, header, payload, now),
            Err(why) => self.damaged(cluster, why),
        }
    }

    /// Whether the results are those of the part.
    fn checked(&self, part: &Part, header: &Header, payload: &[u8]) -> Result<(), String> {
        let batch = self.batches.iter().find(|batch| batch.header.batch == part.batch);
        let expected = (part.count, batch.map_or(0, |batch| batch.header.playouts));
        if (header.count, header.playouts) != expected {
            return Err("a Done frame is not for what was asked".to_owned());
        }
        let columns = self.game.as_ref().map_or(Columns::default(), |game| game.columns);
        results::parse(header, payload, columns).map(drop).map_err(|error| error.to_string())
    }

    fn take(&mut self, cluster: usize, part: Part, header: &Header, results: &[u8], now: Duration) {
        self.clusters[cluster].answered(&part, now);
        self.statistics.positions += u64::from(part.count);
        let place = self.batches.iter().position(|batch| batch.header.batch == part.batch);
        if let Some(place) = place {
            self.batches[place].take(part, header.nanoseconds, results);
            self.answer_if_complete(place);
        }
        self.hand_out(now);
    }

    fn answer_if_complete(&mut self, place: usize) {
        if self.batches[place].is_complete()
            && let Some(batch) = self.batches.remove(place)
        {
            self.statistics.batches += 1;
            self.send(Peer::Host, batch.into_answer());
            self.line_up();
        }
    }

    /// A cluster refused a part: its batch cannot be played by anybody, since all
    /// play the same game.
    pub(super) fn cancel(&mut self, header: &Header, refusal: &Refusal, now: Duration) {
        let is_void = |part: &Part| part.batch == header.batch;
        self.batches.retain(|batch| batch.header.batch != header.batch);
        self.line.retain(|part| !is_void(part));
        self.clusters.iter_mut().for_each(|cluster| cluster.forget(is_void, now));
        self.refuse_as(header, refusal);
        self.line_up();
        self.hand_out(now);
    }
}
