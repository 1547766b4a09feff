# SPDX-License-Identifier: BSD-3-Clause
# SPUR_UNITY: small files are compiled together, as CMake's unity builds. Most of a compiler's time goes into headers,
# which each unit reads anew. Two files share a unit unless both define one name; a file with compile options of its own
# stays alone. The preset `clang` compiles each file by itself, so a missing #include is found.
#
# A name of one file may also be in a header of another one, which is not looked for here: "conflicting types",
# "redefinition". Remedy: another name. These files wait for one, or include a header that defines objects:
set(spur_alone "wrappers/formats/p?netcdf_wrap|tools/base/|tools/print/print_(anchor|definitions)"
    "|tools/export/export_found|tools/report/(report_digest|iterations/iterations_growth)")
list(JOIN spur_alone "" spur_alone)

# The names of the static objects and functions, macros, types and enumerators of a file.
function(spur_names_of file result)
    file(READ ${file} text)
    string(REGEX REPLACE "[][;\\]" "(" text "${text}") # these are more than letters in lists
    set(begins "[^\n(]*static|__attribute__[^\n]* static|INLINE|# *define|typedef|struct|union|enum")
    string(REGEX MATCHALL "\n(${begins}|[A-Z_0-9]+\\(|    [A-Z_0-9]+ *[,=]|}) *[^\n]*" lines "${text}")
    set(names "")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "/\\*.*" "" line "${line}")
        if(line MATCHES "\n# *define +([A-Za-z0-9_]+)")
            list(APPEND names ${CMAKE_MATCH_1})
        elseif(line MATCHES "static [^(=]*\\(\\*[const ]*([A-Za-z0-9_]+)\\)\\(") # a pointer to a function
            list(APPEND names ${CMAKE_MATCH_1})
        elseif(line MATCHES "(static|INLINE) [^(=,]*[ *]([A-Za-z0-9_]+) *[(=]")
            list(APPEND names ${CMAKE_MATCH_2})
        else()
            string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]+" words "${line}")
            list(APPEND names ${words})
        endif()
    endforeach()
    list(REMOVE_ITEM names static struct union enum typedef const char int void bool long unsigned)
    list(REMOVE_DUPLICATES names)
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Is a file's place among the units free to choose?
function(spur_may_share path folder result)
    set(${result} OFF PARENT_SCOPE)
    if(NOT path MATCHES "^${PROJECT_SOURCE_DIR}/.*\\.c$" OR path MATCHES "${spur_alone}")
        return()
    endif()
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS GENERATED UNITY_GROUP)
        get_source_file_property(value ${path} DIRECTORY ${folder} ${property})
        if(value)
            return()
        endif()
    endforeach()
    set(${result} ON PARENT_SCOPE)
endfunction()

# Divides the files of a target among units of up to 64 KiB: each takes the first unit that has none of its names.
function(spur_compile_together target)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    set(units 0)
    foreach(source IN LISTS sources)
        get_filename_component(path ${source} ABSOLUTE BASE_DIR ${folder})
        spur_may_share(${path} ${folder} may_share)
        if(NOT may_share)
            continue()
        endif()
        file(SIZE ${path} bytes)
        spur_names_of(${path} names)
        foreach(unit RANGE ${units}) # the last one is new
            math(EXPR sum "${bytes} + 0${bytes_${unit}}")
            set(all ${names_${unit}} ${names})
            set(unique ${all})
            list(REMOVE_DUPLICATES unique)
            if(unit EQUAL units OR (sum LESS 65536 AND "${all}" STREQUAL "${unique}"))
                set(chosen ${unit})
                break()
            endif()
        endforeach()
        if(chosen EQUAL units)
            math(EXPR units "${units} + 1")
        endif()
        set(bytes_${chosen} ${sum})
        set(names_${chosen} ${all})
        set_source_files_properties(${path} DIRECTORY ${folder} PROPERTIES UNITY_GROUP ${chosen})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The targets of a folder, and of those below.
function(spur_compile_folder_together folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type MATCHES "^(OBJECT|STATIC|SHARED)_LIBRARY$|^EXECUTABLE$")
            spur_compile_together(${target})
        endif()
    endforeach()
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
        spur_compile_folder_together(${below})
    endforeach()
endfunction()
