# WebAssembly: the golden bits in node, the npm package as node uses it and the page as Chromium shows it.
need "${BUILD_PACKAGES[@]}" "${WEB_PACKAGES[@]}" chromium
use_node

mkdir -p build/web
for kind in relaxed simd; do
    flags=(-msimd128)
    [ "$kind" = simd ] || flags+=(-mrelaxed-simd)
    for source in test/bits/bits.c src/gallop_all.c; do
        clang-19 --target=wasm32-wasi -std=c11 -O2 -ffp-contract=off -Iinclude -Isrc -Itest "${flags[@]}" \
            -c "$source" -o "build/web/$kind-$(basename "$source" .c).o"
    done
    clang-19 --target=wasm32-wasi -fuse-ld=lld "build/web/$kind-bits.o" "build/web/$kind-gallop_all.o" -lm -o "build/web/$kind.wasm"
done
web/build.sh
(cd web && BITS="$PWD/../build/web" npm test)
say "web: the same bits in node"
