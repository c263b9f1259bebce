//! The kernel's link: frames take virtual time.

use std::rc::Rc;

use ruche_io_node::frames::assemble;
use ruche_runtime::hal::{Link, LinkClosed};
use ruche_shared::wire::{HEADER_BYTES, Header, Kind};
use zerocopy::FromBytes;

use super::Cluster;
use crate::faults::Direction;
use crate::parameters::nanoseconds;
use crate::world::{Event, Pause};

/// PC0's connection to the I/O node.
pub(crate) struct ModelLink {
    cluster: Rc<Cluster>,
    frame: Vec<u8>,
}

impl ModelLink {
    pub fn new(cluster: Rc<Cluster>) -> Self {
        Self { cluster, frame: Vec::new() }
    }
}

impl Link for ModelLink {
    fn receive(&mut self) -> Result<Header, LinkClosed> {
        let (cluster, world) = (&*self.cluster, self.cluster.world());
        loop {
            if cluster.is_dead() {
                return Err(LinkClosed);
            }
            let frame = cluster.inbox.borrow_mut().pop_front();
            match frame {
                Some(frame) => self.frame = frame,
                None => {
                    cluster.receiver.set(Some(world.current()));
                    world.suspend(Pause::Waiting);
                    continue;
                }
            }
            // A frame whose payload was cut off is as good as none.
            let Ok((header, payload)) = Header::read_from_prefix(&self.frame) else { continue };
            if header.length as usize != payload.len() {
                continue;
            }
            if header.kind() == Ok(Kind::Work) {
                cluster.working_since.set(Some(world.now()));
            }
            world.spend(cluster.dilated(cluster.common.parameters.cluster.message_ns));
            return Ok(header);
        }
    }

    fn payload(&mut self, into: &mut [u8]) -> Result<(), LinkClosed> {
        into.copy_from_slice(&self.frame[HEADER_BYTES..]);
        let rate = self.cluster.common.parameters.cluster.copy_bytes_per_second;
        self.cluster.world().spend(self.cluster.dilated(nanoseconds(into.len(), rate)));
        // From here on PC0 sets cores going; some strategies say no more about it.
        self.cluster.note_start();
        Ok(())
    }

    fn send(&mut self, header: &Header, pieces: &[&[u8]]) -> Result<(), LinkClosed> {
        let (cluster, world) = (&*self.cluster, self.cluster.world());
        world.spend(cluster.dilated(cluster.common.parameters.cluster.message_ns));
        if let Some(since) = cluster.working_since.take() {
            cluster.account(|usage| usage.busy += world.now() - since);
        }
        if cluster.is_dead() {
            return Err(LinkClosed);
        }
        let frame = assemble(header, pieces);
        let arrival = world.now() + cluster.common.parameters.noc.latency_ns;
        let number = cluster.number;
        let arrivals = match &cluster.common.fate {
            None => vec![(arrival, frame)],
            Some(fate) => fate.pass(number, Direction::ToIoNode, arrival, frame),
        };
        for (arrival, frame) in arrivals {
            world.schedule(arrival, Event::FromCluster { cluster: number, frame });
        }
        Ok(())
    }
}
