#!/usr/bin/env bash
# Builds and runs the benchmarks: bench/run.sh [options of bench_network; see docs/bench.md]. Installs what is missing
# where it can (Debian, as root or with sudo); a peer that stays missing is left out with a word. Without
# options: all networks and single layers, results and plots into bench/results/ under the machine's name.
# GALLOP_BENCH_NPM=1 also fetches ONNX Runtime (400 MB) into node_modules/.
set -eu
cd "$(dirname "$0")/.."

packages="cmake ninja-build gcc g++ libeigen3-dev libopenblas-dev libblis-dev libdnnl-dev libxsmm-dev
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

install_missing
if [ -n "${GALLOP_BENCH_NPM:-}" ] && [ ! -d node_modules/onnxruntime-node ]; then
    echo "bench: fetching onnxruntime-node"
    npm install --ignore-scripts --no-save onnxruntime-node >/dev/null || echo "bench: no ONNX Runtime"
fi
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_network

program=build/bench/bench/bench_network
if [ $# -gt 0 ]; then
    exec "$program" "$@"
fi
name=bench/results/$("$program" --slug)
"$program" --csv "$name.csv" --json "$name.json"
"$program" --networks layers --peers none --cold no --csv "$name-layers.csv"
python3 bench/plot.py "$name.csv" "$name-layers.csv" --out bench/results
