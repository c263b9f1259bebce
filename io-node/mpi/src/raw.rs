//! [`Messages`] through MPI.
//!
//! The safe calls of the `mpi` crate ignore return codes, and a lost rank shows
//! only in them. So this module calls its `ffi`, with `MPI_ERRORS_RETURN` set.
//! All unsafe code of the crate is here.
//!
//! What every block relies on:
//! - **the thread**: MPI was initialised for one calling thread, and
//!   [`Communicator`] panics when it is used on another;
//! - **the time**: a [`Communicator`] is used only between `MPI_Init` and
//!   `MPI_Finalize`, as whoever makes one has to promise;
//! - **the memory** of a [`Transfer`] is handed out only after MPI has said that
//!   it is done with it. What MPI may still touch is leaked, never freed.

use std::{
    ffi::{c_int, c_void},
    mem::{ManuallyDrop, MaybeUninit},
    thread::{self, ThreadId},
};

use mpi::{environment::Universe, ffi};

use crate::messages::{Envelope, Failure, Messages, Purpose, Rank};

const SUCCESS: c_int = 0;

/// All ranks, for the one thread that may call MPI.
#[derive(Debug)]
pub struct Communicator {
    handle: ffi::MPI_Comm,
    thread: ThreadId,
}

// SAFETY: the handle is only a name. Other threads may hold it, but each use of it
// checks the thread first.
unsafe impl Send for Communicator {}

/// Bytes that MPI reads or writes. Dropped without `release` they are leaked.
#[derive(Debug)]
struct Parked {
    pointer: *mut u8,
    length: usize,
    capacity: usize,
}

impl Parked {
    fn new(bytes: Vec<u8>) -> Self {
        let mut bytes = ManuallyDrop::new(bytes);
        Self { pointer: bytes.as_mut_ptr(), length: bytes.len(), capacity: bytes.capacity() }
    }

    /// Gives the bytes back.
    ///
    /// # Safety
    /// MPI must be done with them.
    unsafe fn release(self) -> Vec<u8> {
        // SAFETY: the parts are those of the vector that `new` took apart, and the
        // caller says that nobody else uses them any more.
        unsafe { Vec::from_raw_parts(self.pointer, self.length, self.capacity) }
    }
}

/// A message on its way.
#[derive(Debug)]
pub struct Transfer {
    request: ffi::MPI_Request,
    bytes: Option<Parked>,
}

// SAFETY: request and bytes are touched only through `Communicator`, which checks
// the thread; dropping a transfer touches nothing.
unsafe impl Send for Transfer {}

impl Communicator {
    /// All ranks, with errors returned instead of ending the job. The calling thread is
    /// the one that may use them.
    ///
    /// # Safety
    /// What comes from this must not be used any more when the universe is gone, which
    /// finalises MPI.
    pub unsafe fn world(_initialised: &Universe) -> Self {
        // SAFETY: the constant and the call are valid once MPI is initialised, and there
        // is no universe before.
        let handle = unsafe {
            ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN);
            ffi::RSMPI_COMM_WORLD
        };
        Self { handle, thread: thread::current().id() }
    }

    /// The handle, on the right thread only.
    fn handle(&self) -> ffi::MPI_Comm {
        assert!(self.is_own_thread(), "only the thread that called World::init may use MPI");
        self.handle
    }

    /// Whether the caller is on the thread that may use this.
    pub fn is_own_thread(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Ends all ranks. Returns only if MPI could not do it.
    pub fn abort(&self, status: i32) {
        // SAFETY: the handle is valid, and we are on the right thread.
        unsafe { ffi::MPI_Abort(self.handle(), status) };
    }
}

impl Messages for Communicator {
    type Transfer = Transfer;

    fn start_send(&self, bytes: Vec<u8>, to: Rank, purpose: Purpose) -> Result<Transfer, Failure> {
        let (handle, count, to) = (self.handle(), count(bytes.len()), number(to));
        let bytes = Parked::new(bytes);
        let mut request = MaybeUninit::uninit();
        // SAFETY: `bytes` has `count` initialised bytes that stay where they are
        // until the request is complete; MPI sets the request if it succeeds.
        let code = unsafe {
            ffi::MPI_Isend(
                bytes.pointer.cast::<c_void>(),
                count,
                ffi::RSMPI_UINT8_T,
                to,
                purpose as c_int,
                handle,
                request.as_mut_ptr(),
            )
        };
        checked(code)?;
        // SAFETY: the call succeeded, so the request is set.
        Ok(Transfer { request: unsafe { request.assume_init() }, bytes: Some(bytes) })
    }

    fn probe(&self, from: Option<Rank>) -> Result<Option<Envelope>, Failure> {
        let handle = self.handle();
        let (mut found, mut status) = (0, MaybeUninit::<ffi::MPI_Status>::zeroed());
        // SAFETY: the handle is valid, the pointers are to variables of our own,
        // and the constants are valid once MPI is initialised.
        let code = unsafe {
            let source = from.map_or(ffi::RSMPI_ANY_SOURCE, number);
            let tag = ffi::RSMPI_ANY_TAG;
            ffi::MPI_Iprobe(source, tag, handle, &mut found, status.as_mut_ptr())
        };
        checked(code)?;
        // SAFETY: a status is plain numbers, for which zeros are valid too.
        let status = unsafe { status.assume_init() };
        if found == 0 { Ok(None) } else { envelope(&status).map(Some) }
    }

    fn start_receive(&self, envelope: Envelope) -> Result<Transfer, Failure> {
        let handle = self.handle();
        let bytes = Parked::new(vec![0; envelope.bytes]);
        let mut request = MaybeUninit::uninit();
        // SAFETY: `bytes` has room for the whole message and stays where it is
        // until the request is complete; MPI sets the request if it succeeds.
        let code = unsafe {
            ffi::MPI_Irecv(
                bytes.pointer.cast::<c_void>(),
                count(envelope.bytes),
                ffi::RSMPI_UINT8_T,
                number(envelope.source),
                envelope.purpose as c_int,
                handle,
                request.as_mut_ptr(),
            )
        };
        checked(code)?;
        // SAFETY: the call succeeded, so the request is set.
        Ok(Transfer { request: unsafe { request.assume_init() }, bytes: Some(bytes) })
    }

    fn complete(&self, transfer: &mut Transfer) -> Result<Option<Vec<u8>>, Failure> {
        self.handle();
        let mut done = 0;
        // SAFETY: the request is one that MPI gave out, or null, which it accepts.
        let code =
            unsafe { ffi::MPI_Test(&mut transfer.request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
        checked(code)?;
        if done == 0 {
            return Ok(None);
        }
        // SAFETY: the request is complete, so MPI does not touch the bytes again.
        Ok(transfer.bytes.take().map(|bytes| unsafe { bytes.release() }))
    }
}

/// What the status of a message that was found tells of it.
fn envelope(status: &ffi::MPI_Status) -> Result<Envelope, Failure> {
    let mut bytes = 0;
    // SAFETY: the status comes from a successful call, the constant is valid.
    checked(unsafe { ffi::MPI_Get_count(status, ffi::RSMPI_UINT8_T, &mut bytes) })?;
    Ok(Envelope {
        source: status.MPI_SOURCE as Rank,
        purpose: Purpose::of_tag(status.MPI_TAG),
        bytes: usize::try_from(bytes).map_err(|_| Failure("a message of no length".into()))?,
    })
}

/// The number that MPI takes for a rank.
fn number(rank: Rank) -> c_int {
    c_int::try_from(rank).expect("MPI numbers its ranks with 31 bits")
}

/// The number that MPI takes for a length.
fn count(bytes: usize) -> c_int {
    c_int::try_from(bytes).expect("frames are shorter than 64 MiB")
}

/// An error with MPI's own text unless the code is that of success.
fn checked(code: c_int) -> Result<(), Failure> {
    if code == SUCCESS { Ok(()) } else { Err(Failure(text(code))) }
}

fn text(code: c_int) -> String {
    let mut text = vec![0_u8; ffi::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the text has the room that MPI may need.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&text).into_owned()
}
