#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: include/otf2 scripts
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"
build=$(readlink -f "$1")
compat=$build/otf2-compat

# Modules as programs bring them along: each finds OTF2 in a way of its own. By their names:
# by the script, pkg-config, the library's name, the static library first, version, header, package.
mkdir -p script pkg name static version header package
cat >end <<'END'
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR VERSION_VAR OTF2_VERSION)
add_library(OTF2::OTF2 INTERFACE IMPORTED)
target_include_directories(OTF2::OTF2 INTERFACE ${OTF2_INCLUDE_DIR})
target_link_libraries(OTF2::OTF2 INTERFACE ${OTF2_LIBRARY})
END
cat - end >script/FindOTF2.cmake <<'END'
find_program(OTF2_CONFIG otf2-config HINTS ${OTF2_ROOT}/bin)
execute_process(COMMAND ${OTF2_CONFIG} --cppflags OUTPUT_VARIABLE OTF2_INCLUDE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^-I" "" OTF2_INCLUDE_DIR "${OTF2_INCLUDE_DIR}")
execute_process(COMMAND ${OTF2_CONFIG} --ldflags OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${OTF2_CONFIG} --libs OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^.*-L([^ ]*).*$" "\\1" folders "${folders}")
string(REGEX REPLACE "^.*-l([^ ]*).*$" "\\1" names "${names}")
find_library(OTF2_LIBRARY NAMES ${names} PATHS ${folders} NO_DEFAULT_PATH)
END
cat - end >pkg/FindOTF2.cmake <<'END'
find_package(PkgConfig REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${OTF2_ROOT}/lib/pkgconfig)
pkg_check_modules(PC REQUIRED otf2)
find_path(OTF2_INCLUDE_DIR otf2/otf2.h PATHS ${PC_INCLUDE_DIRS} NO_DEFAULT_PATH)
find_library(OTF2_LIBRARY NAMES ${PC_LIBRARIES} PATHS ${PC_LIBRARY_DIRS} NO_DEFAULT_PATH)
END
cat - end >name/FindOTF2.cmake <<'END'
find_path(OTF2_INCLUDE_DIR otf2/otf2.h PATHS ${OTF2_ROOT} PATH_SUFFIXES include)
find_library(OTF2_LIBRARY NAMES open-trace-format2 otf2 PATHS ${OTF2_ROOT} PATH_SUFFIXES lib)
END
cat - end >static/FindOTF2.cmake <<'END'
find_path(OTF2_INCLUDE_DIR otf2/otf2.h HINTS ${OTF2_ROOT}/include)
find_library(OTF2_LIBRARY NAMES libotf2.a otf2 HINTS ${OTF2_ROOT}/lib)
END
cat - name/FindOTF2.cmake >version/FindOTF2.cmake <<'END'
execute_process(COMMAND ${OTF2_ROOT}/bin/otf2-config --version OUTPUT_VARIABLE OTF2_VERSION)
string(REGEX REPLACE "^.* version ([0-9.]+).*$" "\\1" OTF2_VERSION "${OTF2_VERSION}")
END
cat - name/FindOTF2.cmake >header/FindOTF2.cmake <<'END'
file(STRINGS ${OTF2_ROOT}/include/otf2/OTF2_GeneralDefinitions.h line REGEX "define OTF2_VERSION ")
string(REGEX REPLACE "^.*\"([0-9.]+)\".*$" "\\1" OTF2_VERSION "${line}")
END

cat >user.c <<'END'
#include <otf2/otf2.h>
#include <otf2/otf2_compiler.h>
#include <stdio.h>
/* No name of the library but its public ones is taken. */
int otf2_archive_lock = 7;
int main(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    puts(OTF2_VERSION);
    return OTF2_EvtReaderCallbacks_SetMpiProbeCallback(callbacks, NULL) != OTF2_SUCCESS || otf2_archive_lock != 7;
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(user C)
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/${HOW})
if(HOW MATCHES "version|header|package")
    find_package(OTF2 3.2 REQUIRED)
else()
    find_package(OTF2 REQUIRED)
endif()
add_executable(user user.c)
target_link_libraries(user OTF2::OTF2)
END

same "links to nothing" "$(find "$compat" -xtype l)" ""
for how in script pkg name static version header package; do
    case $how in static | script) compilers="gcc clang" ;; *) compilers=gcc ;; esac
    for compiler in $compilers; do
        rm -rf made
        if ! CC=$compiler cmake -S . -B made -DHOW=$how -DOTF2_ROOT="$compat" >made.log 2>&1 ||
            ! cmake --build made >>made.log 2>&1; then
            cat made.log
            fault "$how, $compiler: no program"
            continue
        fi
        run made/user
        same "$how, $compiler" "$status:$out:$err" "0:3.2:"
        linked=$(ldd made/user | sed -n 's/.*\(libspur-otf2[^ ]*\) => \([^ ]*\) .*/\1 \2/p')
        case $how in
        static) same "libraries of $how" "$linked" "" ;;
        *) same "libraries of $how" "$linked" "libspur-otf2.so.0 $compat/lib/libspur-otf2.so.0" ;;
        esac
    done
done

# ---- the words of the reference's otf2-config, by its name ----

config=$compat/bin/otf2-config
run "$config" --ldflags --libs
same "flags for linking" "$out" "-L$compat/lib -Wl,-rpath,$compat/lib -lotf2"
run "$config" --ltldflags
same "flags for libtool" "$out" "-L$compat/lib -R$compat/lib"
run "$config" --version
same "version" "$status:$out" "0:otf2-config: version 3.2"
run "$config" --interface-version
same "interface version" "$out" "11:0:1"
for option in --revision --config-summary --pythonpath --backend\ --cflags --target=backend\ --libs; do
    # shellcheck disable=SC2086 # words
    run "$config" $option
    same "$option" "$status:$err" "0:"
done

# ---- programs that look for the file of the reference's library ----

for name in libotf2.so.10 libopen-trace-format2.so.10 libopen_trace_format2.so.10; do
    cmp -s "$compat/lib/$name" "$build/lib/libspur-otf2.so" || fault "$name is not the library"
done
same "names of the static library" "$(nm -g --defined-only "$compat/lib/libotf2.a" | grep ' [TDBR] ' | grep -vc ' OTF2X\?_')" 0
finish
