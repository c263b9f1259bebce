//! Executable code of an image.

use ruche_shared::Image;
use ruche_shared::image::Section;

use crate::error::NativeError;

#[cfg(target_arch = "x86_64")]
use crate::{compile::Compiler, flow, lift::lift, memory::Executable, target::Target};

/// Bytes of stack that the code may use.
#[cfg(target_arch = "x86_64")]
const FRAME_BYTES: usize = 1 << 17;

/// Memory for the values that fit neither in registers nor in slots.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Frame(std::mem::MaybeUninit<[u8; FRAME_BYTES]>);

/// Executable code for the three sections of one image and one width of words.
#[derive(Debug)]
pub struct NativeCode {
    lanes: usize,
    slots: usize,
    length: usize,
    #[cfg(target_arch = "x86_64")]
    has_frame: bool,
    #[cfg(target_arch = "x86_64")]
    executable: Executable,
    #[cfg(target_arch = "x86_64")]
    starts: [usize; 3],
}

/// Whether this machine can run native code on words of so many lanes.
#[must_use]
pub fn is_supported(lanes: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    let is_supported = Target::of(lanes).is_ok();
    #[cfg(not(target_arch = "x86_64"))]
    let (_, is_supported) = (lanes, false);
    is_supported
}

impl NativeCode {
    /// Makes code for words of `lanes` lanes, one per bit.
    ///
    /// # Errors
    /// If this machine cannot run such code, or the system does not let it.
    #[cfg(target_arch = "x86_64")]
    pub fn compile(image: &Image<'_>, lanes: usize) -> Result<Self, NativeError> {
        Self::compile_for(image, lanes, Target::of(lanes)?)
    }

    #[cfg(target_arch = "x86_64")]
    fn compile_for(image: &Image<'_>, lanes: usize, target: Target) -> Result<Self, NativeError> {
        let sections = Section::ALL.map(|section| lift(image.code(section)));
        let after = flow::after_sections(image, &sections);
        let mut compiler = Compiler::new(target);
        let mut starts = [0; 3];
        for (start, (pieces, after)) in starts.iter_mut().zip(sections.iter().zip(&after)) {
            *start = compiler
                .section(pieces, after)
                .map_err(|error| NativeError::Encoding { reason: error.to_string() })?;
        }
        let (code, frame) = compiler.finish();
        let bytes = frame as usize * target.stride as usize;
        if bytes > FRAME_BYTES {
            return Err(NativeError::Stack { bytes });
        }
        let (length, has_frame) = (code.len(), bytes > 0);
        let executable = Executable::new(&code)?;
        Ok(Self { lanes, slots: image.slots(), length, has_frame, executable, starts })
    }

    /// Native code is not made on this machine.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn compile(_image: &Image<'_>, _lanes: usize) -> Result<Self, NativeError> {
        Err(NativeError::Machine)
    }

    /// Lanes of the words that the code works on.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Bytes of code of all sections.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Runs a section over slots that follow each other without gaps.
    ///
    /// # Safety
    /// At `slots` there must be as many words of [`lanes`](Self::lanes) bits as
    /// the image has slots, to be read and written by nobody else.
    pub unsafe fn run(&self, section: Section, slots: *mut u8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a function starts there; it touches the slots of the image,
        // which the caller promises, and less of the frame than there is.
        unsafe {
            let function = self.executable.function(self.starts[section.index()]);
            if self.has_frame {
                with_frame(|frame| function(slots, frame));
            } else {
                function(slots, slots);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (section, slots);
    }

    /// The number of slots that the code touches.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }
}

/// Calls with memory for a frame; by itself, because such a large frame costs
/// even those that do not use it.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn with_frame(call: impl FnOnce(*mut u8)) {
    let mut frame = Frame(std::mem::MaybeUninit::uninit());
    call(frame.0.as_mut_ptr().cast());
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::target::Kind;

    /// The slots that count after some plies from a random state.
    fn play(image: &Image<'_>, code: &NativeCode) -> Vec<u64> {
        let random = Pcg64Mcg::seed_from_u64(1);
        let mut slots: Vec<u64> = random.random_iter().take(image.slots()).collect();
        let mut seen = Vec::new();
        for section in [Section::Legal, Section::Goal, Section::Next].repeat(3) {
            // SAFETY: there is a word of 64 lanes for each slot.
            unsafe { code.run(section, slots.as_mut_ptr().cast()) };
            seen.extend_from_slice(&slots[..image.fluents()]);
        }
        seen
    }

    /// Few processors lack AND NOT, and those that run the tests hardly do.
    #[test]
    fn code_without_and_not_computes_the_same() {
        for bundled in ruche_games::all() {
            let game = ruche_game::Game::bundled(bundled.name).expect("a small game");
            let image = game.image();
            let kind = Kind::Scalar { has_andn: false };
            let plain = Target { kind, stride: 8, parts: 1 };
            let plain = NativeCode::compile_for(image, 64, plain).expect("plain code");
            let best = NativeCode::compile(image, 64).expect("code for 64 lanes");
            assert_eq!(play(image, &plain), play(image, &best), "{}", bundled.name);
        }
    }
}
