# WebAssembly: the golden bits in node and Chromium, the npm package as node uses it, the page as a person does.
need "${BUILD_PACKAGES[@]}" "${WEB_PACKAGES[@]}" chromium
use_node

mkdir -p build/web
for kind in relaxed simd; do
    flags=(-msimd128)
    [ "$kind" = simd ] || flags+=(-mrelaxed-simd)
    for source in test/bits/bits.c test/bits/poses.c src/gallop_all.c; do
        clang-19 --target=wasm32-wasi -std=c11 -O2 -ffp-contract=off -Iinclude -Isrc -Itest "${flags[@]}" \
            -c "$source" -o "build/web/$kind-$(basename "$source" .c).o"
    done
    clang-19 --target=wasm32-wasi -fuse-ld=lld "build/web/$kind-bits.o" "build/web/$kind-gallop_all.o" -lm -o "build/web/$kind.wasm"
done
clang-19 --target=wasm32-wasi -fuse-ld=lld build/web/relaxed-poses.o build/web/relaxed-gallop_all.o -lm -o build/web/poses.wasm
web/build.sh
configure_and_build release gallop_command
(cd web && BITS="$PWD/../build/web" GALLOP_COMMAND="$PWD/../build/release/cli/gallop" npm test)
say "web: the same bits and outputs in node"

# The tarball, used where nothing else is.
rm -rf build/web/user
mkdir -p build/web/user
(cd web && npm pack --silent --pack-destination ../build/web/user)
(cd build/web/user && npm init -y >/dev/null && npm install --silent ./gallop-*.tgz && cat >use.mjs <<'JS' && node use.mjs)
import { Controller, Crowd } from "gallop";
const crowd = new Crowd(await Controller.open("../../../models/walker.gallop"));
const who = crowd.add({ x: 100 });
crowd.setInput(who, { moveY: 1 });
for (let i = 0; i < 120; i++) crowd.step();
const { root } = crowd.state(who);
if (!(root[2] > 80)) throw new Error(`walked to ${root}`);
JS
say "web: the tarball walks"

# The page, with a recorded crowd inside, in a browser; and the package's types.
build/release/cli/gallop demo --seconds 2 --out build/web >/dev/null
(
    cd web/page
    npm ci --no-audit --no-fund --loglevel=error
    npx tsc --noEmit --strict --module nodenext --target es2023 --skipLibCheck false test/types.ts
    REPLAY=../../build/web/demo.html OUT=../../build/web/page npx vite build --logLevel warn
    PAGE=$(realpath ../../build/web/page/index.html) REPLAY=$(realpath ../../build/web/demo.html) \
        BITS=$(realpath ../../build/web) npm test
)
say "web: the page walks"
