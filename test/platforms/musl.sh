# musl's C library: the golden bits of the networks, statically linked.
need "${BUILD_PACKAGES[@]}" musl-tools
mkdir -p build/musl
musl-gcc -std=c11 -O2 -ffp-contract=off -static -Iinclude -Isrc -Itest test/bits/bits.c src/gallop_all.c -lm -o build/musl/bits
build/musl/bits | diff - test/bits/golden.txt
say "musl: the same bits"
