# The Godot extension against Godot's own interface (of the crate gdextension-api, which ships it), run by a stand-in for
# Godot of our own; the hashes of the methods that it calls against Godot's API descriptions; its scripts by gdtoolkit.
need "${BUILD_PACKAGES[@]}" python3 python3-venv
command -v cargo >/dev/null || { say "skipped: no cargo to fetch the interface with (rustup.rs)"; return 0; }
work=$PWD/build/godot
mkdir -p "$work/fetch/src"
touch "$work/fetch/src/lib.rs"
printf '[package]\nname = "fetch"\nversion = "0.1.0"\n[dependencies]\ngdextension-api = "=0.2.2"\n[workspace]\n' \
    >"$work/fetch/Cargo.toml"
cargo fetch --quiet --manifest-path "$work/fetch/Cargo.toml"
versions=$(dirname "$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -path '*gdextension-api-0.2.2/versions/4.3' -type d | head -n 1)")
# The crate gives every kind of pointer a type of its own; in Godot's header they are void.
sed 's/struct __Gdext[A-Za-z]*/void/g' "$versions/4.3/res/gdextension_interface.h" >"$work/gdextension_interface.h"
python3 - engines/godot/src/host.c "$versions/4.3/res/extension_api.json" "$versions/4.4/res/extension_api.json" <<'PY'
import json, re, sys

ours = dict(re.findall(r'\{"(\w+)", (\d{5,})\}', open(sys.argv[1]).read()))
for path in sys.argv[2:]:
    (skeleton,) = [c for c in json.load(open(path))["classes"] if c["name"] == "Skeleton3D"]
    theirs = {m["name"]: str(m["hash"]) for m in skeleton["methods"]}
    wrong = [name for name, value in ours.items() if theirs.get(name) != value]
    assert len(ours) == 4 and not wrong, f"{path}: {wrong}"
PY
flags=(-std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
CMAKE_C_COMPILER_LAUNCHER=$(command -v ccache || true) cmake -G Ninja -S engines/godot -B "$work/cmake" \
    -DGODOT_HEADERS="$work" -DCMAKE_C_FLAGS="${flags[*]:2}" >/dev/null
cmake --build "$work/cmake" | tail -n 1
gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$work" -Iinclude engines/godot/test/mock_godot.c engines/godot/src/axes.c \
    -L"$work/cmake/gallop" -lgallop -ldl -lm -o "$work/mock_godot"
"$work/mock_godot" engines/godot/demo/addons/gallop/bin/libgallop_godot.so models/walker.gallop
[ -x "$work/venv/bin/gdparse" ] || { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q gdtoolkit==4.5.0; }
find engines/godot/demo -name '*.gd' -exec "$work/venv/bin/gdparse" {} +
find engines/godot/demo -name '*.gd' -exec "$work/venv/bin/gdlint" {} +
