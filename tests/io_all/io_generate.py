#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
io_generate.py IO_CALLS.DEF... PROGRAM.c: a program that calls every function of the tables, twice: so that
it succeeds, and so that it fails. For each call it prints what came back and errno, and for each
function how many bytes it has moved. What is set up for a call is done by system calls, which the
agent does not see.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import io_async  # noqa: E402
import io_groups  # noqa: E402
import io_maps  # noqa: E402
import io_streams  # noqa: E402
from io_table import rows  # noqa: E402

HEAD = """/* Made by tests/io_all/io_generate.py. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

typedef struct timeval io_timevals[2];
typedef struct timespec io_timespecs[2];
typedef int io_ends[2];
typedef struct aiocb *const io_blocks[];
typedef struct aiocb64 *const io_blocks64[];
typedef const struct aiocb *const io_const_blocks[];
typedef const struct aiocb64 *const io_const_blocks64[];
#ifndef BYTES /* that a call moves */
#define BYTES 100
#endif
enum { N = BYTES, SIZE = N + 900, OFFSET = 10, UNUSED = 400, PAGE = 4096 };
static char data[SIZE], content[SIZE];
static char part_a[30], part_b[40];
static const struct iovec parts[] = {{part_a, sizeof part_a}, {part_b, sizeof part_b}};
static const int count = 2;
static const char *name;

/* A file of SIZE bytes, under a number that no other one had. */
static int file(const char *path)
{
    static int number = 500;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_pwrite64, fd, content, (long)SIZE, 0L);
    syscall(SYS_dup3, fd, number, 0);
    syscall(SYS_close, fd);
    return number++;
}

static void said(const char *how, long ret, int error)
{
    printf("%s %s %ld %d\\n", name, how, ret, ret < 0 || error ? error : 0);
}

/* The end of what a call has opened is recorded. */
static void end(int fd)
{
    close(fd);
}

static void gone(int fd)
{
    printf("%s gone %d\\n", name, syscall(SYS_fcntl, fd, F_GETFD, 0) < 0);
}
"""

# What stands for a cell in a call that succeeds, and what in one that fails.
GOOD = {"data": "data", "n": "N", "room": "SIZE", "offset": "OFFSET", "parts": "parts",
        "count": "count", "flags": "0", "whence": "SEEK_SET", "mode": "0", "size": "SIZE / 2",
        "operation": "LOCK_EX", "command": "F_LOCK", "from": "NULL", "to": "NULL", "suffix": "2",
        "dir": "AT_FDCWD", "to_dir": "AT_FDCWD", "target": '"target"'}
# Functions of which a cell means something else: {name: {cell: value}}.
AT = "&(off64_t){OFFSET}"
SPECIAL = {"linkat": {}, "sync_file_range": {"flags": "SYNC_FILE_RANGE_WRITE"},
           "creat": {"mode": "0600"}, "creat64": {"mode": "0600"},
           "sendfile": {"offset": AT}, "sendfile64": {"offset": AT}, "splice": {"from": AT},
           "copy_file_range": {"from": AT, "to": AT},
           "openat2": {"how": "&(struct open_how){.flags = O_RDWR}", "bytes": "sizeof(struct open_how)"}}
# Makes a handle known, so that what ends it is recorded.
READS = "(void)!read({fd}, data, 1);"
PREFIX = 'char path[64]; snprintf(path, sizeof path, "f.%s", name);\n'


def call(row, values):
    words = ", ".join(values[name] for _, name in row.cells)
    return f"{row.name}({words})"


def made_name(row):
    """The template of a temporary name."""
    suffix = "XXXXXX.x" if "suffix" in dict((n, t) for t, n in row.cells) else "XXXXXX"
    return f't.{row.name}.{suffix}'


def good(row):
    """Statements that make a call which succeeds, with all that it needs."""
    values = dict(GOOD, **SPECIAL.get(row.name, {}))
    cells = [name for _, name in row.cells]
    lines = [PREFIX, "errno = 0;"]
    close = []
    if row.name in ("close_range", "closefrom"):
        lines.append("int first = file(path), last = file(path);")
        lines.append(READS.format(fd="first"))
        values.update(first="first", last="last")
        close.append("gone(first); gone(last);")
    elif row.name == "splice":
        lines.append("int in = file(path), ends[2]; syscall(SYS_pipe2, ends, 0);")
        values.update({"in": "in", "out": "ends[1]"})
        close.append("syscall(SYS_close, in); syscall(SYS_close, ends[0]); end_fd(ends[1]);")
    elif "in" in cells:
        lines.append('char copy[80]; snprintf(copy, sizeof copy, "%s.to", path);')
        lines.append("int in = file(path), out = file(copy);")
        values.update({"in": "in", "out": "out"})
        close.append("syscall(SYS_close, in); syscall(SYS_close, out);")
    elif row.name == "closedir":
        lines.append('DIR *dir = open_dir(); errno = 0;')
        values.update(dir="dir")
    elif "fd" in cells:
        lines.append("int fd = file(path);")
        values.update(fd="fd")
        if row.name in ("close", "__close"):
            lines.append(READS.format(fd="fd"))
            close.append("gone(fd);")
        else:
            close.append("syscall(SYS_close, fd);")
        if row.after.startswith(("DUPLICATED", "REPLACED")):
            close.append("end((int)ret);")
        if "to" in cells:
            lines.append('int to = file("f.old");')
            lines.append(READS.format(fd="to"))
            values.update(to="to")
    elif "name" in cells:
        lines.append(f'char made[] = "{made_name(row)}";')
        values["name"] = "made"
        close.append("printf(\"%d\\n\", strcmp(made, \"\") != 0); syscall(SYS_unlinkat, AT_FDCWD, made, 0);"
                     " end((int)ret);")
    elif "path" in cells:
        lines.append("syscall(SYS_close, file(path));")
        lines.append('char to[80]; snprintf(to, sizeof to, "%s.to", path); (void)to;')
        values.update(path="path", to="to")
        if row.after.startswith("OPENED"):
            close.append("end((int)ret);")
        if row.name.startswith("symlink"):
            values["path"] = "to"
    lines.append("errno = 0;")
    if row.type == "void":
        lines.append(f"{call(row, values)}; long ret = 0;")
    else:
        lines.append(f"long ret = (long){call(row, values)};")
    shown = "ret >= 0" if row.after.startswith(("OPENED", "DUPLICATED")) else "ret"
    if row.after.startswith("REPLACED"):
        shown = "ret == to"
    lines.append(f'int error = errno; said("good", {shown}, error);')
    if row.after.startswith(("MOVED", "COPIED")):
        what = "copied" if row.after.startswith("COPIED") else row.after[6:].split(",")[0].lower()
        lines.append(f'printf("bytes %s {what} %ld\\n", name, ret);')
    return lines + close


def bad(row):
    """The same for one that fails, where there is a way to let it fail."""
    values = dict(GOOD, **SPECIAL.get(row.name, {}))
    cells = [name for _, name in row.cells]
    if row.name == "closedir" or row.type == "void" or row.name == "sync":
        return []
    if row.name == "close_range":
        values.update(first="10", last="5")
    values.update(fd="-1", out="-1", path='"no/such/file"', to='"no/such/file"', name="made")
    values["in"] = "-1"
    if "fd" in cells:
        values["to"] = "UNUSED"
    lines = ['char made[] = "no/template"; (void)made;', "errno = 0;",
             f"long ret = (long){call(row, values)};", 'int error = errno; said("bad", ret, error);']
    return lines


HANDS = {
    "open": ("int", "path, O_RDWR | O_CREAT, 0600"), "open64": ("int", "path, O_RDWR | O_CREAT, 0600"),
    "__open": ("int", "path, O_RDONLY"), "__open64": ("int", "path, O_RDONLY"),
    "openat": ("int", "AT_FDCWD, path, O_WRONLY | O_APPEND"),
    "openat64": ("int", "AT_FDCWD, path, O_RDONLY"),
    "fcntl": ("int", "fd, F_DUPFD, 300"), "fcntl64": ("int", "fd, F_SETFL, O_APPEND"),
    "__fcntl": ("int", "fd, F_SETFD, FD_CLOEXEC"), "ioctl": ("int", "fd, FICLONE, file(\"f.source\")")}


def hand(row):
    _, words = HANDS[row.name]
    lines = [PREFIX, "int fd = file(path); (void)fd; errno = 0;",
             f"int ret = {row.name}({words});", "int error = errno;",
             'said("good", ret >= 0, error); syscall(SYS_close, fd);',
             "end((int)ret);" if row.name not in ("fcntl64", "__fcntl", "ioctl") else ""]
    wrong = words.replace("path", '"no/such/file"').replace("fd,", "-1,").replace("O_CREAT", "0")
    lines += ["errno = 0;", f"ret = {row.name}({wrong});", 'error = errno; said("bad", ret, error);']
    return lines


def is_stream(row):
    """Is it of the table of streams, or as its functions are?"""
    return row.name in io_streams.HANDS or io_streams.is_formatted(row) or row.kind != "HAND" and \
        (row.wants.startswith("STREAM") or row.wants == "ALWAYS(ISOC)")


def blocks(row):
    """The calls of a row: those that succeed, and those that fail."""
    if io_maps.is_one(row):
        return [[PREFIX] + io_maps.good(row), [PREFIX] + io_maps.bad(row)]
    if io_async.is_one(row):
        return [[PREFIX] + io_async.good(row), [PREFIX] + io_async.bad(row)]
    if is_stream(row):
        return [[PREFIX] + io_streams.good(row), [PREFIX] + io_streams.bad(row)]
    if io_groups.is_one(row):
        return [[PREFIX] + io_groups.good(row), [PREFIX] + io_groups.bad(row)]
    return [hand(row)] if row.kind == "HAND" else [good(row), bad(row)]


def prototype(row):
    cells = ", ".join(f"{kind} {name}" for kind, name in row.cells) or "void"
    return f"{row.type} {row.name}({cells});"


# What the statements of a block call besides: {text: function}.
BESIDES = {"(void)!read(": "read", "end((int)ret);": "close", "open_stream(": "fdopen",
           "end_stream(": "fclose", "open_dir(": "opendir", "end_dir(": "closedir",
           "end_fd(": "close", "open_map(": "mmap", "end_map(": "munmap",
           **io_async.BESIDES}


def calls(table):
    """How often each function is to be in the trace: {name: count}."""
    expected = {}
    for row in table:
        text = "\n".join(line for block in blocks(row) for line in block)
        is_named = row.kind == "HAND" and "path" in HANDS.get(row.name, ("", ""))[1] or \
            row.kind != "HAND" and row.wants.startswith("PATH")
        times = io_streams.times(row) if is_stream(row) else io_groups.times(row) \
            if io_groups.is_one(row) else io_async.times(row) if io_async.is_one(row) else \
            2 if is_named else 1
        expected[row.name] = expected.get(row.name, 0) + times
        for words, name in BESIDES.items():
            expected[name] = expected.get(name, 0) + text.count(words)
    return expected


def c_text(text):
    return '"' + text.replace("\n", "\\n") + '"'


def main(*names):
    *sources, target = names
    table = [row for source in sources for row in rows(source)]
    out = [HEAD, io_streams.HELPERS, io_groups.HELPERS, io_maps.HELPERS]
    for row in table:
        if row.kind == "HAND":
            if row.name.startswith("__") and row.name not in io_streams.HANDS:
                cells = "int, int, ..." if "fcntl" in row.name else "const char *, int, ..."
                out.append(f"int {row.name}({cells});")
        else:
            out.append(prototype(row))
            if any(name == "list" for _, name in row.cells):
                out.append(io_streams.list_helper(row))
    for row in table:
        out.append(f"static void call_{row.name}(void)\n{{\n    name = \"{row.name}\";")
        for block in blocks(row):
            if len(block) > 1:
                out.append("    {\n" + "\n".join(f"        {line}" for line in block) + "\n    }")
        out.append("}\n")
    out.append("int main(void)\n{")
    line = io_streams.LINE
    out.append(f"    for (int i = 0; i < SIZE; i++)\n        content[i] = {c_text(line)}[i % {len(line)}];")
    out += [f"    call_{row.name}();" for row in table]
    out.append("    return 0;\n}\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
