# SPDX-License-Identifier: BSD-3-Clause
# How everything is compiled (targets take it by linking spur_options) and linked.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
find_program(SPUR_CCACHE ccache)
if(SPUR_CCACHE AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${SPUR_CCACHE})
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(spur_options INTERFACE)
target_include_directories(spur_options INTERFACE ${PROJECT_SOURCE_DIR}
                                                  ${PROJECT_SOURCE_DIR}/include
                                                  ${PROJECT_BINARY_DIR}/include)
target_compile_definitions(spur_options INTERFACE _GNU_SOURCE SPUR_VERSION="${PROJECT_VERSION}")
target_compile_options(spur_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wold-style-definition -Wcast-qual -Wpointer-arith -Wundef -Wvla -Wformat=2 -Wnull-dereference
    -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough
    -fno-common -fno-omit-frame-pointer
    # Exceptions and stacks go through the agent's frames. Not every processor's compiler has it by default.
    -fasynchronous-unwind-tables
    $<$<BOOL:${SPUR_WERROR}>:-Werror>
    # Names of one file are global for another one of its unit. Two objects of one name would be one; headers of newer
    # systems repeat declarations of this tree.
    $<$<BOOL:${SPUR_UNITY}>:-Wno-shadow>
    $<$<AND:$<BOOL:${SPUR_UNITY}>,$<BOOL:${SPUR_WERROR}>>:-Wredundant-decls>
    # A table row expands through several macros; one note per warning is enough.
    $<$<C_COMPILER_ID:GNU>:-ftrack-macro-expansion=0 -Wlogical-op -Wduplicated-cond
                           -Wduplicated-branches>
    # An enumerator is a named integer here. From clang 19 on, -Wconversion warns where one meets a double.
    $<$<C_COMPILER_ID:Clang>:-fmacro-backtrace-limit=1 -Wmissing-variable-declarations -Wno-enum-float-conversion>)
target_link_options(spur_options INTERFACE -Wl,--as-needed -Wl,-z,relro)

# Where one instruction multiplies and adds, it rounds once instead of twice: an archive would give other numbers there
# than elsewhere. x86-64 has none unless it is asked for.
check_c_source_compiles("#if defined __x86_64__ && !defined __FMA__
#error
#endif
int main(void) { return 0; }" SPUR_MULTIPLIES_AND_ADDS)
if(SPUR_MULTIPLIES_AND_ADDS)
    target_compile_options(spur_options INTERFACE -ffp-contract=off)
endif()

# For riscv64, gcc 12 has no atomic operations on bytes. They come from a library of its own: a few instructions,
# that are linked in, since libspur.so shall need no library but libc.
check_c_source_compiles("#include <stdatomic.h>
    _Atomic _Bool is_set; int main(void) { return atomic_exchange(&is_set, 1); }" SPUR_HAS_BYTE_ATOMICS)
if(NOT SPUR_HAS_BYTE_ATOMICS)
    string(APPEND CMAKE_C_STANDARD_LIBRARIES " -l:libatomic.a")
endif()

# Products for older machines are linked to libraries that have only what an older glibc has; see portable/, too.
if(SPUR_GLIBC)
    set(stubs ${PROJECT_BINARY_DIR}/old_glibc)
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/old_glibc ${stubs} ${SPUR_GLIBC} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "scripts/old_glibc failed")
    endif()
    # The libraries of this machine may need what these do not have.
    target_link_options(spur_options INTERFACE -L${stubs} -Wl,--allow-shlib-undefined)
endif()

# Tests and most commands are linked without link time optimisation, of objects that have the code as well:
# all but those of a target whose property SPUR_ONLY_LTO is set.
set(spur_fat_objects OFF)
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(spur_fat_objects ON)
    target_compile_options(spur_options INTERFACE
        $<$<NOT:$<BOOL:$<TARGET_PROPERTY:SPUR_ONLY_LTO>>>:-ffat-lto-objects>)
endif()

# For the hot path: a leaf needs no frame of its own. Not every processor's compiler knows the option.
check_c_compiler_flag(-momit-leaf-frame-pointer SPUR_OMITS_LEAF_FRAMES)
set(spur_leaf_options $<$<BOOL:${SPUR_OMITS_LEAF_FRAMES}>:-momit-leaf-frame-pointer>)

# Distributions ask for fortification also by -Wp, whose words the compiler takes after all others.
set(spur_unfortified -Wp,-U_FORTIFY_SOURCE)

if(SPUR_SANITIZE)
    target_compile_options(spur_options INTERFACE -fsanitize=${SPUR_SANITIZE}
                                                  -fno-sanitize-recover=all)
    target_link_options(spur_options INTERFACE -fsanitize=${SPUR_SANITIZE})
    # Fences order the writes to mapped files, of which whoever finishes the archive is the reader.
    if(SPUR_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(spur_options INTERFACE -Wno-tsan)
    endif()
endif()

# The oldest version of the C library on this processor, which its oldest functions have.
set(spur_libc_base GLIBC_2.17)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(spur_libc_base GLIBC_2.2.5)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x")
    set(spur_libc_base GLIBC_2.2)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "riscv64")
    set(spur_libc_base GLIBC_2.27)
endif()
set(spur_libc_definition SPUR_LIBC_BASE="${spur_libc_base}") # for wrappers/kit/libc_version.h

# For a library that stands in front of others: what it exports has no version, so it answers for every
# one, but for what wrappers/kit/libc_version.h exports. The rest is hidden by its visibility, or by these
# patterns; scripts/check_exports compares what is left with exports.map.in.
function(spur_version_of_libc target)
    set(map ${PROJECT_BINARY_DIR}/${target}.map)
    list(JOIN ARGN "; " hidden)
    file(CONFIGURE OUTPUT ${map} CONTENT "${spur_libc_base} { local: ${hidden}; };\n" @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--exclude-libs,ALL)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# What a library exports is written down, one symbol pattern a line ("#" begins a comment), in the
# exports.map.in of the folders it is made of; the rest is hidden even if it asks to be seen.
# `version` names the symbols' version; empty for a library that stands in front of others and must
# answer for every version.
function(spur_version_script target version)
    set(symbols "")
    foreach(folder ${ARGN})
        set(list ${PROJECT_SOURCE_DIR}/${folder}/exports.map.in)
        if(EXISTS ${list})
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
            file(STRINGS ${list} lines)
            foreach(line ${lines})
                string(REGEX REPLACE "#.*$" "" line "${line}")
                string(REGEX REPLACE "[ \t;]" "" line "${line}")
                if(line)
                    string(APPEND symbols "        ${line};\n")
                endif()
            endforeach()
        endif()
    endforeach()
    if(symbols)
        set(symbols "    global:\n${symbols}")
    endif()
    set(map ${PROJECT_BINARY_DIR}/${target}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "${version} {\n${symbols}    local: *;\n};\n" @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# Links those of the named object libraries that exist into a product. A symbol that nobody defines
# must not wait for the first traced program to be found out.
function(spur_link_layers target)
    if(NOT SPUR_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    foreach(layer ${ARGN})
        if(TARGET ${layer})
            target_link_libraries(${target} PRIVATE ${layer})
        endif()
    endforeach()
    target_link_libraries(${target} PRIVATE spur_options)
endfunction()

# A command behind `spur <command>`: lies in libexec/spur. Link time optimisation takes a minute of a build for commands
# that read archives, and makes none faster, since their small files are compiled together.
set(spur_optimised_commands spur-finish)
function(spur_command target)
    set_property(TARGET ${target} PROPERTY SPUR_ONLY_LTO ON) # nothing else is linked of its own objects
    if(spur_fat_objects AND NOT target IN_LIST spur_optimised_commands)
        set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
        target_link_options(${target} PRIVATE -fno-lto)
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                          ${PROJECT_BINARY_DIR}/libexec/spur)
    install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spur)
endfunction()
