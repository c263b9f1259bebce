//! What evaluates gates on this host: the interpreter or native code, chosen in one place
//! for whoever plays.

use std::sync::{Arc, Mutex, PoisonError};

use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::{Engine, Task, Word};
use ruche_native::{NativeCircuit, NativeCode, NativeError};
use ruche_shared::Image;
use ruche_shared::WordWidth;
use ruche_shared::image::Section;
use ruche_shared::named;

use crate::words::{widest_word, with_word};

named! {
    /// What evaluates the gates.
    pub enum EngineChoice: "engine" = Auto {
        /// Native code where this machine runs it and it can be made, else the interpreter
        Auto = "auto",
        /// The bytecode interpreter of the cluster kernel
        Interpreter = "interpreter",
        /// Native code made from the image
        Native = "native",
    }
}

impl EngineChoice {
    /// The engines that this machine has for words of this width; the fastest comes last.
    pub fn available(width: WordWidth) -> impl DoubleEndedIterator<Item = Self> {
        let is_supported = ruche_native::is_supported(width.lanes() as usize);
        let native = is_supported.then_some(EngineChoice::Native);
        core::iter::once(EngineChoice::Interpreter).chain(native)
    }
}

/// Evaluates gates with the widest registers of this host. All clusters of a process share
/// one, so that the native code of a game is made once.
#[derive(Debug, Default)]
pub struct HostEngine {
    choice: EngineChoice,
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
    /// An engine of this kind.
    #[must_use]
    pub fn new(choice: EngineChoice) -> Self {
        Self { choice, codes: Mutex::default() }
    }

    /// What it was made with.
    #[must_use]
    pub fn choice(&self) -> EngineChoice {
        self.choice
    }

    /// The native code of an image for words of so many lanes; none if the interpreter
    /// shall run it.
    ///
    /// # Errors
    /// If there is none although native code was asked for.
    pub fn code(
        &self,
        image: &Image<'_>,
        lanes: usize,
    ) -> Result<Option<Arc<NativeCode>>, NativeError> {
        match self.choice {
            EngineChoice::Interpreter => Ok(None),
            EngineChoice::Auto => Ok(self.native(image, lanes).ok()),
            EngineChoice::Native => self.native(image, lanes).map(Some),
        }
    }

    fn native(&self, image: &Image<'_>, lanes: usize) -> Result<Arc<NativeCode>, NativeError> {
        let key = CodeKey { lanes, checksum: image.checksum(), length: image.length() };
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = codes.iter().find(|(known, _)| *known == key) {
            return Ok(code.clone());
        }
        let code = Arc::new(NativeCode::compile(image, lanes)?);
        codes.push((key, code.clone()));
        Ok(code)
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

    /// What has no native code is interpreted: the results are the same.
    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        let code = self.code(image, W::LANES).ok().flatten();
        HostCircuit::new(image, code).unwrap_or(HostCircuit::Interpreted(Interpreted(*image)))
    }
}

/// One type for both engines, so that a player is compiled only once per word.
#[derive(Clone, Debug)]
pub enum HostCircuit<'image, W> {
    /// Bytecode.
    Interpreted(Interpreted<'image>),
    /// Native code.
    Native(NativeCircuit<'image, W>),
}

impl<'image, W: Word> HostCircuit<'image, W> {
    /// What runs the sections of an image: its native code if there is any.
    ///
    /// # Errors
    /// If the code was made for other words or another image.
    #[inline(always)]
    pub fn new(image: &Image<'image>, code: Option<Arc<NativeCode>>) -> Result<Self, NativeError> {
        Ok(match code {
            None => HostCircuit::Interpreted(Interpreted(*image)),
            Some(code) => HostCircuit::Native(NativeCircuit::with_code(image, code)?),
        })
    }
}

impl<W: Word> Circuit<W> for HostCircuit<'_, W> {
    #[inline(always)]
    fn image(&self) -> &Image<'_> {
        match self {
            HostCircuit::Interpreted(circuit) => Circuit::<W>::image(circuit),
            HostCircuit::Native(circuit) => circuit.image(),
        }
    }

    #[inline(always)]
    fn run(&self, section: Section, slots: &mut [W]) {
        match self {
            HostCircuit::Interpreted(circuit) => circuit.run(section, slots),
            HostCircuit::Native(circuit) => circuit.run(section, slots),
        }
    }
}
