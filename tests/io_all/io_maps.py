# SPDX-License-Identifier: BSD-3-Clause
"""Calls of io_map_calls.def for io_generate.py: statements that make a call of a row."""

HELPERS = """
static void *open_map(int fd)
{
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void end_map(void *at, int pages)
{
    munmap(at, pages * PAGE);
}
"""
MAKES = "void *got = {name}(NULL, PAGE, PROT_READ, MAP_PRIVATE, {fd}, 0);"
GOOD = {"mmap": MAKES, "mmap64": MAKES, "munmap": "long got = munmap(at, PAGE);",
        "mremap": "void *got = mremap(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE);",
        "msync": "long got = msync(at, PAGE, MS_SYNC);"}
ENDS = {"munmap": [], "msync": ["end_map(at, 1);"], "mremap": ["end_map(got, 2);"]}


def is_one(row):
    return row.table == "io_map_calls.def"


def good(row):
    is_new = GOOD[row.name] == MAKES
    lines = ["int fd = file(path);", "" if is_new else "void *at = open_map(fd);", "errno = 0;",
             GOOD[row.name].format(name=row.name, fd="fd"),
             'int error = errno; said("good", (long)got != -1, error); syscall(SYS_close, fd);']
    return lines + ENDS.get(row.name, ["end_map(got, 1);"])


def bad(row):
    """A descriptor that there is not, or an address that no mapping has."""
    return ["void *at = (void *)1; (void)at; errno = 0;", GOOD[row.name].format(name=row.name, fd="-1"),
            'int error = errno; said("bad", (long)got, error);']
