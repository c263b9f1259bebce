//! Several threads share whoever plays: batches come from all of them, and each gets the
//! results of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError};

use crate::report::Progress;
use crate::uct::NUMBER_SHIFT;

/// How long to wait for results before looking again for batches.
const GLANCE: Duration = Duration::from_millis(1);

/// What a tree has to say.
enum Request {
    Batch(Batch),
    Progress(usize, Progress),
}

/// Hands batches over, and results back.
pub(super) struct Server {
    requests: Receiver<Request>,
    answers: Vec<Sender<Finished>>,
    /// Numbers of batches under way.
    under_way: Vec<u64>,
}

impl Server {
    /// And for each tree somebody who plays, as far as it can see.
    pub(super) fn new(attributes: Attributes, trees: usize) -> (Self, Vec<Client>) {
        let (sender, requests) = channel();
        let (mut answers, mut clients) = (Vec::new(), Vec::new());
        for tree in 0..trees {
            let (answer, answered) = channel();
            answers.push(answer);
            clients.push(Client { tree, requests: sender.clone(), answers: answered, attributes });
        }
        (Self { requests, answers, under_way: Vec::new() }, clients)
    }

    /// Serves until all trees have ended.
    pub(super) fn serve(
        &mut self,
        offload: &mut dyn Offload,
        watch: &mut Watch<'_>,
    ) -> Result<(), OffloadError> {
        loop {
            match self.next_request() {
                Ok(Request::Batch(batch)) => {
                    self.under_way.push(batch.number);
                    offload.submit(batch)?;
                }
                Ok(Request::Progress(tree, progress)) => watch.tell(tree, progress),
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    if let Some(finished) = offload.collect_within(GLANCE)? {
                        self.hand_back(finished)?;
                    }
                }
            }
        }
    }

    /// What a tree has to say, if any has, or if there is nothing else to wait for.
    fn next_request(&self) -> Result<Request, TryRecvError> {
        match self.under_way.is_empty() {
            true => self.requests.recv().map_err(|_| TryRecvError::Disconnected),
            false => self.requests.try_recv(),
        }
    }

    /// Who has stopped waiting for results hears of them when it goes on.
    fn hand_back(&mut self, finished: Finished) -> Result<(), OffloadError> {
        self.under_way.retain(|&number| number != finished.number);
        let tree = (finished.number >> NUMBER_SHIFT) as usize;
        let Some(answers) = self.answers.get(tree) else {
            let reason = format!("batch {} is of no tree", finished.number);
            return Err(OffloadError::Lost { reason, finished: 0 });
        };
        // One that has ended needs no results.
        let _ = answers.send(finished);
        Ok(())
    }
}

/// Whoever plays, as a tree sees it.
pub(super) struct Client {
    tree: usize,
    requests: Sender<Request>,
    answers: Receiver<Finished>,
    attributes: Attributes,
}

impl Client {
    /// Tells how far its tree is.
    pub(super) fn teller(&self) -> impl FnMut(&Progress) + Send + use<> {
        let (tree, requests) = (self.tree, self.requests.clone());
        // Nobody listens where whoever plays has failed: the tree will hear of it.
        move |progress| drop(requests.send(Request::Progress(tree, progress.clone())))
    }
}

fn nobody() -> OffloadError {
    OffloadError::Lost { reason: "whoever plays for all trees has failed".into(), finished: 0 }
}

impl Offload for Client {
    fn attributes(&self) -> Attributes {
        self.attributes
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.requests.send(Request::Batch(batch)).map_err(|_| nobody())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.answers.recv().map_err(|_| nobody())
    }

    fn collect_within(&mut self, patience: Duration) -> Result<Option<Finished>, OffloadError> {
        match self.answers.recv_timeout(patience) {
            Ok(finished) => Ok(Some(finished)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(nobody()),
        }
    }
}

/// Tells how far all trees are.
pub(super) struct Watch<'a> {
    latest: Vec<Option<Progress>>,
    before: Duration,
    start: Instant,
    progress: &'a mut dyn FnMut(&Progress),
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        trees: usize,
        before: Duration,
        start: Instant,
        progress: &'a mut dyn FnMut(&Progress),
    ) -> Self {
        Self { latest: vec![None; trees], before, start, progress }
    }

    /// What looks best is what looks best to the tree with the most playouts.
    fn tell(&mut self, tree: usize, told: Progress) {
        self.latest[tree] = Some(told);
        let known = || self.latest.iter().flatten();
        let playouts = known().map(|one| one.playouts).sum();
        let best_score = known().filter_map(|one| one.best_score).max();
        let time = self.before + self.start.elapsed();
        // Only one was just told, so there is one.
        if let Some(most) = known().max_by_key(|one| one.playouts).cloned() {
            (self.progress)(&Progress { playouts, time, best_score, report: None, ..most });
        }
    }
}
