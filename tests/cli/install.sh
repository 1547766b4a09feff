#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: cmake
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
for page in man1/spur.1 man1/spur-report.1 man3/spur.h.3 man3/libspur-otf2.3; do
    [ -s "second/share/man/$page" ] || fault "no manual page $page"
done
for page in README.md docs/README.md docs/settings.md CHANGELOG.md; do
    [ -s "second/share/doc/spur/$page" ] || fault "no documentation $page"
done
# Each link and picture of the installed pages leads to an installed file.
find second/share/doc/spur -name '*.md' | while read -r page; do
    grep -oE '\]\([^)# ]+' "$page" | cut -c3- | grep -v '^https\?:' | sort -u | while read -r link; do
        [ -s "${page%/*}/$link" ] || echo "${page##*/}: $link"
    done
done >../broken
same "links that lead nowhere" "$(cat ../broken)" ""
run ./elsewhere help settings
has "spur by a symbolic link" "$out" SPUR_BUFFER

# The loader cannot be told of a path with blanks: the program runs all the same.
mv second "a b"
run "a b/bin/spur" sh -c 'exit 3'
same "status below a path with blanks" "$status" 3
same "what is said of it" "$err" \
    "spur: the loader cannot preload $PWD/a b/lib/libspur.so: blanks and colons separate its list; sh runs untraced"
mv "a b" second

# ---- folders that are said from the root on, as macros of some distributions do, are below the prefix ----

# configured FOLDER WORD...: FOLDER has the files of an installation that are made before anything is built.
configured()
{
    made=$1
    shift
    run cmake -S "$(dirname "$0")/../.." -B "$made" -G Ninja -DSPUR_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr "$@"
}
configured absolute -DCMAKE_INSTALL_LIBDIR=/usr/lib64 -DCMAKE_INSTALL_LIBEXECDIR=/usr/libexec \
    -DCMAKE_INSTALL_INCLUDEDIR=/usr/include -DCMAKE_INSTALL_BINDIR=/usr/bin -DCMAKE_INSTALL_MANDIR=/usr/share/man \
    -DSPUR_MAN_PAGES="$PWD/second/share/man"
same "folders from the root on" "$status" 0
has "manual pages of another build" "$(cat absolute/cmake_install.cmake)" "FILES \"$PWD/second/share/man/\""
mkdir -p third/lib64/pkgconfig third/include/spur/otf2 third/libexec/spur
cp absolute/spur-otf2.pc third/lib64/pkgconfig/
flags="-I$PWD/third/include/spur -L$PWD/third/lib64"
# Some versions of pkg-config end the line with a space.
same "flags of pkg-config" "$(PKG_CONFIG_PATH=$PWD/third/lib64/pkgconfig pkg-config --cflags --libs \
    --define-variable=prefix="$PWD/third" spur-otf2 | sed 's/ $//')" "$flags -lspur-otf2"
cp absolute/libexec/spur/spur-otf2-config third/libexec/spur/
run third/libexec/spur/spur-otf2-config --cflags --ldflags --libs
same "flags of otf2-config" "$out" "$flags -Wl,-rpath,$PWD/third/lib64 -lspur-otf2"
# shellcheck disable=SC2016 # the module's variable
same "paths of the module" "$(sed -n 's/^prepend-path.*\$prefix//p' absolute/modules/spur | paste -sd ' ')" \
    "/bin /share/man /lib64/pkgconfig "
same "where the launcher looks" "$(grep -o 'SPUR_LIB[A-Z]*DIR=[^ ]*' absolute/build.ninja | sort -u | paste -sd ' ')" \
    'SPUR_LIBDIR=\"lib64\" SPUR_LIBEXECDIR=\"libexec\"'
configured outside -DCMAKE_INSTALL_LIBDIR=/opt/lib
has "a folder outside the prefix" "$err" "CMAKE_INSTALL_LIBDIR must lie below the prefix /usr"
configured deep -DCMAKE_INSTALL_LIBEXECDIR=lib/libexec
has "a deep folder" "$err" "CMAKE_INSTALL_LIBEXECDIR must be one folder below the prefix"

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
gcc user.c -o user $(pkg-config --cflags --libs spur-otf2) ||
    fault "no program with pkg-config"
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") ./user || fault "the program does not run"
if cmake -S . -B made -DCMAKE_PREFIX_PATH="$PWD/second" >made.log && cmake --build made >>made.log; then
    made/user || fault "the program made by CMake does not run"
else
    cat made.log
    fault "no program with CMake"
fi

# ---- and programs that look for OTF2: by its otf2-config, or by its files ----

mkdir -p modules/by-config modules/by-files
cat >modules/by-config/FindOTF2.cmake <<'END'
find_program(OTF2_CONFIG otf2-config HINTS ${OTF2_ROOT}/bin)
foreach(what cflags ldflags libs)
    execute_process(COMMAND ${OTF2_CONFIG} --${what} OUTPUT_VARIABLE OTF2_${what}
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(OTF2_${what})
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 DEFAULT_MSG OTF2_CONFIG OTF2_cflags OTF2_libs)
add_library(OTF2::OTF2 INTERFACE IMPORTED)
target_compile_options(OTF2::OTF2 INTERFACE ${OTF2_cflags})
target_link_libraries(OTF2::OTF2 INTERFACE ${OTF2_ldflags} ${OTF2_libs})
END
cat >modules/by-files/FindOTF2.cmake <<'END'
find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(OTF2_LIBRARY NAMES otf2)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 DEFAULT_MSG OTF2_LIBRARY OTF2_INCLUDE_DIR)
add_library(OTF2::OTF2 INTERFACE IMPORTED)
target_include_directories(OTF2::OTF2 INTERFACE ${OTF2_INCLUDE_DIR})
target_link_libraries(OTF2::OTF2 INTERFACE ${OTF2_LIBRARY})
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(user C)
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/modules/${HOW})
find_package(OTF2 REQUIRED)
add_executable(user user.c)
target_link_libraries(user OTF2::OTF2)
END
unset LD_LIBRARY_PATH
mkdir -p modules/by-nothing
compat=$(find "$PWD/second" -name otf2-compat)
same "links to nothing" "$(find "$compat" -xtype l)" ""
for name in libotf2.so libotf2.a libotf2.so.10 libopen-trace-format2.so.10 libopen_trace_format2.so.10; do
    [ -e "$compat/lib/$name" ] || fault "no $name in $compat"
done

# finds_ours WHERE HOW COMMAND...: CMake's command finds ours, and the program runs on it.
finds_ours()
{
    where=$1 how=$2
    shift 2
    rm -rf made
    if "$@" -S . -B made -DHOW="$how" >made.log 2>&1 && cmake --build made >>made.log 2>&1; then
        made/user || fault "by $where, $how: the program does not run"
        ldd made/user | grep -q "libspur-otf2.so.0 => $PWD/second/" ||
            fault "by $where, $how: not linked to ours: $(ldd made/user)"
    else
        cat made.log
        fault "by $where, $how: no program"
    fi
}
finds_ours OTF2_ROOT by-config cmake -DOTF2_ROOT="$compat"
finds_ours OTF2_ROOT by-files cmake -DOTF2_ROOT="$compat"
finds_ours PATH by-config env PATH="$compat/bin:$PATH" cmake
finds_ours "OTF2_ROOT in the environment" by-files env OTF2_ROOT="$compat" cmake
finds_ours "the package OTF2" by-nothing cmake -DOTF2_ROOT="$compat"

# ---- a copy of Debian's package for Python runs on ours, as docs/library.md says ----

cat >prog.py <<'END'
import otf2
from otf2.enums import LocationType

with otf2.writer.open("written", timer_resolution=1000) as trace:
    node = trace.definitions.system_tree_node("node")
    group = trace.definitions.location_group("group", system_tree_parent=node)
    writer = trace.event_writer("thread", group=group)
    region = trace.definitions.region("region")
    writer.enter(1, region)
    writer.leave(2, region)
with otf2.reader.open("written/traces.otf2") as trace:
    print(*(type(event).__name__ for _, event in trace.events))
with open("/proc/self/maps", encoding="utf-8") as maps:
    print(*sorted({line.split()[-1].split("/")[-1] for line in maps if "otf2" in line}))
END
sed -n '/A copy of the package can use/,/PYTHONPATH=/ { s/^    \$ //p; t; s/^      //p; }' \
    "$(dirname "$0")/../../docs/library.md" >steps
same "steps of the page" "$(wc -l <steps)" 4
mkdir path
ln -s /usr/bin/python3 path/python3
ln -s "$spur" path/spur
run env PATH="$PWD/path:$PATH" bash -e steps
same "the steps" "$status:$err" "0:"
version=$("$spur" --version)
same "what the program prints" "$out" "Enter Leave
_otf2.so libspur-otf2.so.0.${version#spur }"
finish
