# SPDX-License-Identifier: BSD-3-Clause
"""
The kernel kills a process because its control group has no memory left. The kernel is one that runs
as a program (user-mode Linux, on the files of this machine), since whoever runs this test need not be
allowed to make control groups. On some processors that kernel cannot start a program, since their
registers take more room than it has; then it is a control group of this machine, for which one has to be
root.

The buffers of a recording lie in a file system in memory here, so they are charged to the same group.
"""

import os
import shutil
import tempfile

from process_ends import ends_of, leaves, read_counts

of = "agent/process"

KERNEL = ["linux.uml", "mem=192M", "rootfstype=hostfs", "rootflags=/", "ro", "quiet", "con=null",
          "con0=fd:0,fd:1", "uml_dir={scratch}", "init={scratch}/init"]
KERNEL_CANNOT = "ptrace set fp regs failed"
MACHINE = """#!/bin/sh
export PATH=/usr/bin:/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmp /mnt
mkdir /mnt/out
mount -t hostfs none /mnt/out -o {scratch}/out
cd /mnt
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
"""
SCRIPT = """
run()
{{
    how=$1
    shift
    mkdir {groups}$how
    echo 24M >{groups}$how/{limit}
    "$@" sh -c "echo 0 >{groups}$how/cgroup.procs
        exec {programs}/thread_kills memory {out}/$how"
    echo "$how status" $?
    sed "s/^/$how /" {groups}$how/{events}
    rmdir {groups}$how
}}
run plain env
run traced {spur} --locks all -o {memory}/archive
cp -r {memory}/archive {out}
"""
END = """
echo o >/proc/sysrq-trigger
sleep 10
"""
VERSION_2 = {"limit": "memory.max", "events": "memory.events"}
VERSION_1 = {"limit": "memory.limit_in_bytes", "events": "memory.oom_control"}
REGIONS = ("pthread_mutex_lock", "pthread_mutex_unlock")


def in_kernel(run):
    """What a kernel says that runs as a program."""
    init = os.path.join(run.scratch, "init")
    places = {"groups": "/sys/fs/cgroup/", "out": "/mnt/out", "memory": "/mnt", **VERSION_2}
    with open(init, "w", encoding="utf-8") as file:
        file.write((MACHINE + SCRIPT + END).format(scratch=run.scratch, programs=run.programs, spur=run.spur,
                                                   **places))
    os.chmod(init, 0o755)
    return run.execute(run.command(KERNEL), "kernel").stdout.replace("\r", "").splitlines()


def in_group(run):
    """The same in a control group of this machine."""
    first, second = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
    is_first = os.path.exists(os.path.join(first, "memory.limit_in_bytes"))
    groups = os.path.join(first if is_first else second, f"spur_test_{os.getpid()}_")
    memory = tempfile.mkdtemp(dir="/dev/shm")
    script = SCRIPT.format(programs=run.programs, spur=run.spur, groups=groups, memory=memory,
                           out=os.path.join(run.scratch, "out"), **(VERSION_1 if is_first else VERSION_2))
    try:
        result = run.execute(["sh", "-c", script], "group")
        return (result.stdout + result.stderr).splitlines() + result.spur
    finally:
        shutil.rmtree(memory)


def main(run):
    os.makedirs(os.path.join(run.scratch, "out"))
    said = in_kernel(run)
    if any(KERNEL_CANNOT in line for line in said):
        print(f"this processor: {KERNEL_CANNOT}; a control group of this machine instead")
        said = in_group(run)
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
