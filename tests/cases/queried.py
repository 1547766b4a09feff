# SPDX-License-Identifier: BSD-3-Clause
"""
Tables of spur query: operations on files, where calls are made, waits of threads, and memory. The program
prints what they have to say, and spur report has the same sums.
"""

import collections

of = "tools/query"
PROGRAM = "{programs}/thread_queried"
SLACK_US = 30000  # a busy machine may stop a thread between its clock and the call
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


def sites(run, archive, text, is_plain):
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
        # With stacks the report gives a part of the time of regions to the functions seen in them.
        columns = [("avg_s", "avg"), ("max_s", "max"), ("min_s", "min")] + [("self_s", "time")] * is_plain
        for column, other in columns:
            run.expect(abs(row[column] - at[other]) < 1e-6, f"{column} of {key}: {row} instead of {at}")


def waits(run, archive, text):
    sections = run.report(archive, "--top", "0", "--by", "locks,parallel")["sections"]
    rows = run.query(archive, "SELECT * FROM lock_waits")
    found = collections.Counter()
    for row in rows:
        found[row["lock"]] += row["wait_s"]
    run.equal({lock: round(waited * 1e6) for lock, waited in found.items()},
              {row["lock"]: round(row["waiting"] * 1e6) for row in sections["locks"] if row["contended"]},
              "waits for locks and the report")
    [(line, most)] = told(text, "lock")
    row, = (row for row in rows if row["site"] == f"thread_queried.c:{line}")
    run.equal((row["name"], row["paradigm"], row["taken_by"], row["holder"] in (None, row["thread"])),
              ("lock", "PTHREAD", "pthread_mutex_lock", False), "the wait for the lock")
    run.expect(most - SLACK_US < row["wait_s"] * 1e6 <= most, f"{most} us of waiting: {row}")
    rows = run.query(archive, "SELECT * FROM barrier_waits ORDER BY began_s")
    run.equal(round(sum(row["wait_s"] for row in rows) * 1e6),
              round(sum(row["barriers"] for row in sections["parallel"]) * 1e6),
              "waits in barriers and the report")
    want = told(text, "barrier")
    said = [row for row in rows if row["name"] and row["name"].startswith("!$omp barrier")]
    run.equal(len(said), len(want), f"the barrier: {rows}")
    for row, (_, least, most) in zip(said, want):
        run.expect(least - SLACK_US < row["wait_s"] * 1e6 <= most, f"{least} to {most} us: {row}")
    run.equal(sorted(row["name"] is None for row in rows if row not in said), [False, True, True],
              f"last barriers: {rows}")


def memory(run, archive, text):
    rows = run.query(archive, "SELECT * FROM blocks WHERE function = 'take' ORDER BY time_s")
    run.equal([(row["change"], row["bytes"], row["site"]) for row in rows],
              [(change, size, f"thread_queried.c:{line}") for change, size, line in told(text, "block")],
              "blocks")
    sections = run.report(archive, "--top", "0", "--by", "memory,sites")["sections"]
    taken, n = collections.Counter(), collections.Counter()
    for row in run.query(archive, "SELECT * FROM blocks WHERE change = 'TAKEN'"):
        taken[row["site"] or ""] += row["bytes"]
        n[row["site"] or ""] += 1
    run.equal({site: (taken[site], n[site]) for site in taken},
              {row["site"]: (row["taken"], row["blocks"]) for row in sections["memory_sites"]},
              "sites of blocks")
    columns = ("process", "peak", "end", "mapped_peak", "mapped_end", "records")
    run.equal([tuple(row[key] for key in columns) for row in run.query(archive, "SELECT * FROM memories")],
              [tuple(row[key] for key in columns) for row in sections["memory"]], "memory of processes")


def texts(run, archive):
    """A cell stays in its place: control characters are blanks."""
    question = "SELECT char(9, 65, 10, 27, 127, 66) AS a, 'b' AS b"
    run.equal(run.says("query", archive, question), "a\tb\n A   B\tb\n", "control characters")


def main(run):
    for label, options in (("sites", ["--sites"]), ("unwind", ["--unwind", "10"])):
        words = [*options, "--io", "posix", "--memory=1", *run.command([PROGRAM])]
        traced, archive = run.record(label, words)
        run.judge(archive)
        operations(run, archive, traced.stdout)
        sites(run, archive, traced.stdout, label == "sites")
        waits(run, archive, traced.stdout)
        memory(run, archive, traced.stdout)
    texts(run, archive)
