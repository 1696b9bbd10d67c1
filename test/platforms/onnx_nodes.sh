# ONNX's own node tests as emitted C: all that run as loops are emitted for this machine, built by cc in a dozen translation
# units, run, and compared with ONNX's outputs; the last line has the counts.
need "${BUILD_PACKAGES[@]}" libcmocka-dev libmpfr-dev
unpack_node_tests
configure_and_build dev onnx_nodes | tail -n 1
rm -rf build/onnx/c
mkdir -p build/onnx/c
build/dev/test/onnx_nodes --c build/onnx/c build/onnx/node | tail -n 1
say "ONNX's node tests as C"
