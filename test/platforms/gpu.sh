# Networks on an OpenCL device: PoCL, which makes one of this CPU. The build needs no OpenCL, the run a loader and a driver.
need "${BUILD_PACKAGES[@]}" pocl-opencl-icd ocl-icd-libopencl1
unpack_node_tests
configure_and_build dev gpu_tests
configure_and_build dev onnx_nodes
ctest --test-dir build/dev -L gpu --output-on-failure --no-tests=error
ran=$(build/dev/samples/sample_gpu models/walker-small.gallop 40 20 | grep -c "runner: ok") ||
    die "the sample's crowd did not run on the device"
build/dev/test/onnx_nodes --every 40 --device build/onnx/node | tail -n 1
say "gpu: networks on a device are the runtime's within 1e-5, a crowd runs there ($ran of 1)"
