# The one-file build for systems whose toolchains are not to be had here, by zig's clang and libraries (ziglang of PyPI):
# built, not run. Without optimisation, which takes zig minutes; without the sanitizer that zig adds unasked.
need python3 python3-venv
[ -x build/zig/bin/python ] || python3 -m venv build/zig
build/zig/bin/pip install -q ziglang==0.17.1 || { say "skipped: no ziglang"; return 0; }
for target in aarch64-macos x86_64-macos aarch64-windows-gnu; do
    build/zig/bin/python -m ziglang cc -target $target -std=c11 -O0 -fno-sanitize=undefined -ffp-contract=off \
        -Iinclude -Isrc -Itest test/bits/bits.c src/gallop_all.c -lm -o build/zig/$target
    say "$target: built, not run"
done
