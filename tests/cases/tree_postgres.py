# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server made, started, asked and stopped: every process that it lists is there."""

import os

import postgres
import process_tree

of = "wrappers/process"
SCRIPT = """
psql -h $2 -U a -At -c 'select sum(i) from generate_series(1, 1000) i' postgres
echo pids $(psql -h $2 -U a -At -c 'select pid from pg_stat_activity' postgres)
"""


def main(run):
    with postgres.short_scratch(run):
        run.case.stdout = lambda text: text.split("pids")[0]
        plain = postgres.serve(run, "plain", [], SCRIPT)
        run.equal(plain.stdout.split("pids")[0], "500500\n", f"an answer {plain.stderr}")
        archive = os.path.join(run.scratch, "traced", "archive")
        traced = postgres.serve(run, "traced", [run.spur, "-o", archive], SCRIPT)
        run.same(traced, plain)
        trace = run.judge(archive)
        groups = process_tree.groups(trace)
        servers = set(traced.stdout.split("pids")[1].split())
        run.expect(len(servers) >= 5, f"background processes ({servers})")
        run.equal(sorted(servers - {group.pid for group in groups}), [], "servers that are missing")
        seen = process_tree.images(trace)
        for name in ("initdb", "pg_ctl", "postgres", "psql"):
            run.expect(seen[name] >= 1, f"{name} in {seen}")
