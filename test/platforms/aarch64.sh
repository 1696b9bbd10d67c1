# AArch64 under qemu: the golden bits, what each CPU model's dispatch takes, the kernels against their formulas.
need "${BUILD_PACKAGES[@]}" gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
run_preset aarch64
say_skipped
