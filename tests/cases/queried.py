# SPDX-License-Identifier: BSD-3-Clause
"""
Tables of spur query: operations on files, and where calls are made. The program prints what they have
to say, and spur report has the same sums.
"""

import collections
import os

PROGRAM = "{programs}/thread_queried"
REPORTED = {"FLUSH": "other", "SEEK": "other"}  # kinds by their name in the report


def told(text, kind):
    """The lines of one kind; -1 is nothing."""
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith(kind + " ")]
    return [tuple(None if word == "-1" else int(word) if word.isdigit() else word for word in row)
            for row in rows]


def operations(run, archive, text):
    want = [row[:-1] for row in told(text, "io")]
    rows = run.query(archive, "SELECT * FROM operations WHERE file LIKE '%queried.dat' ORDER BY began_s")
    run.equal([(row["kind"], row["asked"], row["bytes"], row["place"]) for row in rows], want, "operations")
    calls = {"OPEN": ("open",), "READ": ("read",), "WRITE": ("write", "pwrite"), "FLUSH": ("fsync",),
             "SEEK": ("lseek",)}
    run.expect(all(row["name"] in calls[row["kind"]] for row in rows), f"calls of operations: {rows}")
    for window in ([], ["--time", f"{rows[3]['began_s']:.9f}..{rows[7]['began_s']:.9f}"]):
        sums = collections.Counter()
        for row in run.report(archive, "--top", "0", *window)["sections"]["file_accesses"]:
            key = row["file"], row["kind"], row["inside"]
            sums[key, "n"] += row["count"]
            sums[key, "bytes"] += row["bytes"]
            sums[key, "us"] += row["time"] * 1e6
        found = collections.Counter()
        for row in run.query(archive, "SELECT * FROM operations", *window):
            key = row["file"], REPORTED.get(row["kind"], row["kind"].lower()), row["inside"]
            found[key, "n"] += 1
            found[key, "bytes"] += row["bytes"] or 0
            found[key, "us"] += row["took_s"] * 1e6
        run.equal({key: round(n) for key, n in found.items()}, {key: round(n) for key, n in sums.items()},
                  f"operations {window} and the report")
        run.expect(len(found) > 3, f"operations {window}: {found}")


def sites(run, archive, text):
    """Of the operations, and of all calls."""
    want = [(f"thread_queried.c:{line}", "work_on") for *_, line in told(text, "io")]
    rows = run.query(archive, "SELECT o.site, s.function FROM operations o LEFT JOIN call_sites s "
                              "ON s.site = o.site AND s.name = o.name "
                              "WHERE o.file LIKE '%queried.dat' ORDER BY began_s")
    run.equal([(row["site"], row["function"]) for row in rows], want, "sites of operations")
    reported = {(row["region"], row["site"]): row
                for row in run.report(archive, "--top", "0", "--by", "sites")["sections"]["sites"]}
    rows = {(row["name"], row["site"] or ""): row for row in run.query(archive, "SELECT * FROM call_sites")}
    run.equal(sorted(rows), sorted(reported), "call sites and the report")
    for key, row in rows.items():
        at = reported[key]
        run.equal((row["file"], row["line"], row["function"], row["calls"]),
                  (at["file"] or None, at["line"], at["function"] or None, at["calls"]), f"call site {key}")
        for column, other in (("self_s", "time"), ("avg_s", "avg"), ("max_s", "max"), ("min_s", "min")):
            run.expect(abs(row[column] - at[other]) < 1e-6, f"{column} of {key}: {row} instead of {at}")


def main(run):
    for label, options in (("sites", ["--sites"]), ("unwind", ["--unwind", "10"])):
        archive = os.path.join(run.scratch, label + ".archive")
        words = [run.spur, "-o", archive, *options, "--io", "posix", *run.command([PROGRAM])]
        traced = run.execute(words, label)
        run.equal((traced.status, traced.stderr), (0, ""), "the program")
        run.judge(archive)
        operations(run, archive, traced.stdout)
        sites(run, archive, traced.stdout)
