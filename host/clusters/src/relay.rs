//! A connection that belongs to one thread, lent to others: whoever has the other end of a
//! relay may be on any thread, and the thread that runs it carries the frames.
//!
//! ```text
//!  any thread ── Lent ──▶ channel ──▶ Relay::run, on its thread ──▶ the connection
//!                  ◀───── channel ◀──
//! ```

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use ruche_io_node::transport::{Closed, Endpoint};

/// How long a frame waits at most until it is carried, while there are others.
const GLANCE: Duration = Duration::from_micros(200);

/// The same where nothing has come for a while. A connection gives its signs of life when
/// somebody looks at it, so that it is never longer.
const DOZE: Duration = Duration::from_millis(50);

/// After so much silence nobody hurries.
const SILENCE: Duration = Duration::from_secs(1);

/// Carries frames between a connection and those who have no access to it.
#[derive(Debug)]
pub struct Relay<E> {
    connection: E,
    outgoing: Receiver<Vec<u8>>,
    incoming: Sender<Vec<u8>>,
}

/// The end of a relay that may be anywhere.
#[derive(Debug)]
pub struct Lent {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
}

impl<E: Endpoint> Relay<E> {
    /// A relay and its other end.
    pub fn new(connection: E) -> (Self, Lent) {
        let (to_relay, outgoing) = channel();
        let (incoming, from_relay) = channel();
        let relay = Self { connection, outgoing, incoming };
        (relay, Lent { outgoing: to_relay, incoming: from_relay })
    }

    /// Carries frames until the connection is closed, or the other end was dropped and all
    /// that it has sent is on its way.
    pub fn run(mut self) {
        let mut last = Instant::now();
        loop {
            let is_quiet = last.elapsed() > SILENCE;
            match self.carry(is_quiet) {
                Ok(true) => last = Instant::now(),
                Ok(false) => {}
                Err(Closed) => return,
            }
        }
    }

    /// Carries what there is. Returns whether there was anything.
    fn carry(&mut self, is_quiet: bool) -> Result<bool, Closed> {
        let mut has_carried = false;
        if is_quiet {
            match self.outgoing.recv_timeout(DOZE) {
                Ok(frame) => return self.connection.send(frame).map(|()| true),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Closed),
            }
        }
        loop {
            match self.outgoing.try_recv() {
                Ok(frame) => self.connection.send(frame)?,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(Closed),
            }
            has_carried = true;
        }
        let mut patience = if is_quiet { Duration::ZERO } else { GLANCE };
        while let Some(frame) = self.connection.receive(Some(patience))? {
            // Whoever has gone does not miss it.
            let _ = self.incoming.send(frame);
            (has_carried, patience) = (true, Duration::ZERO);
        }
        Ok(has_carried)
    }
}

impl Endpoint for Lent {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        self.outgoing.send(frame).map_err(|_| Closed)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        let Some(timeout) = timeout else {
            return self.incoming.recv().map(Some).map_err(|_| Closed);
        };
        match self.incoming.recv_timeout(timeout) {
            Ok(frame) => Ok(Some(frame)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use ruche_io_node::Peer;
    use ruche_io_node::transport::inproc::network;
    use ruche_io_node::transport::{Network, PeerEvent};

    use super::*;

    #[test]
    fn frames_go_both_ways_in_their_order_and_the_last_arrives() {
        let (host, mut node, _clusters) = network(0);
        let (relay, mut lent) = Relay::new(host);
        let elsewhere = thread::spawn(move || {
            for number in 0..100_u8 {
                lent.send(vec![number]).unwrap();
                assert_eq!(lent.receive(None), Ok(Some(vec![number, 1])));
            }
            lent.send(vec![255]).unwrap();
        });
        let node = thread::spawn(move || {
            let mut heard = Vec::new();
            while let Ok(Some((Peer::Host, event))) = node.receive(None) {
                let PeerEvent::Frame(frame) = event else { break };
                heard.push(frame[0]);
                if frame[0] < 255 {
                    node.send(Peer::Host, vec![frame[0], 1]).unwrap();
                }
            }
            heard
        });
        relay.run();
        elsewhere.join().unwrap();
        let expected: Vec<u8> = (0..100).chain([255]).collect();
        assert_eq!(node.join().unwrap(), expected);
    }

    #[test]
    fn a_closed_connection_is_closed_for_all() {
        let (host, node, _clusters) = network(0);
        let (relay, mut lent) = Relay::new(host);
        drop(node);
        lent.send(vec![1]).unwrap();
        relay.run();
        assert_eq!(lent.receive(None), Err(Closed));
        assert_eq!(lent.send(vec![2]), Err(Closed));
    }
}
