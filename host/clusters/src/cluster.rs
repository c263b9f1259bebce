//! A cluster kernel on this host, at the end of a connection to an I/O node.

use std::sync::Arc;

use ruche_io_node::frames::assemble;
use ruche_io_node::transport::Endpoint;
use ruche_playouts::HostEngine;
use ruche_runtime::cluster::serve;
use ruche_runtime::hal::{Link, LinkClosed};
use ruche_shared::wire::{HEADER_BYTES, Header};
use ruche_threads::{ClusterMemory, Host, Threads};
use zerocopy::FromBytes;

/// Serves an I/O node until it says stop or is gone, in so many bytes.
pub fn run(endpoint: impl Endpoint, engine: &HostEngine, memory: u64) {
    run_until(endpoint, engine, memory, u64::MAX, None);
}

/// Serves an I/O node, but dies before it sends the frame of this number: for
/// whoever wants to see what happens then. Cores leave a processor to the host, if the
/// node runs on its thread.
pub fn run_until(
    endpoint: impl Endpoint,
    engine: &HostEngine,
    memory: u64,
    frames: u64,
    host: Option<Arc<Host>>,
) {
    let threads = host.clone().map_or_else(Threads::default, Threads::beside);
    let mut link = KernelLink { endpoint, frame: Vec::new(), left: frames, work: None, host };
    // That the I/O node is gone is an end like any other.
    let _ = serve(&threads, engine, &mut link, ClusterMemory::new(memory).games());
}

/// The kernel's link over a connection.
struct KernelLink<E> {
    endpoint: E,
    /// The frame that was received last.
    frame: Vec<u8>,
    /// Frames that may still be sent.
    left: u64,
    /// From a payload to the next wait for a frame.
    work: Option<tracing::span::EnteredSpan>,
    /// Who is called by what is sent.
    host: Option<Arc<Host>>,
}

impl<E: Endpoint> Link for KernelLink<E> {
    fn receive(&mut self) -> Result<Header, LinkClosed> {
        self.work = None;
        let _span = tracing::info_span!("wait").entered();
        loop {
            match self.endpoint.receive(None) {
                Ok(Some(frame)) => self.frame = frame,
                Ok(None) => continue,
                Err(_) => return Err(LinkClosed),
            }
            // A frame whose payload was cut off is as good as none.
            if let Ok((header, payload)) = Header::read_from_prefix(&self.frame)
                && header.length as usize == payload.len()
            {
                return Ok(header);
            }
        }
    }

    fn payload(&mut self, into: &mut [u8]) -> Result<(), LinkClosed> {
        self.work = Some(tracing::info_span!("cluster").entered());
        into.copy_from_slice(&self.frame[HEADER_BYTES..]);
        Ok(())
    }

    fn send(&mut self, header: &Header, pieces: &[&[u8]]) -> Result<(), LinkClosed> {
        self.left = self.left.checked_sub(1).ok_or(LinkClosed)?;
        let _span = tracing::info_span!("send").entered();
        self.host.iter().for_each(|host| host.call());
        self.endpoint.send(assemble(header, pieces)).map_err(|_| LinkClosed)
    }
}
