# The Unreal plug-in against a stand-in for Unreal's headers of our own: compiled with all warnings, and a level run.
need "${BUILD_PACKAGES[@]}" g++
configure_and_build release gallop | tail -n 1
mkdir -p build/unreal
g++ -std=c++17 -O1 -g -Wall -Wextra -Wshadow -Wno-unused-parameter -Werror -isystem include -Iengines/unreal/test/stubs \
    -Iengines/unreal/Gallop/Source/Gallop/Public engines/unreal/Gallop/Source/Gallop/Private/*.cpp \
    engines/unreal/test/level.cpp build/release/libgallop.a -o build/unreal/level
build/unreal/level models/walker.gallop
