# SPDX-License-Identifier: BSD-3-Clause
# What is made of the layers: two libraries, the launcher and its commands; and where they go.
include(CMakePackageConfigHelpers)

# ---- libspur-otf2.so: the public OTF2 library ----

# The number of its binary interface (SONAME), which is not the version: see docs/release.md.
set(spur_otf2_abi 0)
set(otf2_header include/otf2/OTF2_GeneralDefinitions.h)
file(STRINGS ${otf2_header} spur_otf2_version REGEX "^#define OTF2_VERSION +\"")
string(REGEX REPLACE "^.*\"(.*)\".*$" "\\1" spur_otf2_version "${spur_otf2_version}")

if(TARGET format AND TARGET writer)
    add_library(spur-otf2 SHARED)
    spur_link_layers(spur-otf2 format format-mem-libc format-zlib writer reader)
    spur_version_script(spur-otf2 SPUR_OTF2_3.0 format writer reader)
    set_target_properties(spur-otf2 PROPERTIES VERSION ${spur_otf2_abi}.${PROJECT_VERSION}
                                               SOVERSION ${spur_otf2_abi} LINKER_LANGUAGE C)
    target_include_directories(spur-otf2 INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spur>)

    install(TARGETS spur-otf2 EXPORT spur-otf2 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    # In a folder of their own: the names of the headers are those of the reference library.
    install(DIRECTORY include/otf2 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spur
            FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
    # An installation may be moved, or have another prefix than it was configured for.
    file(RELATIVE_PATH spur_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
         ${CMAKE_INSTALL_PREFIX})
    configure_file(cmake/spur-otf2.pc.in spur-otf2.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/spur-otf2.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

    set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spur-otf2)
    configure_package_config_file(cmake/spur-otf2-config.cmake.in spur-otf2-config.cmake
                                  INSTALL_DESTINATION ${package_dir})
    write_basic_package_version_file(spur-otf2-config-version.cmake
                                     COMPATIBILITY SameMajorVersion)
    install(EXPORT spur-otf2 NAMESPACE spur:: DESTINATION ${package_dir}
            FILE spur-otf2-targets.cmake)
    install(FILES ${PROJECT_BINARY_DIR}/spur-otf2-config.cmake
                  ${PROJECT_BINARY_DIR}/spur-otf2-config-version.cmake
            DESTINATION ${package_dir})

    # The same as a static library of native code, in which only the public names are global: one object,
    # since a program's own functions must not meet ours. Without zlib: who links libotf2.a knows of no other
    # library. Objects with intermediate code alone cannot be joined.
    set(spur_has_static OFF)
    if(CMAKE_OBJCOPY AND NOT SPUR_SANITIZE AND (spur_fat_objects OR NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION))
        set(spur_has_static ON)
        set(objects "")
        foreach(layer format format-mem-libc writer reader)
            list(APPEND objects $<TARGET_OBJECTS:${layer}>)
        endforeach()
        set(static ${PROJECT_BINARY_DIR}/lib/libspur-otf2.a)
        add_custom_command(OUTPUT ${static}
            COMMAND ${CMAKE_C_COMPILER} -r -nostdlib $<$<BOOL:${spur_fat_objects}>:-fno-lto> -o ${static}.o ${objects}
            COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=OTF2_* --keep-global-symbol=OTF2X_*
                    --remove-section=.gnu.lto_* ${static}.o
            COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
            COMMAND ${CMAKE_AR} qcs ${static} ${static}.o
            COMMAND ${CMAKE_COMMAND} -E rm ${static}.o
            DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking libspur-otf2.a")
        add_custom_target(spur-otf2-static ALL DEPENDS ${static})
        install(FILES ${static} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()

    # Who looks for "otf2" finds this library by OTF2_ROOT or PATH, in a directory of links: one for the
    # build tree, one to be installed.
    set(compat_dir ${CMAKE_INSTALL_LIBDIR}/spur/otf2-compat)
    set(compat_here ${PROJECT_BINARY_DIR}/otf2-compat)
    set(compat_installed ${PROJECT_BINARY_DIR}/otf2-compat-installed)
    function(spur_compat name destination here)
        get_filename_component(folder ${name} DIRECTORY)
        file(RELATIVE_PATH target ${CMAKE_INSTALL_PREFIX}/${compat_dir}/${folder}
             ${CMAKE_INSTALL_PREFIX}/${destination})
        file(MAKE_DIRECTORY ${compat_installed}/${folder} ${compat_here}/${folder})
        file(CREATE_LINK ${target} ${compat_installed}/${name} SYMBOLIC)
        file(CREATE_LINK ${here} ${compat_here}/${name} SYMBOLIC)
    endfunction()
    spur_compat(bin/otf2-config ${CMAKE_INSTALL_LIBEXECDIR}/spur/spur-otf2-config
                ${PROJECT_BINARY_DIR}/libexec/spur/spur-otf2-config)
    spur_compat(include/otf2 ${CMAKE_INSTALL_INCLUDEDIR}/spur/otf2 ${PROJECT_SOURCE_DIR}/include/otf2)
    # The names by which linkers and loaders know the reference library, its own and those of distributions.
    foreach(name libotf2.so libotf2.so.10 libopen-trace-format2.so libopen-trace-format2.so.10
            libopen_trace_format2.so libopen_trace_format2.so.10)
        spur_compat(lib/${name} ${CMAKE_INSTALL_LIBDIR}/libspur-otf2.so ${PROJECT_BINARY_DIR}/lib/libspur-otf2.so)
    endforeach()
    if(spur_has_static)
        spur_compat(lib/libotf2.a ${CMAKE_INSTALL_LIBDIR}/libspur-otf2.a ${static})
    endif()
    set(file libspur-otf2.so.${spur_otf2_abi})
    spur_compat(lib/${file} ${CMAKE_INSTALL_LIBDIR}/${file} ${PROJECT_BINARY_DIR}/lib/${file})
    foreach(folder ${compat_here} ${compat_installed})
        configure_file(cmake/otf2.pc.in ${folder}/lib/pkgconfig/otf2.pc @ONLY)
        configure_file(cmake/OTF2Config.cmake.in ${folder}/lib/cmake/OTF2/OTF2Config.cmake @ONLY)
        write_basic_package_version_file(${folder}/lib/cmake/OTF2/OTF2ConfigVersion.cmake
                                         VERSION ${spur_otf2_version} COMPATIBILITY SameMajorVersion)
    endforeach()
    install(DIRECTORY ${compat_installed}/ DESTINATION ${compat_dir})
endif()

# ---- libspur.so: the agent, preloaded into other people's programs ----

if(TARGET agent)
    string(REPLACE "/" "-" family_targets "${families}")
    if(TARGET wrappers-mpi-calls)
        list(APPEND family_targets wrappers-mpi-calls)
    endif()
    foreach(layer agent agent-metrics ${finish_layers} ${family_targets})
        # Static TLS: the lazy model may allocate at the first access, inside somebody's malloc.
        # -fexceptions: C++ exceptions and thread cancellation unwind through the wrappers.
        target_compile_options(${layer} PRIVATE -ftls-model=initial-exec -fexceptions)
    endforeach()
    set(families_of_tests wrappers-kit wrappers-mpi wrappers-openmp wrappers-process wrappers-pthread)
    foreach(family ${family_targets})
        # A family defines functions that the headers would define as well, inline, to fortify them.
        target_compile_options(${family} PRIVATE ${spur_unfortified})
        if(NOT family IN_LIST families_of_tests)
            set_property(TARGET ${family} PROPERTY SPUR_ONLY_LTO ON)
        endif()
    endforeach()
    add_library(spur SHARED)
    spur_link_layers(spur format writer ${finish_layers} agent-metrics agent ${family_targets})
    spur_version_of_libc(spur OTF2* io_m* _Unwind_* __start_* __stop_*)
    set_target_properties(spur PROPERTIES LINKER_LANGUAGE C)
    # Never unloaded: its destructors and the wrapped symbols must stay callable. No library but libc:
    # it is loaded into every shell the job starts. Bound at once: a function that is bound when it is
    # first called takes 3 KiB of the caller's stack, which may be all of it.
    target_link_options(spur PRIVATE -Wl,-z,nodelete -Wl,-z,now -static-libgcc)
    install(TARGETS spur LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

    # What programs and plug-ins may include: <spur/metric.h>.
    install(DIRECTORY include/spur DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN "*.h")

    # The agent's own finishing, for when the job is over or was cut off.
    add_executable(spur-finish tools/session/finish_main.c tools/session/crew.c tools/session/team.c
                               finish/finish_serve.c)
    spur_link_layers(spur-finish format writer ${finish_layers})
    target_link_libraries(spur-finish PRIVATE tools-engine tools-base)
    spur_command(spur-finish)

    # Switches recording in processes that run.
    add_executable(spur-control tools/session/control_main.c tools/session/mapped.c)
    spur_link_layers(spur-control format writer ${finish_layers})
    target_link_libraries(spur-control PRIVATE tools-base)
    spur_command(spur-control)

    # Records processes that run already, where the processor is known.
    if(TARGET spur-attach)
        file(GLOB sources CONFIGURE_DEPENDS tools/attach/*.c)
        list(FILTER sources EXCLUDE REGEX unknown_processor)
        # Its code is copied, and must be whole.
        set_source_files_properties(tools/attach/stub.c PROPERTIES COMPILE_OPTIONS
            "-fno-lto;-fno-stack-protector;-fno-sanitize=all;-O2;-fPIC")
    else()
        set(sources tools/attach/unknown_processor.c)
    endif()
    add_executable(spur-attaching ${sources})
    spur_link_layers(spur-attaching ${finish_layers} format writer)
    target_link_libraries(spur-attaching PRIVATE tools-base)
    target_compile_definitions(spur-attaching PRIVATE SPUR_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
    # What the agent looks for in it.
    set_target_properties(spur-attaching PROPERTIES OUTPUT_NAME spur-attach ENABLE_EXPORTS ON)
    target_link_libraries(spur-attaching PRIVATE ${CMAKE_DL_LIBS})
    spur_command(spur-attaching)

    # Makes an archive of what running processes have recorded so far.
    add_executable(spur-snapshot tools/session/snapshot_main.c tools/session/mapped.c
                                 finish/snapshot.c finish/snapshot_files.c)
    spur_link_layers(spur-snapshot format writer ${finish_layers})
    target_link_libraries(spur-snapshot PRIVATE tools-base)
    spur_command(spur-snapshot)

    # Finishing asks it for the names of code; it opens libdw at run time.
    add_executable(spur-code code/code_main.c code/demangle.c code/dwarf.c
                             code/dwarf_calls.c code/extents.c code/symbols.c)
    spur_link_layers(spur-code format writer ${finish_layers})
    spur_command(spur-code)
    find_library(SPUR_LIBIBERTY iberty)
    find_path(SPUR_DEMANGLE_H libiberty/demangle.h)
    if(SPUR_LIBIBERTY AND SPUR_DEMANGLE_H)
        target_compile_definitions(spur-code PRIVATE SPUR_HAS_LIBIBERTY)
        target_include_directories(spur-code SYSTEM PRIVATE ${SPUR_DEMANGLE_H})
        target_link_libraries(spur-code PRIVATE ${SPUR_LIBIBERTY})
    else()
        message(STATUS "no libiberty (Debian: libiberty-dev): Rust's names _R... stay as they are")
    endif()

    # What metrics work here: the sources of the agent's, without the agent.
    add_executable(spur-metrics tools/session/metric_main.c ${metric_sources})
    spur_link_layers(spur-metrics format writer ${finish_layers} agent-metrics)
    target_link_libraries(spur-metrics PRIVATE tools-base)
    spur_command(spur-metrics)
endif()

# The completions of the shells ask spur-complete.
configure_file(scripts/completions/spur-complete libexec/spur/spur-complete COPYONLY)
install(PROGRAMS scripts/completions/spur-complete DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spur)
install(FILES scripts/completions/spur.bash RENAME spur
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES scripts/completions/_spur DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES scripts/completions/spur.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# ---- documentation ----

install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE TYPE DOC)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "*.png")
# The manual pages say what the commands say of themselves.
find_program(SPUR_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SPUR_PYTHON3 NAMES python3)
if(SPUR_MAN_PAGES)
    install(DIRECTORY ${SPUR_MAN_PAGES}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
elseif(SPUR_PYTHON3 AND NOT CMAKE_CROSSCOMPILING AND NOT SPUR_SANITIZE AND TARGET agent AND TARGET reader)
    set(pages_of spur-launch spur-settings spur-doctor spur-finish spur-attaching spur-control spur-snapshot spur-metrics)
    foreach(command pack unpack ${reading_commands})
        list(APPEND pages_of spur-${command})
    endforeach()
    file(GLOB headers CONFIGURE_DEPENDS include/otf2/*.h)
    add_custom_command(OUTPUT man.stamp
        COMMAND ${SPUR_PYTHON3} -B ${PROJECT_SOURCE_DIR}/scripts/make_man ${PROJECT_BINARY_DIR}
                ${PROJECT_BINARY_DIR}/share/man
        COMMAND ${CMAKE_COMMAND} -E touch man.stamp
        DEPENDS ${pages_of} scripts/make_man docs/settings.md docs/tools.md docs/library.md CHANGELOG.md
                tools/launch/launch_commands.def include/spur/spur.h ${headers}
        COMMENT "Making the manual pages")
    add_custom_target(man ALL DEPENDS man.stamp)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
    message(STATUS "no manual pages: they need Python 3, the agent, and a build without sanitizers")
endif()

# The reference of the public headers, by `ninja reference`; it is installed if it has been made.
if(SPUR_PYTHON3)
    add_custom_target(reference
        COMMAND ${SPUR_PYTHON3} -B ${PROJECT_SOURCE_DIR}/scripts/make_reference
                ${PROJECT_BINARY_DIR}/reference
        COMMENT "Making the reference of the headers")
    install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/html/ OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference)
endif()

# ---- what a compiler must be told, see scripts/otf2-config ----

set(spur_interface_version 11:0:1) # of the library that it can stand in for
set(spur_zlib "")
if(TARGET format-zlib)
    set(spur_zlib zlib)
endif()
configure_file(scripts/otf2-config libexec/spur/spur-otf2-config @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/libexec/spur/spur-otf2-config
        DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spur)

# ---- packages ----

# A module file for Environment Modules and Lmod; it finds the installation that it lies in.
configure_file(packaging/modules/spur.in modules/spur @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modules/spur DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/spur
        RENAME ${PROJECT_VERSION})

add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)

# `cpack` in the build folder makes a tarball that runs from wherever it is unpacked.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME spur-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
