# The release's packages, each installed and used where nothing of the checkout is: the .deb in a fresh Debian, the
# tarball by CMake and pkg-config, the wheel, which was built of the sdist, in a fresh environment. The npm package, the crate
# and the Windows wheel are used in web.sh, rust.sh and windows.sh.
need "${BUILD_PACKAGES[@]}" "${PACKAGING_PACKAGES[@]}" "${WEB_PACKAGES[@]}" debootstrap
use_node
version=$(sed -n 's/^#define GAL_VERSION_[A-Z]* //p' include/gallop/base.h | paste -sd.)
work=$PWD/build/packages
rm -rf "$work"
mkdir -p "$work"
pack_everything

say "the .deb in a fresh Debian"
deb=$(ls out/packages/gallop_"$version"_*.deb)
if dpkg-deb -f "$deb" Depends | grep -q mpi; then
    die "the .deb asks for MPI"
fi
if [ "$(id -u)" = 0 ]; then
    root=$work/debian
    debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$work/debootstrap.log" ||
        die "no fresh Debian: $(tail -n 3 "$work/debootstrap.log")"
    cp "$deb" "$root/gallop.deb"
    cat >"$root/use.sh" <<'USE'
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -qq --no-install-recommends /gallop.deb gcc libc6-dev pkg-config libjansson-dev >/dev/null 2>&1
cd /tmp
gallop --version
gallop check /usr/share/gallop/models/walker.gallop
gallop demo --seconds 1 --out demo
test -s demo/demo.html
gcc -std=c11 /usr/share/doc/gallop/examples/crowd.c $(pkg-config --cflags --libs gallop) -o crowd
./crowd "$(pkg-config --variable=models gallop)/walker.gallop" | tail -n 1
gallop compile /usr/share/gallop/models/walker.gallop --target scalar -o compiled
gcc -std=c11 -c compiled/walker.c -o walker.o
USE
    chroot "$root" sh /use.sh || die "the .deb does not work in a fresh Debian"
    rm -rf "$root"
else
    say "not root: the .deb is unpacked, not installed"
    dpkg-deb -x "$deb" "$work/deb"
    "$work/deb/usr/bin/gallop" check "$work/deb/usr/share/gallop/models/walker.gallop"
fi

say "the tarball, by CMake and pkg-config"
mkdir "$work/tarball"
tar xzf out/packages/gallop-"$version"-linux-*.tar.gz -C "$work/tarball" --strip-components=1
cmake -DSOURCE="$PWD" -DPREFIX="$work/tarball" -DWORK="$work/consumer" -DCC="$(command -v cc)" -DGENERATOR=Ninja \
    -DPKG_CONFIG="$(command -v pkg-config)" -P test/api/prefix.cmake
"$work/tarball/bin/gallop" drive "$work/tarball/share/gallop/models/walker.gallop" --input samples/walk_and_turn.csv \
    --seconds 2 -o "$work/poses.npy"

say "the wheel in a fresh environment: the command's poses"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q out/packages/gallop-"$version"-*manylinux*.whl
(cd "$work" && env -u PYTHONPATH -u GALLOP_LIBRARY venv/bin/python - "$version" <<'USE'
import sys
from pathlib import Path

import gallop
import numpy as np

assert gallop.__version__ == sys.argv[1] and "venv" in gallop.__file__
walker = Path(gallop.model_path("walker"))
assert walker.with_suffix(".bars").exists() and walker.with_name("runner.aims").exists()  # what trainings choose by
crowd = gallop.Crowd(str(walker))
who, poses = crowd.add(), np.load("poses.npy")
crowd.set_input(who, move_y=1)
for pose in poses:
    crowd.step()
    assert (crowd.pose(who)[:, :3] == pose).all()
print(f"gallop {gallop.__version__}: {len(poses)} frames, bit for bit")
USE
)
say "packages: made, installed, used"
