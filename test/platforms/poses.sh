# Ten minutes of the crowd of test/bits/poses.c with the same poses in every native build: instruction sets, compilers,
# levels of optimisation, and the one file as README builds it.
need "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
mkdir -p build/poses
same_poses() { # name, program...
    local name=$1
    shift
    "$@" models 2>build/poses/words | diff - test/bits/golden_poses.txt || die "$name: other poses"
    say "poses: $name: $(cat build/poses/words)"
}

for preset in dev clang; do
    configure_and_build "$preset" poses | tail -n 1
    for isa in scalar avx2 avx512; do
        GALLOP_ISA=$isa same_poses "$preset, $isa" build/$preset/test/bits/poses
    done
done
configure_and_build gcc-O0 poses | tail -n 1
same_poses "gcc -O0" build/gcc-O0/test/bits/poses
for line in "gcc -O2 -march=native" "gcc -O3 -march=native" "clang-19 -O3 -march=native" "gcc -O3"; do
    # shellcheck disable=SC2086
    $line -std=c11 -ffp-contract=off -Iinclude -Isrc test/bits/poses.c src/gallop_all.c -lm -o build/poses/one_file
    same_poses "one file, $line" build/poses/one_file
done
