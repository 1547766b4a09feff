# SPDX-License-Identifier: BSD-3-Clause
"""Package file for Spack: copy it to packages/spur/ of a repository of yours."""

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # Spack before 1.0 has them in spack.package
    pass


class Spur(CMakePackage):
    """Traces MPI, OpenMP and threads of unmodified programs as OTF2 archives."""

    # The place of the tarball that scripts/release makes is the site's to say: spack install takes it
    # from a mirror, or from the folder of a checkout with spack develop.
    url = "spur-1.0.0.tar.gz"

    license("BSD-3-Clause")

    version("1.0.0")

    variant("query", default=True, description="spur query and export to SQLite")
    variant("serve", default=True, description="spur view --serve")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3:", type="build")
    depends_on("zlib-api")
    depends_on("sqlite@3", when="+query")
    depends_on("libmicrohttpd", when="+serve")
    # Opened at run time. As of what is linked, Spack puts their folders into the RUNPATH, where they are found.
    depends_on("elfutils", type=("link", "run"))
    depends_on("libunwind", type=("link", "run"))
    depends_on("papi", type=("link", "run"))

    conflicts("platform=darwin", msg="spur needs Linux and glibc")

    generator("ninja")

    def cmake_args(self):
        """What the release of spur is built with."""
        args = [
            self.define("SPUR_TESTS", False),
            self.define("CMAKE_INTERPROCEDURAL_OPTIMIZATION", True),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_SQLite3", "~query" in self.spec),
        ]
        if "~serve" in self.spec:  # not that of the system either
            args.append(self.define("MICROHTTPD_INCLUDE", ""))
        return args
