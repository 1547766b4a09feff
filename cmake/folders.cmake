# SPDX-License-Identifier: BSD-3-Clause
# Where the parts of an installation go: CMAKE_INSTALL_BINDIR and so on, each as its way from the prefix.
include(GNUInstallDirs)

# spur finds its parts relative to its own place. Macros of some distributions say all folders from the root on.
foreach(folder BINDIR LIBDIR LIBEXECDIR INCLUDEDIR DATAROOTDIR DATADIR MANDIR DOCDIR)
    set(place ${CMAKE_INSTALL_${folder}})
    if(IS_ABSOLUTE "${place}")
        file(RELATIVE_PATH place ${CMAKE_INSTALL_PREFIX} ${place})
        set(CMAKE_INSTALL_${folder} ${place})
    endif()
    if(place MATCHES "^\\.\\.")
        message(FATAL_ERROR "CMAKE_INSTALL_${folder} must lie below the prefix ${CMAKE_INSTALL_PREFIX}: "
                            "spur finds its parts relative to its own place")
    endif()
endforeach()

# These parts look for the prefix in the folder above their own.
foreach(folder BINDIR LIBEXECDIR DATADIR)
    if(CMAKE_INSTALL_${folder} MATCHES "/.")
        message(FATAL_ERROR "CMAKE_INSTALL_${folder} must be one folder below the prefix, as bin, libexec and share are")
    endif()
endforeach()
