#!/usr/bin/env bash
# Builds and runs the benchmarks; `./run bench` installs what building needs, and calls it:
# bench/run.sh [options of bench_network; see docs/bench.md], or
# bench/run.sh results [NAME...]: measures the parts that are named (none: those that this program has not measured yet)
# into bench/results/MACHINE/NAME.csv and draws what is there; bench/run.sh paper [options]: the paper's tables and plots
# into out/paper (docs/paper.md); bench/run.sh crowd [MODELS]: how many characters fit into a frame;
# bench/run.sh frame [MODEL [SECONDS]]: a crowd's frame by its parts; bench/run.sh sparse
# [SHARE|MODEL [SECONDS [ISA [WAY]]]]: sparse layers beside dense ones; bench/run.sh patterns [L4 ...]: pruned convolutions; bench/run.sh onnx FOLDER
# [NAME...], onnx parts|sizes FOLDER [NAME...], onnx profile: ONNX models beside ONNX Runtime, OpenVINO and MNN, which come from PyPI into build/peers.
# Installs what peers need where it can (Debian, as root or with sudo; ONNX Runtime from PyPI into build/); a peer that stays
# missing is left out with a word.
set -eu
cd "$(dirname "$0")/.."

packages="g++ python3 python3-venv libeigen3-dev libopenblas-dev libblis-dev libdnnl-dev libxsmm-dev
    libxnnpack-dev libpthreadpool-dev"

install_missing() {
    command -v dpkg-query >/dev/null || return 0
    local missing=() sudo=()
    for package in $packages; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "bench: installing ${missing[*]}"
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq -o DPkg::Lock::Timeout=300 "${missing[@]}" \
            >/dev/null || echo "bench: could not install all of them; their peers are left out"
}

# The C library inside the Python wheel: unpacked, not installed.
fetch_onnxruntime() {
    local place=build/onnxruntime
    if ! ls $place/onnxruntime/capi/libonnxruntime.so.* >/dev/null 2>&1; then
        echo "bench: fetching ONNX Runtime"
        { [ -x build/venv/bin/pip ] || python3 -m venv build/venv; } &&
            build/venv/bin/pip download -q --no-deps -d $place onnxruntime==1.31.1 &&
            python3 -m zipfile -e $place/onnxruntime-*.whl $place || echo "bench: no ONNX Runtime"
    fi
    GALLOP_BENCH_ONNXRUNTIME=${GALLOP_BENCH_ONNXRUNTIME:-$(ls $place/onnxruntime/capi/libonnxruntime.so.* 2>/dev/null | head -1)}
    export GALLOP_BENCH_ONNXRUNTIME
}

measure() { # name [options]; the file appears when it is whole
    local name=$1
    shift
    echo "bench: $name"
    "$program" --csv "$folder/$name.csv.part" "$@" && mv "$folder/$name.csv.part" "$folder/$name.csv"
}

# Schedules for both networks, by search and from what earlier runs found: out/paper/tune-WAY.jsonl has every measurement,
# the results' folder the winners. A layer that was searched for as long before takes no time.
tune_paper() { # MINUTES TARGET
    local kept=bench/results/$("$program" --slug) name way form log
    mkdir -p "$kept"
    for way in template auto; do
        log=$folder/tune-$way.jsonl
        [ -f "$log" ] || [ ! -f "$kept/tune-$way.jsonl" ] || cp "$kept/tune-$way.jsonl" "$log"
        for name in paper mirror; do
            "$program" --networks $name --model "$folder/$name.gallop"
            for form in per-expert blend; do
                echo "bench: $name, $way, $form"
                build/bench/cli/gallop tune "$folder/$name.gallop" --way $way --form $form --characters 1,5,8 \
                    --target "$2" --minutes "$1" --log "$log" | grep -v '^ '
            done
        done
        grep '"searched"' "$log" >"$kept/tune-$way.jsonl"
    done
}

# Table 3 and figures 3 and 4 of the paper.
measure_paper() { # [--minutes N] [--target x86-64-v3] [options of bench_network]
    local minutes=1 target=native name engines rest=()
    while [ $# -gt 0 ]; do
        case "$1" in
            --minutes) minutes=$2; shift 2 ;;
            --target) target=$2; shift 2 ;;
            *) rest+=("$1"); shift ;;
        esac
    done
    folder=out/paper
    engines="Eigen,compiled Inter,compiled template,compiled auto"
    case "$target" in
        native) ;;
        x86-64-v3) folder=out/paper-avx2 engines="Eigen,=gallop avx2,compiled avx2" ;;
        *) echo "paper: --target $target: native or x86-64-v3" >&2; exit 2 ;;
    esac
    mkdir -p "$folder"
    tune_paper "$minutes" "$target"
    rest+=(--peers "$engines" --counts 1,5,8 --cold no --logs "$folder")
    for name in paper mirror; do
        measure "$name" --networks "$name" "${rest[@]}"
    done
    measure layers --networks paper.1,paper.2,paper.3,mirror.1,mirror.2,mirror.3 "${rest[@]}"
    python3 bench/paper_table.py "$folder"
    python3 bench/plot.py "$folder"
}

# Peers' versions are pinned: others give other figures.
measure_onnx() { # bench|parts|sizes|profile [options of bench/onnx/NAME.py]
    cmake --preset bench >/dev/null
    cmake --build --preset bench --target gallop_command
    if [ ! -f build/peers/whole ]; then
        echo "bench: installing ONNX Runtime, OpenVINO and MNN into build/peers"
        python3 -m venv build/peers &&
            build/peers/bin/pip install -q onnxruntime==1.31.1 openvino==2026.4.1 MNN==3.6.1 onnx==1.16.2 numpy &&
            touch build/peers/whole
    fi
    GALLOP_COMMAND=${GALLOP_COMMAND:-$PWD/build/bench/cli/gallop} exec build/peers/bin/python "bench/onnx/$1.py" "${@:2}"
}

if [ "${1:-}" = onnx ]; then
    shift
    case ${1:-} in
    parts | sizes | profile) measure_onnx "$@" ;;
    *) measure_onnx bench "$@" ;;
    esac
fi
if [[ ${1:-} =~ ^(crowd|frame|sparse)$ ]]; then # no peers
    part=bench_$1
    shift
    cmake --preset bench >/dev/null
    cmake --build --preset bench --target "$part"
    exec "build/bench/bench/$part" "$@"
fi
if [ "${1:-}" = patterns ]; then # Python's onnx and numpy are the system's
    shift
    packages="python3-onnx python3-numpy"
    install_missing
    cmake --preset bench >/dev/null
    cmake --build --preset bench --target gallop_command
    GALLOP_COMMAND=$PWD/build/bench/cli/gallop exec /usr/bin/python3 bench/onnx/patterns.py "$@"
fi
install_missing
[ "${1:-}" = paper ] || fetch_onnxruntime
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_network gallop_command

program=build/bench/bench/bench_network
if [ "${1:-}" = paper ]; then
    shift
    measure_paper "$@"
    exit
fi
if [ "${1:-}" != results ]; then
    exec "$program" "$@"
fi
shift
folder=bench/results/$("$program" --slug)
mkdir -p "$folder"
parts=("$@")
if [ $# -eq 0 ]; then # go on where the last call ended
    for name in paper mirror holden holden-live mann walker dog small-pages layers; do
        if [ "$folder/$name.csv" -nt "$program" ]; then
            echo "bench: $name was measured with this program; name it to do so again"
        else
            parts+=("$name")
        fi
    done
fi
for name in ${parts[@]+"${parts[@]}"}; do
    case "$name" in
        paper) measure paper --networks paper --seconds 1.5 ;;
        small-pages) measure small-pages --networks paper --small-pages --counts 1,2,5,8,16,64 --seconds 0.5 ;;
        layers) measure layers --networks layers --peers none --cold no --seconds 0.7 ;;
        *) measure "$name" --networks "$name" --counts 1,2,5,8,64 --seconds 0.5 ;;
    esac
done
python3 bench/plot.py "$folder"
