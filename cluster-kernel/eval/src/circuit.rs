//! What runs the sections of a game: the interpreter here, or native code made
//! from the same image by a host that can.

use ruche_shared::Image;
use ruche_shared::image::{Code, CodeWord, Section};

use crate::interpreter::execute;
pub use crate::interpreter::{Slots, run_gates};
use crate::word::{Job, Word};

/// A game's circuit, able to run over slots of words `W`.
pub trait Circuit<W> {
    /// The image that it was made from.
    fn image(&self) -> &Image<'_>;

    /// Runs a section over all lanes.
    ///
    /// # Panics
    /// If there are fewer words than the image has slots.
    fn run(&self, section: Section, slots: &mut [W]);
}

impl<W, C: Circuit<W>> Circuit<W> for &C {
    #[inline(always)]
    fn image(&self) -> &Image<'_> {
        C::image(self)
    }

    #[inline(always)]
    fn run(&self, section: Section, slots: &mut [W]) {
        C::run(self, section, slots);
    }
}

/// Runs the bytecode of an image as it stands: any word, any machine.
#[derive(Clone, Copy, Debug)]
pub struct Interpreted<'image>(pub Image<'image>);

impl<W: Word> Circuit<W> for Interpreted<'_> {
    fn image(&self) -> &Image<'_> {
        &self.0
    }

    fn run(&self, section: Section, slots: &mut [W]) {
        assert!(slots.len() >= self.0.slots(), "the evaluator hands in all slots");
        // SAFETY: the code is a section of this image, and all slots are there.
        unsafe {
            match self.0.code(section) {
                Code::Narrow(code) => run_code(code, slots),
                Code::Wide(code) => run_code(code, slots),
            }
        }
    }
}

/// Runs code over slots in a function of its own.
///
/// # Safety
/// The code must be a section of a parsed image or whole strata of it, and there must
/// be a word for each slot of that image.
pub unsafe fn run_code<C: CodeWord, W: Word>(code: &[C], slots: &mut [W]) {
    W::call(Execution { code, slots });
}

/// A section to run.
struct Execution<'a, C, W> {
    /// A section of a parsed image, or a part of one.
    code: &'a [C],
    /// A word for each slot of that image.
    slots: &'a mut [W],
}

impl<C: CodeWord, W: Word> Job for Execution<'_, C, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: the fields are what they are said to be; this type is made in
        // one place only, whose caller promises that.
        unsafe { execute(self.code, self.slots) }
    }
}
