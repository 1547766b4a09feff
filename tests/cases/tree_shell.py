# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline of bash, with subshells, background jobs, exec and a cleared environment."""

import process_tree

of = "wrappers/process"
SCRIPT = """
seq 1000 | sort -rn | { read first; echo $first; wc -l; }
(cd / && ls >/dev/null; echo $(basename /a/b))
sleep 0.05 & sleep 0.02 &
wait
env -i A=1 /bin/sh -c 'env -u LD_PRELOAD true; /bin/echo $A'
trap 'echo over' EXIT
kill -9 $(sh -c 'sleep 5 >/dev/null & sleep 0.5; echo $!')
exec env -i PATH="$PATH" bash -c 'date >/dev/null; exec true'
"""
command = ["bash", "script"]
files = {"script": SCRIPT}
unfinished = True


def check(trace, run):
    count, started = process_tree.truth(run, run.command(), "strace")
    seen = process_tree.images(trace)
    started["true"] -= 1  # the one without LD_PRELOAD
    run.equal({name: (n, seen[name]) for name, n in started.items() if seen[name] < n}, {},
              f"programs (started, recorded) of {dict(started)}")
    pids = {group.pid for group in process_tree.groups(trace)}
    run.equal(len(pids), count, "processes")
