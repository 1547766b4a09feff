# SPDX-License-Identifier: BSD-3-Clause
"""
The environment in which otf2-print is started: with reference/small_tables.c, which saves most of its time.
Without it the program takes its time.
"""

import os

library = ""


def use(build):
    """The library of this build from now on, if it has one."""
    global library
    library = os.path.join(os.path.abspath(build), "tests", "small_tables.so")
    library = library if os.path.exists(library) else ""


def with_small_tables(env=None):
    """That environment; of this process if none is given."""
    return {**(os.environ if env is None else env), **({"LD_PRELOAD": library} if library else {})}
