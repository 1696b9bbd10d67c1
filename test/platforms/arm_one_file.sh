# README's line, the runtime as one file for the machine's own instructions, on an Arm with BF16 and int8 products, whose
# kernels CMake's build compiles with flags of their own: the golden bits under qemu.
need gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
mkdir -p build/arm
aarch64-linux-gnu-gcc -O2 -ffp-contract=off -march=armv8.2-a+dotprod+bf16+i8mm -static -Iinclude -Isrc -Itest \
    test/bits/bits.c src/gallop_all.c -lm -o build/arm/bits
qemu-aarch64 -cpu max build/arm/bits | diff - test/bits/golden.txt
say "an Arm with BF16, one file: the same bits"
