//! Where the kernel of emulated boards is.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use ruche_boards::BoardSettings;

/// How long a board may be silent: an emulated core is some hundred times slower than
/// one of the host.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Names another kernel than the one that `toolchain/board-setup` makes.
const VARIABLE: &str = "RUCHE_BOARD_KERNEL";

/// Where `toolchain/board-setup` puts the kernel, in the folder of all that is built.
const PLACE: &str = "board/kernel.elf";

/// Boards with the kernel that is named by the environment, or was made in the folder
/// in which this program was made.
#[must_use]
pub fn settings() -> BoardSettings {
    BoardSettings::new(env::var_os(VARIABLE).map_or_else(beside_this_program, PathBuf::from))
}

fn beside_this_program() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let places: Vec<PathBuf> = program.ancestors().skip(1).map(|it| it.join(PLACE)).collect();
    let found = places.iter().find(|place| place.is_file());
    // Where it would be: two folders above `target/release/ruche`.
    found.or(places.get(1)).cloned().unwrap_or_else(|| PLACE.into())
}
