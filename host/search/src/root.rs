//! Root parallelism: several trees that know nothing of each other, each grown by a thread
//! of its own, and merged at the root.
//!
//! ```text
//! thread 0   Uct ─┐ batches            ┌─▶ whoever plays
//! thread 1   Uct ─┼────────▶ serving ──┤
//! thread …   Uct ─┘ ◀──────── results  └──
//! ```
//!
//! It is the simplest way to use more than one core for the tree, and what others are
//! compared with: trees find the same things several times, and see no deeper than one of
//! them. What a tree finds depends on its number and on nothing that others do, so that with
//! a limit of playouts the report is the same every time.
//!
//! | module | question it answers |
//! |---|---|
//! | `serving` | how do several threads share whoever plays? |
//! | `merging` | what do the trees say together? |

mod merging;
mod serving;

use std::thread;
use std::time::{Duration, Instant};

use ruche_game::{Game, State};
use ruche_offload::Offload;

use crate::Searcher;
use crate::limits::{Limits, Stop};
use crate::method::SearchMethod;
use crate::report::{Progress, SearchError, SearchReport};
use crate::settings::{LEAST_MEMORY, Merge, SearchOptions, SearchSettings};
use crate::uct::Uct;
use serving::{Server, Watch};

/// Several searches by UCT of the same position.
#[derive(Debug)]
pub struct Root {
    trees: Vec<Uct>,
    merge: Merge,
    time: Duration,
}

impl SearchMethod for Root {
    const NAME: &'static str = "root";
    const ABOUT: &'static str = "root parallelism: several trees by UCT, each with a thread of its own, merged at the root";

    fn new(game: &Game, settings: &SearchSettings) -> Result<Self, SearchError> {
        let options = settings.options();
        let memory = options.memory / options.trees as u64;
        let each = SearchOptions { memory: memory.max(LEAST_MEMORY), ..*options }.check();
        let each = each.map_err(|_| SearchError::Memory { memory: options.memory })?;
        let tree = |number| Ok(Uct::new(game, &each)?.numbered(number as u64));
        let trees = (0..options.trees).map(tree).collect::<Result<_, SearchError>>()?;
        Ok(Self { trees, merge: options.merge, time: Duration::ZERO })
    }
}

impl Searcher for Root {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        self.time = Duration::ZERO;
        self.trees.iter_mut().try_for_each(|tree| tree.set_position(state))
    }

    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        let start = Instant::now();
        let count = self.trees.len();
        let playouts = limits.playouts.map(|playouts| playouts.div_ceil(count as u64));
        let limits = Limits { playouts, ..*limits };
        let (mut server, clients) = Server::new(offload.attributes(), count);
        let mut watch = Watch::new(count, self.time, start, progress);
        let (served, found) = thread::scope(|scope| {
            let trees = self.trees.iter_mut().zip(clients);
            let searches: Vec<_> = trees
                .map(|(tree, mut client)| {
                    let mut tell = client.teller();
                    let search = move || tree.search(&mut client, &limits, stop, &mut tell);
                    scope.spawn(search)
                })
                .collect();
            let served = server.serve(offload, &mut watch);
            // Who still waits for an answer hears that none will come.
            drop(server);
            let found = searches.into_iter().map(|search| match search.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            (served, found.collect::<Result<Vec<_>, _>>())
        });
        self.time += start.elapsed();
        match (served, found) {
            (Ok(()), Ok(_)) => Ok(self.report()),
            (Ok(()), Err(error)) => Err(error),
            (Err(source), _) => {
                Err(SearchError::Offload { source, report: Box::new(self.report()) })
            }
        }
    }

    fn report(&mut self) -> SearchReport {
        let reports = self.trees.iter_mut().map(Uct::report).collect();
        SearchReport { time: self.time, ..merging::merged(reports, self.merge) }
    }
}
