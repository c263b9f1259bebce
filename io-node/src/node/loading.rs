//! The handshake, and games on their way to the clusters.

use std::fmt::Display;
use std::time::Duration;

use ruche_shared::wire::control::{self, Hello, Ready, Refusal, Text};
use ruche_shared::wire::{HEADER_BYTES, SCHEMA, VERSION};
use zerocopy::FromBytes;

use super::{Cluster, FrameError, Game, Header, IoNode, Kind, Life, Peer, Phase, frames};

impl IoNode {
    /// The host wants a game to be played.
    pub(super) fn load(&mut self, header: Header, frame: Vec<u8>, now: Duration) {
        let phase = self.game.as_ref().filter(|game| game.is_of(&header)).map(|game| game.phase);
        match (phase, self.run()) {
            (Some(Phase::Loading), _) => self.statistics.duplicate += 1,
            (Some(Phase::Ready), _) => self.announce(),
            (None, run) if self.game.is_some() && header.run <= run => self.refuse(
                &header,
                format_args!("run {run} has begun: a new game needs a higher run than that"),
            ),
            (Some(Phase::Refused) | None, _) => self.load_new(header, frame, now),
        }
    }

    fn load_new(&mut self, header: Header, frame: Vec<u8>, now: Duration) {
        if self.living() == 0 {
            return self.refuse(&header, "no cluster is left to load a game: start again");
        }
        match Game::parse(header, frame, self.clusters.len()) {
            Ok(game) => self.begin(game, now),
            Err(error) => self.refuse(&header, error),
        }
    }

    /// Drops all that belongs to older runs and sends the game out. Clusters that
    /// have not reported yet get it when they do.
    fn begin(&mut self, game: Game, now: Duration) {
        self.choose_players(game.sharing.clusters as usize);
        self.game = Some(game);
        self.batches.clear();
        self.line.clear();
        for cluster in 0..self.clusters.len() {
            let known = &mut self.clusters[cluster];
            known.forget(|_| true, now);
            known.praise();
            known.wait_from(now);
            match known.life {
                Life::Expected | Life::Dead => {}
                _ if known.rests => self.send_to_rest(cluster),
                _ => self.send_game(cluster, now),
            }
        }
    }

    /// The first so many clusters that live shall play, or all if they are fewer.
    fn choose_players(&mut self, wanted: usize) {
        let mut left = wanted;
        for cluster in self.clusters.iter_mut().filter(|cluster| cluster.is_alive()) {
            cluster.rests = left == 0;
            left = left.saturating_sub(1);
        }
    }

    /// Lets a cluster do without a game: what it may have is over.
    fn send_to_rest(&mut self, cluster: usize) {
        self.clusters[cluster].life = Life::Idle;
        let header = self.header_for(cluster, Kind::Rest);
        self.send(Peer::Cluster(cluster), frames::frame(header, &[]));
    }

    /// Sends the game to a cluster, again or for the first time.
    pub(super) fn send_game(&mut self, cluster: usize, now: Duration) {
        let Some(game) = &self.game else { return };
        let known = &mut self.clusters[cluster];
        known.life = Life::Loading;
        known.wait_from(now);
        let frame = game.frame(known.generation);
        self.send(Peer::Cluster(cluster), frame);
    }

    /// A cluster reports for duty.
    pub(super) fn hello(&mut self, cluster: usize, payload: &[u8], now: Duration) {
        if self.clusters[cluster].life != Life::Expected {
            return self.statistics.duplicate += 1;
        }
        match control::unpack::<Hello>(payload, Kind::Hello) {
            Ok(Hello { schema: SCHEMA, .. }) => self.welcome(cluster, now),
            Ok(Hello { schema, .. }) => self.turn_away(
                cluster,
                format_args!(
                    "cluster {cluster} lays out frames differently (schema {schema:#018x} instead \
                     of {SCHEMA:#018x}): build both from the same sources"
                ),
                now,
            ),
            Err(error) => self.damaged(cluster, error),
        }
    }

    fn welcome(&mut self, cluster: usize, now: Duration) {
        self.clusters[cluster].life = Life::Idle;
        let is_played = |game: &Game| matches!(game.phase, Phase::Loading | Phase::Ready);
        if self.game.as_ref().is_some_and(is_played) && !self.clusters[cluster].rests {
            self.send_game(cluster, now);
        }
    }

    /// A cluster that speaks another language is of no use.
    fn turn_away(&mut self, cluster: usize, why: impl Display + Copy, now: Duration) {
        let refusal = Refusal { cluster: Some(cluster as u32), text: Text::of(why) };
        let header = self.header_for(cluster, Kind::Refused);
        self.refuse_as(&header, &refusal);
        self.lose(cluster, why, now);
    }

    /// A frame that cannot be read. Another version is no damage if everything else
    /// about the frame is right.
    pub(super) fn on_damaged_frame(
        &mut self,
        cluster: usize,
        frame: &[u8],
        error: FrameError,
        now: Duration,
    ) {
        let is_stranger = matches!(error, FrameError::Version { .. }) && has_right_checksum(frame);
        self.damaged(cluster, error);
        if let (FrameError::Version { found }, true) = (error, is_stranger) {
            let why = format_args!(
                "cluster {cluster} speaks version {found} instead of {VERSION}: build both from \
                 the same sources"
            );
            self.turn_away(cluster, why, now);
        }
    }

    /// A cluster can play the game.
    pub(super) fn ready(&mut self, cluster: usize, header: &Header, payload: &[u8], now: Duration) {
        if !self.is_current(cluster, header) {
            return;
        }
        match control::unpack::<Ready>(payload, Kind::Ready) {
            Ok(ready) if self.clusters[cluster].life == Life::Loading => {
                // One position it must take, whatever it says.
                let ready = Ready { queue: ready.queue.max(1), ..ready };
                self.clusters[cluster].life = Life::Ready(ready);
                self.clusters[cluster].praise();
                self.clusters[cluster].wait_from(now);
                self.finish_loading();
                self.hand_out(now);
            }
            Ok(_) => self.statistics.duplicate += 1,
            Err(error) => self.damaged(cluster, error),
        }
    }

    /// Tells the host if nobody is awaited any more.
    pub(super) fn finish_loading(&mut self) {
        let is_ready = |cluster: &Cluster| matches!(cluster.life, Life::Ready(_));
        let mut players = self.clusters.iter().filter(|cluster| cluster.is_player());
        let is_complete = players.all(is_ready);
        if let Some(game) = &mut self.game
            && game.phase == Phase::Loading
            && is_complete
        {
            game.phase = Phase::Ready;
            self.announce();
        }
    }

    /// What all clusters that live can do: the narrowest word, the least room.
    pub(super) fn abilities(&self) -> Option<Ready> {
        let answers = self.clusters.iter().filter_map(|cluster| match cluster.life {
            Life::Ready(ready) => Some(ready),
            _ => None,
        });
        answers.reduce(|least, ready| Ready {
            width: least.width.min(ready.width),
            free: least.free.min(ready.free),
            queue: least.queue.min(ready.queue),
        })
    }

    /// Says what all clusters can do.
    fn announce(&mut self) {
        if let Some(ready) = self.abilities() {
            let header = Header { run: self.run(), ..Header::new(Kind::Ready) };
            self.send(Peer::Host, frames::control(header, &ready));
        }
    }

    /// A cluster will not do what it was sent: load a game, or play a part.
    pub(super) fn refused(
        &mut self,
        cluster: usize,
        header: &Header,
        payload: &[u8],
        now: Duration,
    ) {
        if !self.is_current(cluster, header) {
            return;
        }
        let refusal = match control::unpack::<Refusal>(payload, Kind::Refused) {
            Ok(refusal) => Refusal { cluster: Some(cluster as u32), ..refusal },
            Err(error) => return self.damaged(cluster, error),
        };
        let known = &self.clusters[cluster];
        // What refers to nothing that was sent refers to a frame that was damaged.
        let part = known.find(header.batch, header.first);
        if known.life == Life::Loading && self.is_loading() {
            self.end_loading(header, &refusal);
        } else if known.life == Life::Loading {
            self.lose(cluster, format_args!("cluster {cluster} refuses the game: {refusal}"), now);
        } else if part.is_some_and(|part| part.count == header.count) {
            self.cancel(header, &refusal, now);
        } else {
            self.damaged(cluster, refusal);
        }
    }

    /// The first refusal is the answer: nobody is awaited after it.
    fn end_loading(&mut self, header: &Header, refusal: &Refusal) {
        let loading = self.clusters.iter_mut().filter(|cluster| cluster.life == Life::Loading);
        loading.for_each(|cluster| cluster.life = Life::Idle);
        if let Some(game) = &mut self.game {
            game.phase = Phase::Refused;
        }
        self.refuse_as(&Header { batch: 0, ..*header }, refusal);
    }
}

fn has_right_checksum(frame: &[u8]) -> bool {
    let header = Header::read_from_prefix(frame);
    header.is_ok_and(|(header, _)| header.check(&frame[HEADER_BYTES..]).is_ok())
}
