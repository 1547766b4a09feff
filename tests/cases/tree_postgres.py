# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server made, started, asked and stopped: every process that it lists is there."""

import glob
import os
import pwd
import shutil

import process_tree

SCRIPT = """
PATH=$1:$PATH
export LC_ALL=C
initdb -D $2/data -A trust -U a --no-sync >/dev/null 2>&1 || echo initdb failed
pg_ctl -D $2/data -s -w -l $2/log -o "-c listen_addresses='' -c unix_socket_directories=$2 -F" start
psql -h $2 -U a -At -c 'select sum(i) from generate_series(1, 1000) i' postgres
echo pids $(psql -h $2 -U a -At -c 'select pid from pg_stat_activity' postgres)
pg_ctl -D $2/data -s -w -m fast stop
"""


def serve(run, folder, before):
    """As a user without rights, since the server wants none."""
    path = os.path.join(run.scratch, folder)
    os.makedirs(path)
    place = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    words = before + ["sh", "-c", SCRIPT, "sh", place, path]
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)
        words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] + words
    return run.execute(words, folder)


def main(run):
    # Sockets have short paths, and another user must be able to get there.
    scratch = run.scratch
    run.scratch = f"/tmp/spur-postgres-{os.getpid()}"
    os.makedirs(run.scratch, 0o755)
    try:
        run.case.stdout = lambda text: text.split("pids")[0]
        plain = serve(run, "plain", [])
        run.equal(plain.stdout.split("pids")[0], "500500\n", f"an answer {plain.stderr}")
        archive = os.path.join(run.scratch, "traced", "archive")
        traced = serve(run, "traced", [run.spur, "-o", archive])
        run.same(traced, plain)
        trace = run.judge(archive)
        groups = process_tree.groups(trace)
        servers = set(traced.stdout.split("pids")[1].split())
        run.expect(len(servers) >= 5, f"background processes ({servers})")
        run.equal(sorted(servers - {group.pid for group in groups}), [], "servers that are missing")
        seen = process_tree.images(trace)
        for name in ("initdb", "pg_ctl", "postgres", "psql"):
            run.expect(seen[name] >= 1, f"{name} in {seen}")
    finally:
        shutil.rmtree(run.scratch, ignore_errors=True)
        run.scratch = scratch
