//! Native code in the place of the interpreter.

use std::marker::PhantomData;
use std::sync::Arc;

use ruche_eval::circuit::Circuit;
use ruche_eval::word::Word;
use ruche_shared::Image;
use ruche_shared::image::Section;

use crate::code::NativeCode;
use crate::error::NativeError;

/// A game's circuit as native code for words `W`.
#[derive(Clone, Debug)]
pub struct NativeCircuit<'image, W> {
    image: Image<'image>,
    code: Arc<NativeCode>,
    word: PhantomData<fn(&mut [W])>,
}

impl<'image, W: Word> NativeCircuit<'image, W> {
    /// Makes native code of an image.
    ///
    /// # Errors
    /// If this machine cannot run such code, or `W` has not one bit per lane.
    pub fn new(image: &Image<'image>) -> Result<Self, NativeError> {
        Self::check_word()?;
        Self::with_code(image, Arc::new(NativeCode::compile(image, W::LANES)?))
    }

    /// Runs code that was made of this image before, perhaps for another thread.
    ///
    /// # Errors
    /// If the code was made for other words or another number of slots.
    pub fn with_code(image: &Image<'image>, code: Arc<NativeCode>) -> Result<Self, NativeError> {
        Self::check_word()?;
        let (lanes, bytes) = (W::LANES, size_of::<W>());
        if lanes != code.lanes() || image.slots() != code.slots() {
            return Err(NativeError::WordSize { lanes, bytes });
        }
        Ok(Self { image: *image, code, word: PhantomData })
    }

    /// The code takes each bit of a word for a lane.
    fn check_word() -> Result<(), NativeError> {
        let (lanes, bytes) = (W::LANES, size_of::<W>());
        if bytes * 8 == lanes { Ok(()) } else { Err(NativeError::WordSize { lanes, bytes }) }
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &NativeCode {
        &self.code
    }
}

impl<W: Word> Circuit<W> for NativeCircuit<'_, W> {
    fn image(&self) -> &Image<'_> {
        &self.image
    }

    fn run(&self, section: Section, slots: &mut [W]) {
        assert!(slots.len() >= self.image.slots(), "the evaluator hands in all slots");
        // SAFETY: there is a word for each slot of the image that the code was
        // made from, each with as many bits as the code expects; words are plain bits,
        // so that it may write any.
        unsafe { self.code.run(section, slots.as_mut_ptr().cast()) }
    }
}
