# What other compilers and other options make of the source: clang -O2 of the folders whose bits a compiler may
# change, gcc without optimisation, the dev build's kernels and networks on plain C, and the runtime as one file.
need "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
run_preset clang -R '^(bits|kernels|model|network|motion|crowd)/'
run_preset scalar -R '^(kernels/|network/|motion/(hinged|lanes)$)' # the rest of motion: bits/poses-scalar, in dev
run_preset gcc-O0 -R '^bits/'

configure_and_build dev sample_crowd | tail -n 1
for built in "gcc -O1" "gcc -O2 -march=native" "clang-19 -O2 -march=native"; do
    say "one file, $built"
    cmake -DSOURCE="$PWD" -DWORK="$PWD/build/compilers" -DCC="${built%% *}" -DFLAGS="${built#* }" \
        -DLAUNCHER="$(command -v ccache || true)" -DSAMPLE="$PWD/build/dev/samples/sample_crowd" -P test/api/one_file.cmake
done
say_skipped
