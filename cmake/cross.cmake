# SPDX-License-Identifier: BSD-3-Clause
# A toolchain file: builds for another processor by Debian's cross compiler, see scripts/cross.
#     cmake -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DSPUR_CROSS=aarch64 -DSPUR_SYSROOT=DIR ...
# SPUR_SYSROOT has Debian's packages of that processor, unpacked; if it is empty, there is what came with the
# compiler, and no more. What is built can be run by the tests where the kernel hands it to qemu.
# SPUR_GUARDED: return addresses are signed, and branches lead to marked places only (BTI), as some systems build.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SPUR_CROSS SPUR_GUARDED SPUR_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SPUR_CROSS})
set(CMAKE_C_COMPILER ${SPUR_CROSS}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${SPUR_CROSS}-linux-gnu)
if(SPUR_SYSROOT)
    set(CMAKE_SYSROOT ${SPUR_SYSROOT})
else()
    set(CMAKE_FIND_ROOT_PATH /usr/${SPUR_CROSS}-linux-gnu)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# A build ID, as the compiler of the machine itself makes; tests look for it. The compiler knows the libc that it was
# packaged with, and takes it before the sysroot's; libraries of a later Debian need the latter.
set(link_options -Wl,--build-id)
if(SPUR_SYSROOT)
    string(APPEND link_options " -B${SPUR_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT ${link_options})
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${link_options})
# Debian 12's own parts of a library have no such marks: it is built without them.
if(SPUR_GUARDED)
    add_compile_options(-mbranch-protection=standard -mno-outline-atomics)
    string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -nostartfiles -Wl,--defsym=__dso_handle=0,-z,force-bti")
endif()
