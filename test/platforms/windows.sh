# Windows, under wine: runtime, command, samples and wheel by MinGW's gcc, the one-file build by clang; the same bits as
# everywhere, on each instruction set; paths that are no ASCII; the DLL's names.
need "${BUILD_PACKAGES[@]}" gcc-mingw-w64-x86-64-posix clang-19 lld-19 wine wine64 python3 unzip
use_wine
out=build/windows
work=$out/platform # what is written by the programs

configure_and_build windows | tail -n 1
wine wineboot --init # the first start takes half a minute
ctest --test-dir $out -E neon --output-on-failure # bits, by instruction set, and the samples

# The command, by the path of its DLL. Its own words are told from the emulator's by where they go.
rm -rf $work
mkdir -p $work
gallop() { wine $out/bin/gallop.exe "$@"; }
gallop check models/walker.gallop
gallop demo --seconds 1 --out "$work/größe 日本" 2>&1
[ -s "$work/größe 日本/demo.html" ] || die "no page"
for precision in int16 int8; do # the second in place of the first
    gallop quantize models/walker.gallop --precision $precision --no-report -o "$work/größe 日本/walker.gallop"
done
gallop info "$work/größe 日本/walker.gallop" | grep int8
gallop drive models/walker.gallop --input samples/walk_and_turn.csv -o $work/poses.npy
gallop drive models/walker.gallop --input samples/walk_and_turn.csv -o - >$work/stream.npy
cmp $work/poses.npy $work/stream.npy # no byte became two
gallop export models/walker.gallop --input samples/walk_and_turn.csv -o $work/walk.bvh
if gallop tune models/walker.gallop 2>$work/words; then die "tune does not say that it is missing"; fi
grep 'cannot tune' $work/words

# The wheel: one command, with the library that was just built.
_PYTHON_HOST_PLATFORM=win-amd64 /usr/bin/python3 -m pip wheel . -q --no-deps -w $work \
    --config-settings=build-dir=$out --config-settings=cmake.args=--toolchain=cmake/mingw.cmake
unzip -q -o $work/gallop-*-win_amd64.whl -d $work/wheel
dll=$work/wheel/gallop/libgallop.dll
objdump=x86_64-w64-mingw32-objdump
$objdump -p $dll | sed -n '/Ordinal\/Name/,/^$/s/^\t\[.*\] //p' | sort >$work/exported
grep -ohE '^GAL_API [^;(]*\bgal_\w+' $(ls include/gallop/*.h | grep -v compiler) | grep -oE 'gal_\w+$' | sort |
    diff - $work/exported || die "the DLL does not export what the headers declare"
$objdump -p $dll | grep 'DLL Name' | sort | diff - <(printf '\tDLL Name: %s\n' KERNEL32.dll msvcrt.dll)
mapfile -t names < <(PYTHONPATH=python /usr/bin/python3 -c 'from gallop import library; print(*library.FUNCTIONS, sep="\n")')
x86_64-w64-mingw32-gcc-posix -std=c11 -Wall -Wextra -Werror -Iinclude test/platforms/load_dll.c -o $work/load_dll.exe
wine $work/load_dll.exe "$dll" models/walker.gallop "${names[@]}"

# A crowd's poses by that DLL, on each instruction set, and by this system's compiler: the same lines but the first's name.
gcc -std=c11 -O1 -ffp-contract=off -Iinclude -Isrc test/platforms/native_walk.c src/gallop_all.c -lm -o $work/native_walk
x86_64-w64-mingw32-gcc-posix -std=c11 -DGALLOP_SHARED -Iinclude test/platforms/native_walk.c -L$out -lgallop \
    -o $work/wheel/gallop/native_walk.exe
$work/native_walk models/walker.gallop | sed 's/ on .*//' >$work/walk
for isa in scalar avx2 best; do
    GALLOP_ISA=$isa wine $work/wheel/gallop/native_walk.exe models/walker.gallop | tr -d '\r' | sed 's/ on .*//' |
        diff $work/walk - || die "poses differ on $isa"
done

# Ten minutes of a crowd have the golden poses.
for isa in avx2 best; do
    GALLOP_ISA=$isa wine $out/bin/poses.exe models 600 2>$work/words | tr -d '\r' | diff - test/bits/golden_poses.txt ||
        die "other poses on $isa"
done

# clang, and the runtime as one file.
clang-19 --target=x86_64-w64-mingw32 -std=c11 -O1 -ffp-contract=off -march=x86-64-v3 -Iinclude -Isrc -Itest \
    test/bits/bits.c src/gallop_all.c -o $work/bits.exe
wine $work/bits.exe | tr -d '\r' | diff - test/bits/golden.txt
# What cl would read (test/msvc), made by clang for Microsoft's target and linked with nothing but the system's DLLs.
msvc=$work/msvc
mkdir -p $msvc
for source in test/bits/bits.c src/gallop_all.c test/msvc/start.c; do
    clang-19 --target=x86_64-pc-windows-msvc -std=c11 -U__clang__ -O1 -ffp-contract=off -ffreestanding -nostdlibinc \
        -mavx2 -mfma -mf16c -U__FMA__ -U__F16C__ -mno-stack-arg-probe \
        -Itest/msvc/include -Iinclude -Isrc -Itest -c $source -o $msvc/"$(basename $source .c)".obj
done
x86_64-w64-mingw32-dlltool -d test/msvc/math.def -l $msvc/math.lib
/usr/lib/llvm-19/bin/lld-link /entry:mainCRTStartup /subsystem:console /out:$msvc/bits.exe $msvc/*.obj $msvc/math.lib \
    /usr/x86_64-w64-mingw32/lib/lib{ucrtbase,kernel32}.a
wine $msvc/bits.exe | tr -d '\r' | diff - test/bits/golden.txt

say "windows: the same bits, ${#names[@]} names of Python's in the DLL"
