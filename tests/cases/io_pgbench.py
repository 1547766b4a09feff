# SPDX-License-Identifier: BSD-3-Clause
"""
pgbench on a PostgreSQL server, under strace: it makes as many transactions as without spur, and every byte
that the kernel moves from or to the server's files is in the archive.
"""

import os
import re

import io_events
import kernel_bytes
import postgres

of = "wrappers/io"
SETTINGS = {"SPUR_IO": "posix,isoc", "SPUR_WRAP": "io,process"}
BLOCK = 8192
SCRIPT = """
pgbench -h $2 -U a -i -q -s 1 postgres 2>/dev/null
pgbench -h $2 -U a -n -c 2 -j 2 -t 100 postgres 2>/dev/null
psql -h $2 -U a -At -c 'select count(*) from pgbench_history' postgres
"""


def stdout(text):
    """Not the times."""
    return [line for line in text.splitlines() if re.match(r"number of|[0-9]+$", line)]


def of_wal(sums):
    return sum(written for name, (_, written) in sums.items() if "/pg_wal/" in name)


def main(run):
    with postgres.short_scratch(run):
        plain = postgres.serve(run, "plain", [], SCRIPT)
        run.equal(stdout(plain.stdout)[-1], "200", f"transactions: {plain.stdout} {plain.stderr}")
        kernel = kernel_bytes.Kernel(os.path.join(run.scratch, "kernel"))
        archive = os.path.join(run.scratch, "traced", "archive")
        traced = postgres.serve(run, "traced", kernel.words() + [run.spur, "-o", archive], SCRIPT, SETTINGS)
        run.same(traced, plain)
        trace = run.judge(archive)
        below = os.path.join(run.scratch, "traced", "data")
        read, written = kernel_bytes.explain(run, trace, kernel, below, "pgbench")
        print(f"  pgbench: {read} bytes read, {written} written", flush=True)
        logged = of_wal(io_events.sums(trace, None, str))
        run.expect(logged > 0 and logged % BLOCK == 0, f"the log is written by pages: {logged}")
