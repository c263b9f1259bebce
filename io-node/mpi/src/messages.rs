//! The few calls that a transport needs of a message-passing library.
//!
//! None of them waits. [`link`](crate::link) is written against this trait, so
//! that its handling of lost ranks is tested without MPI too.

/// The number of a rank.
pub type Rank = usize;

/// What a message is for, told apart by MPI's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Purpose {
    /// Carries a frame.
    Frame = 1,
    /// An empty sign of life.
    Pulse = 2,
    /// The sender has ended in good order, nothing follows: one byte, its status.
    Farewell = 3,
}

impl Purpose {
    /// The purpose with this tag. A tag that nobody uses is only a sign of life.
    #[must_use]
    pub fn of_tag(tag: i32) -> Self {
        match tag {
            1 => Self::Frame,
            3 => Self::Farewell,
            _ => Self::Pulse,
        }
    }
}

/// What is known of a message before it is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Who sent it.
    pub source: Rank,
    /// What it is for.
    pub purpose: Purpose,
    /// How long it is.
    pub bytes: usize,
}

/// Why a call failed, in the library's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

/// Messages between ranks. Nothing here waits.
pub trait Messages {
    /// A message on its way, with the memory that it is read from or written to.
    type Transfer;

    /// Starts to send.
    ///
    /// # Errors
    /// If the receiver is known to be lost.
    fn start_send(
        &self,
        bytes: Vec<u8>,
        to: Rank,
        purpose: Purpose,
    ) -> Result<Self::Transfer, Failure>;

    /// Whether a message has come: from this rank, or from any. The same one is
    /// found again until it is received.
    ///
    /// # Errors
    /// If that rank, or any, is known to be lost.
    fn probe(&self, from: Option<Rank>) -> Result<Option<Envelope>, Failure>;

    /// Starts to receive the message that was found.
    ///
    /// # Errors
    /// If the sender is known to be lost.
    fn start_receive(&self, envelope: Envelope) -> Result<Self::Transfer, Failure>;

    /// The bytes of a transfer if it is complete.
    ///
    /// # Errors
    /// If it never will be. The transfer is of no more use then.
    fn complete(&self, transfer: &mut Self::Transfer) -> Result<Option<Vec<u8>>, Failure>;
}
