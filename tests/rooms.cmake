# SPDX-License-Identifier: BSD-3-Clause
# Rooms: the folders that the map in docs/architecture.md names. Each test has those that it is about as labels, for
# `ctest -L wrappers/mpi` and `scripts/test wrappers/mpi`; lint/rooms looks whether each has one.
file(STRINGS ${PROJECT_SOURCE_DIR}/docs/architecture.md rooms REGEX "^\\| `[^`]+/` \\|")
list(FILTER rooms INCLUDE REGEX "^\\| `") # a semicolon in a row has made two of it
list(TRANSFORM rooms REPLACE "^\\| `([^`]+)/` .*" "\\1")

# add_rooms(TEST ROOM...)
function(add_rooms test)
    set_property(TEST ${test} APPEND PROPERTY LABELS ${ARGN})
endfunction()

# add_rooms_of_source(TEST SOURCE [LIBRARY...]): the folders of what a test in C includes, and that of the first
# library that it links.
function(add_rooms_of_source test source)
    file(STRINGS ${source} folders REGEX "^#include ")
    list(TRANSFORM folders REPLACE "^#include \"(.*)/[^/]*\".*" "\\1")
    list(TRANSFORM folders REPLACE "^#include <(otf2x?|spur)/.*" "include/\\1")
    list(APPEND folders ${ARGV2})
    list(TRANSFORM folders REPLACE "^([a-z]+)-" "\\1/")
    list(REMOVE_DUPLICATES folders)
    foreach(folder ${folders})
        if(folder IN_LIST rooms)
            add_rooms(${test} ${folder})
        endif()
    endforeach()
endfunction()

# add_rooms_said(TEST SOURCE): those in its line "of: ROOM...".
function(add_rooms_said test source)
    file(STRINGS ${source} said REGEX "^. of: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^. of: " "" said "${said}")
    separate_arguments(said)
    add_rooms(${test} ${said})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()
