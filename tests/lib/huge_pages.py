# SPDX-License-Identifier: BSD-3-Clause
"""
The environment in which otf2-print is started. At each start the program fills 22 tables of 8 MiB, whatever
the archive is; nearly all of its time goes to the pages of these tables, and large pages save most of it.
"""

import os


def with_huge_pages(env=None):
    """That environment; of this process if none is given."""
    return {**(os.environ if env is None else env), "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
