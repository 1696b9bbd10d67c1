#!/bin/sh
# The two WebAssembly modules of the npm package, side by side with its sources: gallop.wasm for engines with relaxed SIMD,
# gallop-simd.wasm for the others. Needs clang-19, lld-19, wasi-libc and libclang-rt-19-dev-wasm32. CC and CFLAGS count.
set -eu
cd "$(dirname "$0")"
out=${1:-dist}
mkdir -p "$out"

# The functions of include/gallop/ whose arguments are numbers as they are; the others stand in exports.c.
exports=""
for name in gal_version gal_status_text gal_isa_name gal_isa_available gal_precision_name gal_network_close \
    gal_network_plan_text gal_network_workspace_size gal_controller_close gal_controller_network \
    gal_controller_joint_name gal_controller_joint_parent gal_controller_contact_joint gal_controller_gait_name gal_crowd_gaits gal_crowd_destroy gal_crowd_count gal_crowd_at \
    gal_crowd_remove gal_crowd_teleport gal_crowd_set_foot_lock gal_crowd_set_priority gal_crowd_step gal_crowd_advance \
    gal_crowd_pose_between gal_crowd_pose_local gal_crowd_trajectory gal_crowd_snapshot_size gal_crowd_save \
    gal_crowd_restore; do
    exports="$exports -Wl,--export=$name"
done

build() { # name flags...
    name=$1
    shift
    # Linked without -O: clang would call wasm-opt, and an old one does not know relaxed SIMD.
    for source in src/exports.c ../src/gallop_all.c; do
        ${CC:-clang-19} --target=wasm32-wasi -std=c11 -O2 -ffp-contract=off ${CFLAGS:-} -I../include -I../src "$@" \
            -c "$source" -o "$out/$name-$(basename "$source" .c).o"
    done
    # shellcheck disable=SC2086
    ${CC:-clang-19} --target=wasm32-wasi -mexec-model=reactor -fuse-ld=lld -Wl,--strip-all -Wl,-z,stack-size=262144 \
        $exports "$out/$name-exports.o" "$out/$name-gallop_all.o" -lm -o "$out/$name.wasm"
    rm "$out/$name-exports.o" "$out/$name-gallop_all.o"
}

build gallop -msimd128 -mrelaxed-simd &
first=$!
build gallop-simd -msimd128
wait "$first"
