//! Clusters that are silent, and clusters that are lost.

use std::fmt::Display;
use std::time::Duration;

use ruche_shared::wire::control::{self, Loss, Refusal, Text};

use super::part::Part;
use super::{Header, IoNode, Kind, Life, Peer, frames};

impl IoNode {
    /// A cluster has missed a deadline.
    pub(super) fn miss(&mut self, cluster: usize, now: Duration) {
        let is_alone = self.players() == 1;
        let known = &mut self.clusters[cluster];
        let noise = known.noise.clone();
        let (life, is_forgiven) = (known.life, known.is_forgiven(is_alone, now));
        match life {
            Life::Loading if is_forgiven => self.send_game(cluster, now),
            Life::Ready(_) if is_forgiven && is_alone => self.ask_again(cluster),
            Life::Ready(_) if is_forgiven => self.ask_another(cluster, now),
            // It may have come, and nobody have understood it.
            Life::Expected if is_forgiven => self.ask_name(cluster),
            _ => self.lose(cluster, self.silence(cluster, noise), now),
        }
    }

    /// A cluster could not read something: if it is waited for, it was that.
    pub(super) fn garbled(&mut self, cluster: usize, now: Duration) {
        self.damaged(cluster, "it could not read what it was sent");
        match self.clusters[cluster].life {
            Life::Expected => self.ask_name(cluster),
            _ if self.deadline_of(cluster).is_some() => self.miss(cluster, now),
            _ => {}
        }
    }

    /// Asks a cluster to report for duty once more.
    fn ask_name(&mut self, cluster: usize) {
        let header = self.header_for(cluster, Kind::Hello);
        self.send(Peer::Cluster(cluster), frames::frame(header, &[]));
    }

    /// A cluster is at a part, and says so. If that is not the part that it is waited for,
    /// the answer to that one was lost, and its deadline stands.
    pub(super) fn alive(&mut self, cluster: usize, header: &Header, now: Duration) {
        if self.is_current(cluster, header) {
            self.clusters[cluster].is_at(header.batch, header.first, now);
        }
    }

    /// A cluster says what it died of.
    pub(super) fn failed(
        &mut self,
        cluster: usize,
        header: &Header,
        payload: &[u8],
        now: Duration,
    ) {
        if header.generation != self.clusters[cluster].generation {
            return self.statistics.late += 1;
        }
        match control::unpack::<Refusal>(payload, Kind::Failed) {
            Ok(why) => self.lose(cluster, format_args!("cluster {cluster} failed: {why}"), now),
            Err(error) => self.damaged(cluster, error),
        }
    }

    /// What a cluster did not do, for a person.
    fn silence(&self, cluster: usize, noise: Option<String>) -> String {
        let patience = self.game.as_ref().map_or(Duration::ZERO, |game| game.sharing.deadline);
        let what = match self.clusters[cluster].life {
            Life::Expected => "never reported for duty",
            Life::Loading => "did not load the game",
            _ => "did not answer",
        };
        let heard = noise.map(|noise| format!(" ({noise})")).unwrap_or_default();
        format!("cluster {cluster} {what} within {patience:?}{heard}")
    }

    /// Sends the part that a cluster should have answered to it once more.
    fn ask_again(&mut self, cluster: usize) {
        if let Some(part) = self.clusters[cluster].overdue() {
            part.sent += 1;
            let part = *part;
            self.send_positions(cluster, &part);
        }
    }

    /// Lets somebody else play the part that a cluster should have answered.
    fn ask_another(&mut self, cluster: usize, now: Duration) {
        if let Some(part) = self.clusters[cluster].withdraw() {
            self.line.push_front(Part { home: None, avoid: Some(cluster), ..part });
            self.hand_out(now);
        }
    }

    /// Marks a cluster as dead and gives its parts to the others, also if it is
    /// started again: the others are there already.
    pub(super) fn lose(&mut self, cluster: usize, why: impl Display, now: Duration) {
        if !self.clusters[cluster].is_alive() {
            return;
        }
        let homeless = |part: &Part| part.home == Some(cluster);
        self.line.iter_mut().filter(|part| homeless(part)).for_each(|p| *p = p.for_anybody());
        for part in self.clusters[cluster].die().into_iter().rev() {
            self.line.push_front(part.for_anybody());
        }
        // What waits for it is of its former life: if it could not be sent, that would be
        // taken for the end of the next one.
        self.outbox.forget(Peer::Cluster(cluster));
        self.statistics.lost += 1;
        match self.clusters[cluster].revive(now) {
            true => {
                self.to_restart.push_back(cluster);
                self.tell_loss(cluster, format_args!("{why}; it is started again"));
            }
            false => {
                self.give_up_if_last();
                self.tell_loss(cluster, why);
            }
        }
        self.finish_loading();
        self.hand_out(now);
    }

    fn tell_loss(&mut self, cluster: usize, why: impl Display) {
        let left = self.players() as u32;
        let loss = Loss { cluster: cluster as u32, left, text: Text::of(why) };
        let header = self.header_for(cluster, Kind::Lost);
        self.send(Peer::Host, frames::control(header, &loss));
    }

    /// When nobody is left, the host gets what was finished.
    fn give_up_if_last(&mut self) {
        if self.players() == 0 {
            let batches = std::mem::take(&mut self.batches);
            for frame in batches.iter().flat_map(|batch| batch.finished_frames()) {
                self.send(Peer::Host, frame);
            }
            self.line.clear();
        }
    }
}
