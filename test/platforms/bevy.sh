# The Bevy example without a window: eight entities walk for five seconds, four to eight metres, and all
# towards Bevy's -z.
command -v cargo >/dev/null || { say "skipped: no cargo (1.77 or later, rustup.rs; Debian 12's is older)"; return 0; }
! command -v ccache >/dev/null || export CC="ccache gcc" # the same sources are compiled more than once
need gcc libc6-dev
mkdir -p build/bevy
CARGO_TARGET_DIR=$PWD/build/bevy cargo run --quiet --release --manifest-path engines/rust/bevy/Cargo.toml \
    models/walker.gallop | tee build/bevy/hips.txt
awk '{ seen++; if ($7 > -2 || $7 < -9 || $6 < 0.5 || $6 > 1.2) bad = 1 } END { exit bad || seen != 8 }' build/bevy/hips.txt
