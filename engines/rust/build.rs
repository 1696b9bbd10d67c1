//! Compiles the runtime: src/gallop_all.c with the base flags, and beside it tables of kernels and of a step's phases
//! for each instruction set, with that one's flags; which of them runs is chosen on the machine. The list is that of
//! cmake/isa.cmake, which says why the phases are not left to gcc's vectorizer.
use std::env;

const AVX512: &[&str] = &["-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mfma"];
const NEON: &[&str] = &["-fno-schedule-insns", "-fno-tree-loop-distribute-patterns"];

/// A table: what is defined for it, its file, the flag it is about (none: needed), flags.
type Table = (&'static str, &'static str, Option<&'static str>, &'static [&'static str]);

const X86_64: &[Table] = &[
    ("AVX2", "kernels/k_avx2", None, &["-mavx2", "-mfma"]),
    ("AVX2", "kernels/k_avx2_narrow", None, &["-mavx2", "-mfma", "-mf16c"]),
    ("AVX2", "motion/phases_avx2", None, &["-mavx2", "-mfma", "-fno-tree-vectorize"]),
    ("AVX512", "kernels/k_avx512", None, AVX512),
    ("AVX512", "kernels/k_avx512_narrow", None, AVX512),
    (
        "AVX512",
        "motion/phases_avx512",
        None,
        &["-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mfma", "-fno-tree-vectorize"],
    ),
    ("AVX2_VNNI", "kernels/k_avx2_vnni", Some("-mavxvnni"), &["-mavx2", "-mfma", "-mf16c"]),
    ("AVX512_VNNI", "kernels/k_avx512_vnni", Some("-mavx512vnni"), AVX512),
    (
        "AVX512_BF16",
        "kernels/k_avx512_bf16",
        Some("-mavx512bf16"),
        &["-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mfma", "-mavx512vnni"],
    ),
];

const AARCH64: &[Table] = &[
    ("NEON", "kernels/k_neon", None, NEON),
    ("NEON_A55", "kernels/k_neon_a55", None, &["-mtune=cortex-a55", "-fno-tree-loop-distribute-patterns"]),
    ("NEON", "kernels/k_neon_narrow", None, NEON),
    ("NEON", "motion/phases_neon", None, &["-fno-tree-vectorize"]),
    ("NEON_DOT", "kernels/k_neon_dot", Some("-march=armv8.2-a+dotprod"), NEON),
    ("NEON_BF16", "kernels/k_neon_bf16", Some("-march=armv8.2-a+dotprod+bf16"), NEON),
    ("NEON_I8MM", "kernels/k_neon_i8mm", Some("-march=armv8.2-a+dotprod+bf16+i8mm"), NEON),
];

/// What every file is compiled with. Never less than -O2, also where Rust is not optimised: kernels without it are
/// no use to anyone.
fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build
        .include("include")
        .include("src")
        .std("c11")
        .opt_level(2)
        .debug(false)
        .inherit_rustflags(false)
        .warnings(false)
        .flag_if_supported("-ffp-contract=off")
        .flag_if_supported("-fvisibility=hidden");
    // gcc takes Windows' stack for aligned to vectors where it masks a load of it.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("windows")
        && env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu")
    {
        build.flag_if_supported("-Wa,-muse-unaligned-vector-move");
    }
    build
}

fn main() {
    let tables = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => X86_64,
        Ok("aarch64") => AARCH64,
        _ => &[],
    };
    let mut all = compiler();
    all.file("src/gallop_all.c");
    let known = compiler();
    for (name, file, about, flags) in tables {
        let asked = about.or(flags.first().copied().filter(|flag| flag.starts_with("-m")));
        if asked.is_some_and(|flag| !known.is_flag_supported(flag).unwrap_or(false)) {
            continue;
        }
        all.define(&format!("GALI_HAVE_{name}"), None);
        let mut table = compiler();
        for flag in about.iter().chain(flags.iter()) {
            table.flag_if_supported(flag);
        }
        for object in table.file(format!("src/{file}.c")).compile_intermediates() {
            all.object(object);
        }
    }
    all.compile("gallop");
    if env::var_os("CARGO_CFG_UNIX").is_some() {
        println!("cargo:rustc-link-lib=m");
    }
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=engines/rust/build.rs");
}
