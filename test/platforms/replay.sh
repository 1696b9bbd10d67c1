# One recording of some sixty-four characters, made by this machine's best instruction set (tape.c), plays bit for bit on the
# others: AVX2, plain C, NEON under qemu, Windows under wine.
need "${BUILD_PACKAGES[@]}" gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user gcc-mingw-w64-x86-64-posix wine wine64
work=build/replay
mkdir -p $work
plays() { # name, command...
    local name=$1
    shift
    "$@" replay $work/tape models/walker-small.gallop models/dog.gallop | tr -d '\r' | grep ': 300 frames, the same bits' ||
        die "$name: the recording does not play"
    say "replay: $name"
}

configure_and_build release gallop_command | tail -n 1
gcc -std=c11 -O1 -Wall -Wextra -Werror -Iinclude test/platforms/tape.c build/release/libgallop.a -lm -o $work/record
$work/record models $work/tape
for isa in best avx2 scalar; do
    GALLOP_ISA=$isa plays "this machine, $isa" build/release/cli/gallop
done
! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache
cmake --preset aarch64 -B $work/aarch64 -DGALLOP_CLI=ON -DGALLOP_TESTS=OFF >/dev/null
cmake --build $work/aarch64 --target gallop_command | tail -n 1
plays "AArch64, best" qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu $work/aarch64/cli/gallop
configure_and_build windows gallop_command | tail -n 1
use_wine
for isa in avx2 best; do
    GALLOP_ISA=$isa plays "Windows, $isa" wine build/windows/bin/gallop.exe
done
