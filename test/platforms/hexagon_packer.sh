# Hexagon assembly packed anew: kernels by clang -O3, packed by `gallop pack` in each of its ways, assembled, and run under
# qemu-hexagon, which counts packets. Fails where an output differs from clang's, or where more packets are executed. Then
# functions of random instructions, one by one and packed: they must leave the same memory.
need "${BUILD_PACKAGES[@]}" clang-19 llvm-19 lld-19 qemu-user python3
configure_and_build dev gallop_command | tail -n 1
folder=build/hexagon_packer
source=test/platforms/hexagon_packer
rm -rf "$folder"
mkdir -p "$folder"
compile=(clang-19 --target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 -mhvx-length=128b -ffreestanding -fno-builtin
    -Wall -Wextra -Werror -Wno-unused-function -Itest/compiler/hvx)
"${compile[@]}" -O1 -c "$source/main.c" -o "$folder/main.o"
"${compile[@]}" -O1 -c "$source/blocks.c" -o "$folder/blocks.o"
"${compile[@]}" -O3 -S "$source/kernels.c" -o "$folder/clang.s"

build_way() { # name [its start's object]
    llvm-mc-19 -triple=hexagon -mcpu=hexagonv66 -mattr=+hvxv66,+hvx-length128b -filetype=obj "$folder/$1.s" -o "$folder/$1.o"
    ld.lld-19 -static "$folder/${2:-main}.o" "$folder/$1.o" -o "$folder/$1" -e _start
    qemu-hexagon "$folder/$1" >"$folder/$1.txt"
}

build_way clang
ways=("hard --keep-registers" "none --keep-registers" "paper --keep-registers" "paper" "paper --always")
columns=()
for way in "${ways[@]}"; do
    name=${way// /}
    columns+=("$folder/$name.packets")
    # shellcheck disable=SC2086
    build/dev/cli/gallop pack "$folder/clang.s" -o "$folder/$name.s" --soft $way >"$folder/$name.words"
    build_way "$name"
    diff <(cut -d' ' -f1,2 "$folder/clang.txt") <(cut -d' ' -f1,2 "$folder/$name.txt") >&2 || die "packed by $way: another output"
    cut -d' ' -f3 "$folder/$name.txt" >"$folder/$name.packets"
done
say "executed packets: clang -O3; soft dependences as hard; as none, and as the chapter's, with clang's registers; all of it; all, always"
printf '%-14s %7s %7s %7s %7s %7s %7s\n' kernel clang hard none paper all always
paste -d' ' <(cut -d' ' -f1,3 "$folder/clang.txt") "${columns[@]}" | while read -r name clang hard none paper all always; do
    printf '%-14s %7d %7d %7d %7d %7d %7d\n' "$name" "0x$clang" "0x$hard" "0x$none" "0x$paper" "0x$all" "0x$always"
    [ $((0x$all)) -le $((0x$clang)) ] || die "$name: more packets than clang's"
done
cat "$folder/paper.words"

# The tensors of the compiler's own bodies, whose loops are of all lengths: a line's last word is its packets.
hvx=src/compiler/emit/hvx
"${compile[@]}" -O3 -ffp-contract=off -Isrc -I$hvx/body -S test/compiler/hvx/tensor.c -o "$folder/tensor.s"
printf '' | "${compile[@]}" -x c -c - -o "$folder/empty.o"
build_way tensor empty
build/dev/cli/gallop pack "$folder/tensor.s" -o "$folder/tensor_packed.s"
build_way tensor_packed empty
paste -d' ' "$folder/tensor.txt" <(sed 's/.* //' "$folder/tensor_packed.txt") | tail -n +2 | while read -r what layout clang packed; do
    [ "$packed" -le "$clang" ] || die "$what $layout: $packed packets, clang's $clang"
done

# Shapes of networks' layers: what each step takes of the packets of one vector and one column at a time in the best single form.
"${compile[@]}" -O3 -Isrc -I$hvx/body -S "$source/shapes.c" -o "$folder/shapes.s"
build_way shapes empty
build/dev/cli/gallop pack "$folder/shapes.s" -o "$folder/shapes_packed.s"
build_way shapes_packed empty
diff <(cut -d' ' -f1-3,5 "$folder/shapes.txt") <(cut -d' ' -f1-3,5 "$folder/shapes_packed.txt") >&2 || die "shapes: other sums"
say "packets of products, by tiles: one vector and column, two, by the shape, packed; what the form's instructions cannot go below"
paste -d' ' "$folder/shapes.txt" <(cut -d' ' -f4 "$folder/shapes_packed.txt") | awk -f "$source/shares.awk"

python3 "$source/random_blocks.py" src/compiler/packer/operations.def 1 100 >"$folder/random.s"
build_way random blocks
for way in hard none paper "paper --keep-registers"; do
    name=random_${way// /}
    # shellcheck disable=SC2086
    build/dev/cli/gallop pack "$folder/random.s" -o "$folder/$name.s" --always --soft $way >"$folder/$name.words"
    build_way "$name" blocks
    diff <(cut -d' ' -f1,2 "$folder/random.txt") <(cut -d' ' -f1,2 "$folder/$name.txt") >&2 ||
        die "random functions packed by $way: another memory"
    say "random functions by $way: $(cut -d';' -f1 "$folder/$name.words")"
done
