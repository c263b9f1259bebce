//! What this program is: its version, its commit, what it was built with, and what it
//! finds on this machine.

use std::sync::LazyLock;

use ruche_playouts::widest_word;

/// The commit that it was built from.
pub const COMMIT: &str = env!("RUCHE_BUILD_COMMIT");

/// In one line.
pub static SHORT: LazyLock<String> =
    LazyLock::new(|| format!("{} ({COMMIT})", env!("CARGO_PKG_VERSION")));

/// With what it was built with, and what it finds here.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nfeatures      {}\nvector units  {}\nwidest word   {} lanes",
        *SHORT,
        env!("RUCHE_BUILD_MPI"),
        vector_units(),
        widest_word(),
    )
});

/// The vector units of this machine that words and native code can use.
#[cfg(target_arch = "x86_64")]
fn vector_units() -> String {
    let found = [
        ("SSE2", is_x86_feature_detected!("sse2")),
        ("AVX", is_x86_feature_detected!("avx")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI1", is_x86_feature_detected!("bmi1")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
    ];
    let names = found.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name);
    names.collect::<Vec<_>>().join(" ")
}

/// Those that every such machine has.
#[cfg(not(target_arch = "x86_64"))]
fn vector_units() -> String {
    format!("those of every {}", std::env::consts::ARCH)
}
