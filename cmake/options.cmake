# SPDX-License-Identifier: BSD-3-Clause
# How everything is compiled. Targets take it by linking spur_options.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(spur_options INTERFACE)
target_include_directories(spur_options INTERFACE ${PROJECT_SOURCE_DIR}
                                                  ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(spur_options INTERFACE _GNU_SOURCE SPUR_VERSION="${PROJECT_VERSION}")
target_compile_options(spur_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wold-style-definition -Wcast-qual -Wpointer-arith -Wundef -Wvla -Wformat=2 -Wnull-dereference
    -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough
    -fno-common -fno-omit-frame-pointer
    $<$<BOOL:${SPUR_WERROR}>:-Werror>
    # A table row expands through several macros; one note per warning is enough.
    $<$<C_COMPILER_ID:GNU>:-ftrack-macro-expansion=0 -Wlogical-op -Wduplicated-cond
                           -Wduplicated-branches>
    $<$<C_COMPILER_ID:Clang>:-fmacro-backtrace-limit=1 -Wmissing-variable-declarations>)
target_link_options(spur_options INTERFACE -Wl,--as-needed -Wl,-z,relro)

if(SPUR_SANITIZE)
    target_compile_options(spur_options INTERFACE -fsanitize=${SPUR_SANITIZE}
                                                  -fno-sanitize-recover=all)
    target_link_options(spur_options INTERFACE -fsanitize=${SPUR_SANITIZE})
endif()
