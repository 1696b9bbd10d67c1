# The Unity package under mono, with a stand-in for UnityEngine of our own: the lines of native_walk.c, its structs
# against the headers, and what it promises (engines/unity/Tests~).
need "${BUILD_PACKAGES[@]}" mono-mcs mono-runtime python3
configure_and_build shared gallop | tail -n 1
mkdir -p build/unity
mcs -langversion:7.2 -unsafe -warnaserror -out:build/unity/Tests.exe engines/unity/Runtime/*.cs \
    engines/unity/Samples~/Walk/*.cs engines/unity/Tests~/*.cs
gcc -std=c11 -O2 -Wall -Wextra -Werror -Iinclude test/platforms/native_walk.c -Lbuild/shared -lgallop \
    -Wl,-rpath,"$PWD/build/shared" -o build/unity/native_walk
export LD_LIBRARY_PATH=$PWD/build/shared
mono build/unity/Tests.exe golden models/walker.gallop >build/unity/got.txt
build/unity/native_walk models/walker.gallop | diff - build/unity/got.txt
mono build/unity/Tests.exe layout | python3 test/api/check_layout.py gcc
mono build/unity/Tests.exe check models/walker.gallop
