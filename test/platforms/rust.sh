# The Rust crate: its tests, the lines of native_walk.c by its own program, its structs against the headers, its pages
# without a warning, and the package as it would be published, built from its archive.
command -v cargo >/dev/null || { say "skipped: no cargo (1.77 or later, rustup.rs; Debian 12's is older)"; return 0; }
! command -v ccache >/dev/null || export CC="ccache gcc" # the same sources are compiled more than once
need gcc libc6-dev cmake ninja-build
export CARGO_TARGET_DIR=$PWD/build/cargo
configure_and_build shared gallop | tail -n 1
mkdir -p build/rust
gcc -std=c11 -O2 -Wall -Wextra -Werror -Iinclude test/platforms/native_walk.c -Lbuild/shared -lgallop -Wl,-rpath,"$PWD/build/shared" \
    -o build/rust/native_walk
cargo test --quiet --release
cargo run --quiet --release --example golden -- models/walker.gallop >build/rust/got.txt
build/rust/native_walk models/walker.gallop | diff - build/rust/got.txt
cargo run --quiet --release --example golden -- --layout | python3 test/api/check_layout.py gcc
RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps
cargo package --quiet --allow-dirty
say "rust: the same bits, and a package of $(stat -c %s build/cargo/package/gallop-*.crate) bytes"
