# The one-file build for systems whose toolchains are not to be had here, by zig's clang and libraries (ziglang of PyPI):
# compiled for macOS, Windows on Arm and 32-bit Arm; for Linux on RISC-V and on Arm with musl also run under qemu, where
# the networks have the golden bits.
need qemu-user python3 python3-venv
[ -x build/zig/bin/python ] || python3 -m venv build/zig
build/zig/bin/pip install -q ziglang==0.17.1 || { say "skipped: no ziglang"; return 0; }
mkdir -p build/zig-out
zig_cc() { build/zig/bin/python -m ziglang cc -std=c11 -O1 -ffp-contract=off -Iinclude -Isrc -Itest "$@"; }
# The sanitizer that zig adds unasked is not what is tried here.
for target in x86_64-macos aarch64-macos aarch64-windows-gnu; do
    zig_cc -target $target -fno-sanitize=undefined test/bits/bits.c src/gallop_all.c -lm -o build/zig-out/$target
    say "$target: built, not run"
done
for machine in riscv64:riscv64-linux-musl arm:arm-linux-musleabihf; do
    target=${machine#*:}
    zig_cc -target $target -fno-sanitize=undefined test/bits/bits.c src/gallop_all.c -static -o build/zig-out/$target
    qemu-${machine%%:*} build/zig-out/$target >build/zig-out/$target.txt
    diff build/zig-out/$target.txt test/bits/golden.txt
    say "$target: the same bits"
done
