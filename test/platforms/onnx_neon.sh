# ONNX's own node tests as NEON C: emitted for armv8-a, built by the cross compiler into one program, each run under
# qemu-aarch64, and compared with ONNX's outputs; the last line has the counts.
need "${BUILD_PACKAGES[@]}" libcmocka-dev libmpfr-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
unpack_node_tests
configure_and_build dev onnx_nodes | tail -n 1
rm -rf build/onnx/neon
mkdir -p build/onnx/neon
build/dev/test/onnx_nodes --c build/onnx/neon --cross armv8-a aarch64-linux-gnu-gcc qemu-aarch64 build/onnx/node |
    tail -n 1
say "ONNX's node tests as NEON C"
