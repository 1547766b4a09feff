# SPDX-License-Identifier: BSD-3-Clause
"""
Every function of the tables in wrappers/io, by a program that is made of them: what it returns
and errno are those of the untraced run, each call is in the trace once, and so are its bytes. As it is, by
single bytes, by 32 KiB with large files, and fortified.
"""

import collections
import glob
import os
import re
import sys

import matrix

of = "wrappers/io"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "io_all"))

import io_events  # noqa: E402
import io_generate  # noqa: E402
import io_table  # noqa: E402

FORMS = ("plain", "single", "large", "fortified")
SETTINGS = {"SPUR_IO": "all", "SPUR_WRAP": "io"}
# Some of those that the headers make of others in fortified programs.
FORTIFIED = ("__fprintf_chk", "__printf_chk", "__vfprintf_chk")

FOLDER = os.path.join(HERE, "..", "..", "wrappers", "io")
TABLES = sorted(glob.glob(os.path.join(FOLDER, "io_*calls.def")))
# Of the calls that succeed; some lock or seek twice under other names. Streams that fdopen() makes are
# counted apart.
ROLES = {"FILE_IO": 27, "FILE_IO_METADATA": 38, "THREAD_WAIT": 33}
RECORDS = {"IoCreateHandle": 43, "IoSeek": 9, "IoDuplicateHandle": 5, "IoChangeStatusFlags": 2,
           "IoDeleteFile": 3, "IoAcquireLock": 3}


def stdout(text):
    return [line for line in text.splitlines() if not line.startswith("1")]


# The files that calls with a place of their own copy from and to, and where.
OFFSET = 10
PLACES = {"f.sendfile": {(0, OFFSET)}, "f.sendfile.to": set(), "f.sendfile64": {(0, OFFSET)},
          "f.splice": {(0, OFFSET)}, "f.copy_file_range": {(0, OFFSET)},
          "f.copy_file_range.to": {(1, OFFSET)}, "f.pread": {(0, OFFSET)}, "f.read": set()}


def roles(archive):
    return {archive.string(values["name"]): values["regionRole"]
            for name, values in archive.definitions if name == "Region"}


def output(folder):
    return sorted(name for name in os.listdir(folder) if not name.startswith("t."))


def folded(counts):
    """The forms of a function as one: those for large files, of fortified programs, with underlines."""
    sums = collections.Counter()
    for name, count in counts.items():
        sums[re.sub(r"^_*(isoc(99|23)_|IO_)?|(_chk|_2)$|64v(?=2)|64", "", name)] += count
    return sums


def check_calls(trace, run, rows, form):
    calls, regions = io_generate.calls(rows), trace.regions()
    run.equal(folded(regions), folded(calls), f"{form}: calls")
    if form in ("plain", "single"):
        run.equal(regions, calls, f"{form}: calls by these names")
    if form == "fortified":
        run.equal([name for name in FORTIFIED if regions[name] <= calls[name]], [], "other names")
    kinds = trace.kinds()
    kinds["IoCreateHandle"] -= calls["fdopen"]
    run.equal({name: kinds.get(name, 0) for name in RECORDS}, RECORDS, f"{form}: records")
    run.equal({name: io_events.places(trace, name) for name in PLACES}, PLACES, f"{form}: places")


def check_roles(trace, run, rows):
    wanted = {row.name: ROLES[row.role] for row in rows}
    got = roles(trace.archive)
    run.equal({name: got.get(name) for name in wanted}, wanted, "roles")
    waiting = {row.name for row in rows if row.role == "THREAD_WAIT"}
    run.expect({"poll", "select", "accept", "connect"} <= waiting, "waiting is no cost of files")


def check_bytes(trace, run, text, form):
    sums, by_region = io_events.sums(trace), io_events.by_region(trace)
    for line in text.splitlines():
        words = line.split()
        if words[0] == "moved":
            moved = int(words[3])
            run.expect(moved > 0, f"{words[1]} moves bytes")
            if form != "fortified":
                run.equal(by_region[words[1]], (moved, 0) if words[2] == "read" else (0, moved), words[1])
        if words[0] != "bytes":
            continue
        name, way, count = words[1], words[2], int(words[3])
        got = sums.get(f"f.{name}", (0, 0))
        run.expect(count > 0, f"{name} moves bytes")
        run.equal(got, (count if way in ("read", "copied") else 0, count if way == "write" else 0),
                  f"{form}: bytes by {name}")
        if way == "copied" and name != "splice":
            run.equal(sums.get(f"f.{name}.to"), (0, count), f"{form}: bytes to the copy by {name}")


def main(run):
    rows = [row for table in TABLES for row in io_table.rows(table)]
    run.expect(len(rows) > 180, "the whole tables")
    for form in FORMS:
        for cell in matrix.cells(run, form, [f"{{programs}}/io_all.{form}"], ways=["launcher"],
                                 unfinished=False, settings=SETTINGS):
            trace = cell.trace(run, False)
            check_calls(trace, run, rows, form)
            check_bytes(trace, run, cell.plain.stdout, form)
            if form == "plain":
                check_roles(trace, run, rows)
