#!/usr/bin/env bash
# The NEON kernels by static model: compiles src/kernels/k_neon.c for AArch64 with gcc and clang and runs each
# tile's inner loop through llvm-mca on neoverse-n1 (stands in for Cortex-A76..A78), -n2 (A710) and -v1 (X1).
# "a55" is k_neon_a55.c, whose column is cortex-a55. The models assume L1 hits and perfect branches. Ends with 1 if a full
# tile is under 98 % of peak on n1 or n2.
# `mca.sh int8`: the int8 tiles of integer products (docs/gemm.md) and of layers instead, with sdot and smmla.
# Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, clang-19, llvm-19.
set -eu
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags="-std=c11 -O3 -DNDEBUG -fPIC -fvisibility=hidden -ffp-contract=off -Iinclude -Isrc -S"
gcc_only=${GALLOP_NEON_GCC_FLAGS:--fno-schedule-insns -fno-tree-loop-distribute-patterns} # as cmake/isa.cmake gives them to gcc
# compiled SOURCE NAME COMPILER [flags]: assembly in $out/NAME.s; fails where the compiler is missing.
compiled() {
    local source=$1 name=$2 compiler=$3
    shift 3
    case "$compiler" in
        gcc) compiler="aarch64-linux-gnu-gcc $gcc_only" ;;
        clang) compiler="clang-19 --target=aarch64-linux-gnu --sysroot=/usr/aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include" ;;
    esac
    command -v "${compiler%% *}" >/dev/null || return 1
    # shellcheck disable=SC2086
    $compiler $flags "$@" "src/kernels/$source.c" -o "$out/$name.s"
}

loops=()
if [ "${1:-}" = int8 ]; then
    armv8_2=-march=armv8.2-a
    for compiler in gcc clang; do
        compiled k_neon_narrow "$compiler-base" $compiler && loops+=("$compiler base=$out/$compiler-base.s")
        compiled k_neon_dot "$compiler-dot" $compiler $armv8_2+dotprod && loops+=("$compiler dot=$out/$compiler-dot.s")
        compiled k_neon_i8mm "$compiler-i8mm" $compiler $armv8_2+dotprod+bf16+i8mm &&
            loops+=("$compiler i8mm=$out/$compiler-i8mm.s")
        [ -e "$out/interleave.s" ] || compiled gemm interleave $compiler || true
    done
    [ ${#loops[@]} -gt 0 ] || { echo "mca.sh: needs gcc-aarch64-linux-gnu or clang-19" >&2; exit 1; }
    /usr/bin/python3 bench/arm/integers.py "$out/interleave.s" "${loops[@]}"
    exit
fi
compiled k_neon gcc gcc && loops+=("gcc=$out/gcc.s")
compiled k_neon clang clang && loops+=("clang=$out/clang.s")
for compiler in gcc clang; do # flags as in cmake/isa.cmake
    a55=-mtune=cortex-a55
    [ $compiler = clang ] || a55+=" -fschedule-insns"
    # shellcheck disable=SC2086
    compiled k_neon_a55 a55-$compiler $compiler $a55 && loops+=("a55-$compiler=$out/a55-$compiler.s")
done
[ ${#loops[@]} -gt 0 ] || { echo "mca.sh: needs gcc-aarch64-linux-gnu or clang-19" >&2; exit 1; }
/usr/bin/python3 bench/arm/loops.py "${loops[@]}"
