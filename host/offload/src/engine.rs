//! The words and the native code of this host, for cluster kernels.

use std::sync::{Arc, Mutex, PoisonError};

use ruche_eval::circuit::Interpreted;
use ruche_eval::engine::{Engine, Task};
use ruche_eval::word::Word;
use ruche_native::{NativeCircuit, NativeCode};
use ruche_playouts::words::with_word;
use ruche_playouts::{HostCircuit, widest_word};
use ruche_shared::Image;
use ruche_shared::budget::WordWidth;

/// Evaluates gates with the widest registers of this host, by native code where
/// it can be made. All clusters of a process share one, so that the code of a
/// game is made once.
#[derive(Debug, Default)]
pub struct HostEngine {
    is_interpreting: bool,
    codes: Mutex<Vec<(CodeKey, Arc<NativeCode>)>>,
}

/// What native code was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CodeKey {
    lanes: usize,
    checksum: u32,
    length: usize,
}

impl HostEngine {
    /// An engine that makes native code.
    #[must_use]
    pub fn native() -> Self {
        Self::default()
    }

    /// An engine that runs the bytecode as a board does.
    #[must_use]
    pub fn interpreter() -> Self {
        Self { is_interpreting: true, codes: Mutex::default() }
    }

    /// The code of an image, if this host can run such.
    fn code(&self, image: &Image<'_>, lanes: usize) -> Option<Arc<NativeCode>> {
        let key = CodeKey { lanes, checksum: image.checksum(), length: image.length() };
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = codes.iter().find(|(known, _)| *known == key) {
            return Some(code.clone());
        }
        let code = Arc::new(NativeCode::compile(image, lanes).ok()?);
        codes.push((key, code.clone()));
        Some(code)
    }
}

impl Engine for HostEngine {
    type Circuit<'image, W: Word> = HostCircuit<'image, W>;

    fn has(&self, width: WordWidth) -> bool {
        width <= widest_word()
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        with_word(width, task)
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        let code = if self.is_interpreting { None } else { self.code(image, W::LANES) };
        let native = code.and_then(|code| NativeCircuit::with_code(image, code).ok());
        native.map_or(HostCircuit::Interpreted(Interpreted(*image)), HostCircuit::Native)
    }
}
