//! What to do about a game that does not fit into the memory of a cluster.

use ruche_clusters::Topology;
use ruche_shared::{Image, Transport, WordWidth};

/// With which memory the game could be played; none if it fits.
pub fn advice(image: &Image<'_>, topology: &Topology, transport: Transport) -> Option<String> {
    if topology.account(image, WordWidth::One).fits() {
        return None;
    }
    let megabytes = |width| topology.account(image, width).bytes().div_ceil(1 << 20);
    let [least, usual] = [WordWidth::One, WordWidth::SixtyFour].map(megabytes);
    let elsewhere = match transport {
        Transport::Inproc | Transport::Mpi => "",
        Transport::Direct | Transport::Board | Transport::Model => "--transport inproc with ",
    };
    let wider = match usual > least {
        true => format!(", and {usual}M for words of 64 lanes"),
        false => String::new(),
    };
    Some(format!(
        ": {elsewhere}--budget {least}M would do{wider}; --transport direct plays without clusters"
    ))
}
