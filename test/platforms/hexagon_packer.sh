# Hexagon assembly packed anew: kernels by clang -O3, packed by `gallop pack` in each of its ways, assembled, and run under
# qemu-hexagon, which counts packets. Fails where an output differs from clang's, or where more packets are executed.
need "${BUILD_PACKAGES[@]}" clang-19 llvm-19 lld-19 qemu-user
configure_and_build dev gallop_command | tail -n 1
folder=build/hexagon_packer
source=test/platforms/hexagon_packer
rm -rf "$folder"
mkdir -p "$folder"
compile=(clang-19 --target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 -mhvx-length=128b -ffreestanding -fno-builtin
    -Wall -Wextra -Werror)
"${compile[@]}" -O1 -c "$source/main.c" -o "$folder/main.o"
"${compile[@]}" -O3 -S "$source/kernels.c" -o "$folder/clang.s"

build_way() { # name
    llvm-mc-19 -triple=hexagon -mcpu=hexagonv66 -mattr=+hvxv66,+hvx-length128b -filetype=obj "$folder/$1.s" -o "$folder/$1.o"
    ld.lld-19 -static "$folder/main.o" "$folder/$1.o" -o "$folder/$1" -e _start
    qemu-hexagon "$folder/$1" >"$folder/$1.txt"
}

build_way clang
for soft in paper hard none; do
    for always in "" --always; do
        build/dev/cli/gallop pack "$folder/clang.s" -o "$folder/$soft$always.s" --soft "$soft" $always >"$folder/$soft$always.words"
        build_way "$soft$always"
        diff <(cut -d' ' -f1,2 "$folder/clang.txt") <(cut -d' ' -f1,2 "$folder/$soft$always.txt") >&2 ||
            die "packed by $soft $always: another output"
    done
done
say "executed packets; ! means packed where that is no shorter, too"
printf '%-14s %7s %7s %7s %7s %7s %7s %7s\n' kernel clang hard hard! none none! paper paper!
paste -d' ' "$folder/clang.txt" "$folder"/{hard,hard--always,none,none--always,paper,paper--always}.txt |
    while read -r name _ clang _ _ hard _ _ hard_always _ _ none _ _ none_always _ _ paper _ _ paper_always; do
        printf '%-14s %7d %7d %7d %7d %7d %7d %7d\n' "$name" "0x$clang" "0x$hard" "0x$hard_always" "0x$none" "0x$none_always" \
            "0x$paper" "0x$paper_always"
        [ $((0x$paper)) -le $((0x$clang)) ] || die "$name: more packets than clang's"
    done
cat "$folder/paper.words"
