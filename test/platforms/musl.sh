# musl's C library: the golden bits of the networks and ten minutes of the crowd's poses, statically linked.
need "${BUILD_PACKAGES[@]}" musl-tools
mkdir -p build/musl
flags=(-std=c11 -O2 -ffp-contract=off -static -Iinclude -Isrc -Itest)
musl-gcc "${flags[@]}" -march=x86-64-v3 -c src/gallop_all.c -o build/musl/gallop_all.o
for program in bits poses; do
    musl-gcc "${flags[@]}" test/bits/$program.c build/musl/gallop_all.o -lm -o build/musl/$program
done
build/musl/bits | diff - test/bits/golden.txt
build/musl/poses models | diff - test/bits/golden_poses.txt
say "musl: the same bits"
