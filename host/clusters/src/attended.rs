//! A network whose host says when it waits: cores leave a processor to it until then.

use std::sync::Arc;
use std::time::Duration;

use ruche_io_node::Peer;
use ruche_io_node::transport::{Closed, Network, PeerEvent};
use ruche_threads::Host;

/// A network of an I/O node on the host's thread.
#[derive(Debug)]
pub struct Attended<N> {
    network: N,
    host: Arc<Host>,
}

impl<N> Attended<N> {
    /// A network that this host uses.
    pub(crate) fn new(network: N, host: Arc<Host>) -> Self {
        Self { network, host }
    }
}

impl<N: Network> Network for Attended<N> {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        self.network.send(to, frame)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        if timeout == Some(Duration::ZERO) {
            return self.network.receive(timeout);
        }
        self.host.rest();
        let received = self.network.receive(timeout);
        self.host.call();
        received
    }

    fn restart(&mut self, cluster: usize) -> Result<(), Closed> {
        self.network.restart(cluster)
    }
}

impl<N> Drop for Attended<N> {
    /// Nobody waits for a host that has gone.
    fn drop(&mut self) {
        self.host.rest();
    }
}
