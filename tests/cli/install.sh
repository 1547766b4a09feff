#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the program expands, not this script
. "$(dirname "$0")/expect.sh"

# ---- an installation works, also where it is moved to ----

cmake --install "$1" --prefix "$PWD/first" >/dev/null || fault "installation fails"
mv first second
spur=$PWD/second/bin/spur
run "$spur" --version
has "version" "$out" "spur "
run "$spur" doctor true
has "doctor of the installation" "$out" "the loader takes $PWD/second/lib"
run "$spur" -q sh -c 'echo "$LD_PRELOAD"'
has "agent of the installation" "$out" "$PWD/second/lib"
ln -s "$spur" elsewhere
run ./elsewhere help settings
has "spur by a symbolic link" "$out" SPUR_BUFFER

# ---- the library serves programs that are built with pkg-config and with CMake ----

cat >user.c <<'END'
#include <otf2/otf2.h>
int main(void)
{
    return OTF2_Error_GetName(OTF2_SUCCESS) == 0;
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(spur-otf2 REQUIRED)
add_executable(user user.c)
target_link_libraries(user spur::spur-otf2)
END
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/second" -name spur-otf2.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # a list of words
gcc user.c -o user $(pkg-config --define-prefix --cflags --libs spur-otf2) ||
    fault "no program with pkg-config"
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") ./user || fault "the program does not run"
if cmake -S . -B made -DCMAKE_PREFIX_PATH="$PWD/second" >made.log && cmake --build made >>made.log; then
    made/user || fault "the program made by CMake does not run"
else
    cat made.log
    fault "no program with CMake"
fi
finish
