# gallop export's glTF through Khronos' validator, both models: no error, no warning.
need "${BUILD_PACKAGES[@]}" python3-venv
use_node
configure_and_build release gallop_command | tail -n 1
mkdir -p build/gltf
[ -d build/gltf/node_modules/gltf-validator ] ||
    npm install --prefix build/gltf --silent --no-audit --no-fund gltf-validator@2.0.0-dev.3.10
for model in walker dog; do
    build/release/cli/gallop export models/$model.gallop --input samples/walk_and_turn.csv -o build/gltf/$model.glb
done
(cd build/gltf && node ../../test/platforms/check_gltf.mjs walker.glb dog.glb)
