# Ten minutes of the crowd of test/bits/poses.c with the same poses in native builds: instruction sets, compilers, levels of
# optimisation, and the one file as README builds it; ten seconds where there are no vectors.
need "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
mkdir -p build/poses
same_poses() { # name, seconds, program
    "$3" models "$2" >build/poses/lines 2>build/poses/words
    sed "/^ *$2 s/q" test/bits/golden_poses.txt | diff build/poses/lines - || die "$1: other poses"
    say "poses: $1: $2 of 600 seconds: $(cat build/poses/words)"
}

for preset in dev clang; do
    configure_and_build "$preset" poses | tail -n 1
    GALLOP_ISA=scalar same_poses "$preset, plain C" 10 build/$preset/test/bits/poses
    GALLOP_ISA=avx2 same_poses "$preset, avx2" 600 build/$preset/test/bits/poses
    same_poses "$preset, best" 600 build/$preset/test/bits/poses
done
for compiler in "gcc -O2" "gcc -O3" "clang-19 -O3"; do
    # shellcheck disable=SC2086
    $compiler -march=native -std=c11 -ffp-contract=off -Iinclude -Isrc test/bits/poses.c src/gallop_all.c -lm \
        -o build/poses/one_file
    same_poses "one file, $compiler" 600 build/poses/one_file
done
