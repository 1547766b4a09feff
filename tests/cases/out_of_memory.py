# SPDX-License-Identifier: BSD-3-Clause
"""
The kernel kills a process because its control group has no memory left. The kernel is one that runs
as a program (user-mode Linux, on the files of this machine), since whoever runs this test need not be
allowed to make control groups, and other processes must not be in danger.

The buffers of a recording lie in a file system in memory here, so they are charged to the same group.
"""

import os

from process_ends import ends_of, leaves, read_counts

env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

KERNEL = ["linux.uml", "mem=192M", "rootfstype=hostfs", "rootflags=/", "ro", "quiet", "con=null",
          "con0=fd:0,fd:1", "uml_dir={scratch}", "init={scratch}/init"]
SCRIPT = """#!/bin/sh
export PATH=/usr/bin:/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmp /mnt
mkdir /mnt/out
mount -t hostfs none /mnt/out -o {scratch}/out
cd /mnt
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
run()
{{
    how=$1
    shift
    mkdir /sys/fs/cgroup/$how
    echo 24M >/sys/fs/cgroup/$how/memory.max
    "$@" sh -c "echo 0 >/sys/fs/cgroup/$how/cgroup.procs
        exec {programs}/thread_kills memory /mnt/out/$how"
    echo "$how status" $?
    sed "s/^/$how /" /sys/fs/cgroup/$how/memory.events
}}
run plain env
run traced {spur} -o /mnt/archive
cp -r /mnt/archive /mnt/out
echo o >/proc/sysrq-trigger
sleep 10
"""
REGIONS = ("pthread_mutex_lock", "pthread_mutex_unlock")


def main(run):
    os.makedirs(os.path.join(run.scratch, "out"))
    init = os.path.join(run.scratch, "init")
    with open(init, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(scratch=run.scratch, programs=run.programs, spur=run.spur))
    os.chmod(init, 0o755)
    result = run.execute(run.command(KERNEL), "kernel")
    said = result.stdout.replace("\r", "").splitlines()
    for how in ("plain", "traced"):
        run.expect(f"{how} status 137" in said, f"{how}: a status of SIGKILL: {said}")
        run.expect(f"{how} oom_kill 1" in said, f"{how}: a process killed for memory: {said}")
    run.expect(any("killed by SIGKILL, its " in line for line in said), f"a line: {said}")
    trace = run.judge(os.path.join(run.scratch, "out", "archive"), unfinished=True)
    run.equal([end["END"] for end in ends_of(trace)], ["killed by SIGKILL"], "END")
    for thread, (begun, done, _) in enumerate(read_counts(os.path.join(run.scratch, "out", "traced"))):
        found, added = leaves(trace, thread, REGIONS) if begun else (0, 0)
        run.expect(done <= found <= begun, f"{done} to {begun} calls of {thread}, not {found}")
        run.expect(added <= 1, f"one call open in {thread}, not {added}")
