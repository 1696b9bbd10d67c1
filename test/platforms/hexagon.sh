# Hexagon with HVX, under qemu-hexagon, without a phone: products, tensors, quantised graphs and whole controllers against plain C
# and the runtime, bit for bit, with the packets that they take; whether those are what the compiler's table of costs says; and
# networks that ONNX Runtime quantised beside what it makes of them.
need "${BUILD_PACKAGES[@]}" clang-19 lld-19 llvm-19 qemu-user python3 python3-venv
configure_and_build dev gallop_command test_compiler_hvx test_compiler_hvx_regions test_compiler_hvx_select
mkdir -p build/hexagon
hvx=src/compiler/emit/hvx
for program in product tensor costs; do
    clang-19 --target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 -mhvx-length=128b -O3 -std=c11 \
        -ffreestanding -fno-builtin -ffp-contract=off -Wall -Wextra -Wno-unused-function -Isrc -I$hvx/body -Itest/compiler/hvx \
        -c test/compiler/hvx/$program.c -o build/hexagon/$program.o
    ld.lld-19 -static build/hexagon/$program.o -e _start -o build/hexagon/$program
done
qemu-hexagon build/hexagon/product || die "products differ from plain C's"
qemu-hexagon build/hexagon/tensor || die "tensors differ from plain C's"
qemu-hexagon build/hexagon/costs >build/hexagon/costs.def
grep '^HVX_COST' $hvx/costs.def | diff - build/hexagon/costs.def ||
    die "$hvx/costs.def is not what was measured: put build/hexagon/costs.def in its list's place"
build/dev/test/test_compiler_hvx_select
build/dev/test/test_compiler_hvx
build/dev/test/test_compiler_hvx_regions forms
venv=build/hexagon/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/python -c 'import onnxruntime, onnx' 2>/dev/null || $venv/bin/pip install -q onnxruntime==1.32.0 onnx==1.23.2
$venv/bin/python test/platforms/hexagon/networks.py build/dev/cli/gallop build/hexagon
frames=(20 20 120)
for block in 32 128 row; do
    build/dev/cli/gallop quantize models/walker.gallop --precision int8 --block $block --no-report \
        -o build/hexagon/walker-int8.gallop
    build/dev/test/test_compiler_hvx build/hexagon/walker-int8.gallop "${frames[0]}"
    frames=("${frames[@]:1}")
done
say "hexagon: the runtime's bits in all three forms, and through all of the judge's scripts"
