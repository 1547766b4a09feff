# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server in a folder of its own, as a user without rights, since the server wants none."""

import contextlib
import glob
import os
import pwd
import shutil

# Before and after what a script asks of the server; $1 is the folder of its programs, $2 its own.
START = """
PATH=$1:$PATH
export LC_ALL=C
initdb -D $2/data -A trust -U a --no-sync >/dev/null 2>&1 || echo initdb failed
pg_ctl -D $2/data -s -w -l $2/log -o "-c listen_addresses='' -c unix_socket_directories=$2 -F" start
"""
STOP = """
pg_ctl -D $2/data -s -w -m fast stop
"""


@contextlib.contextmanager
def short_scratch(run):
    """Sockets have short paths, and another user must be able to get there."""
    scratch = run.scratch
    run.scratch = f"/tmp/spur-postgres-{os.getpid()}"
    os.makedirs(run.scratch, 0o755)
    try:
        yield
    finally:
        shutil.rmtree(run.scratch, ignore_errors=True)
        run.scratch = scratch


def serve(run, folder, before, script, env=None):
    """The script between start and stop of a server, with `before` in front of all; its Result."""
    path = os.path.join(run.scratch, folder)
    os.makedirs(path)
    place = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    words = before + ["sh", "-c", START + script + STOP, "sh", place, path]
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)
        words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] + words
    return run.execute(words, folder, env)
