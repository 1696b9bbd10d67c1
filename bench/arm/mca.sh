#!/usr/bin/env bash
# The NEON kernels by static model: compiles src/kernels/k_neon.c for AArch64 with gcc and clang and runs each
# tile's inner loop through llvm-mca on neoverse-n1 (stands in for Cortex-A76..A78), -n2 (A710) and -v1 (X1).
# "halves" is k_neon_a55.c, whose column is
# cortex-a55. The models assume L1 hits and perfect branches. Ends with 1 if a full tile is under 98 % of peak on n1 or n2.
# Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, clang-19, llvm-19.
set -eu
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags="-std=c11 -O3 -DNDEBUG -fPIC -fvisibility=hidden -ffp-contract=off -Iinclude -Isrc -S"
gcc_only=${GALLOP_NEON_GCC_FLAGS:--fno-schedule-insns -fno-tree-loop-distribute-patterns} # as cmake/isa.cmake gives them to gcc
loops=()
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    # shellcheck disable=SC2086
    aarch64-linux-gnu-gcc $flags $gcc_only src/kernels/k_neon.c -o "$out/gcc.s" && loops+=("gcc=$out/gcc.s")
    # shellcheck disable=SC2086
    aarch64-linux-gnu-gcc $flags $gcc_only src/kernels/k_neon_a55.c -o "$out/halves.s" && loops+=("halves=$out/halves.s")
fi
if command -v clang-19 >/dev/null; then
    # shellcheck disable=SC2086
    clang-19 --target=aarch64-linux-gnu --sysroot=/usr/aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include \
        $flags src/kernels/k_neon.c -o "$out/clang.s" && loops+=("clang=$out/clang.s")
fi
[ ${#loops[@]} -gt 0 ] || { echo "mca.sh: needs gcc-aarch64-linux-gnu or clang-19" >&2; exit 1; }
exec /usr/bin/python3 bench/arm/loops.py "${loops[@]}"
