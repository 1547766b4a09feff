# SPDX-License-Identifier: BSD-3-Clause
"""
Processes without /proc, which do not know their boot: a child that has become another program records no
longer, and the archive is made. Call sites are not known there: the holder of a lock that was only counted
has none.
"""

from process_ends import ends_of

of = "agent/process base"
command = ["{programs}/serial_no_proc"]


def check(trace, run):
    run.equal(trace.regions()["pthread_mutex_lock"], 3, "locks")
    ends = sorted(end["END"] for end in ends_of(trace))
    run.equal(ends, ["exec", "exec", "exit status 2", "exit status 7"], "ends")


def main(run):
    run.all_forms()
    without = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
    program = run.command(["{programs}/thread_counted", "wait"])
    _, archive = run.record("held", ["--sites", *without, *program])
    run.spur_check(archive, False)
