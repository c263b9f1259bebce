//! `ruche bench --recommend`: which settings suit a game on this machine, and why.

mod report;

use ruche_tune::{TuneProgress, TuneSettings, tune};

use super::CommandError;
use crate::arguments::{Format, RecommendSettings};
use crate::output::{Answer, print};
use crate::progress::Progress;
use report::Findings;

/// Measures, chooses and tells.
///
/// # Errors
/// If the game cannot be loaded or played.
pub fn run(settings: &RecommendSettings) -> Result<Answer, CommandError> {
    let game = super::load(&settings.game)?;
    let RecommendSettings { processors, time, seed, .. } = *settings;
    let mut shown: Option<(&str, Progress)> = None;
    let mut progress = |at: TuneProgress| match &shown {
        Some((what, bar)) if *what == at.what => bar.advance(),
        _ => {
            shown = None;
            let bar = Progress::bar(format!("measuring {}", at.what), at.all as u64);
            shown = Some((at.what, bar));
        }
    };
    let found = tune(&game, &TuneSettings { processors, time, seed }, &mut progress)?;
    drop(shown);
    let findings = Findings { settings, found };
    print(&match settings.format {
        Format::Text => findings.text(),
        Format::Json => format!("{:#}\n", findings.json()),
    })?;
    Ok(Answer::Yes)
}
