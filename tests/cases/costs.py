# SPDX-License-Identifier: BSD-3-Clause
"""
What a short thread, a short process and the launcher cost, counted: system calls, and files and
folders that are made, in the program and by whoever makes the archive. Counts of two runs are
compared, so what a session costs once does not matter. Waiting depends on chance and is not counted.
"""

import collections
import os
import re
import subprocess

of = "agent/process finish"
FEW, MANY = 20, 120
WAITING = {"futex", "restart_syscall", "sched_yield", "wait4", "rt_sigreturn"}
MADE = re.compile(r"(?:openat2?\(.*O_CREAT.*|mkdir(?:at)?\(.*)= \d+$")
CALL = re.compile(r"\d+ +(\w+)\(")

# (what is repeated, the program) -> (system calls more than untraced, files and folders made)
BOUNDS = {"thread": (45, 1), "process": (306, 5)}  # a process: 294 to 304, by kernel


def commands(run, n):
    shell = f"i=0; while [ $i -lt {n} ]; do /bin/true; i=$((i+1)); done"
    return {"thread": run.command(["{programs}/thread_many", str(n), "0"]),
            "process": ["/bin/sh", "-c", shell]}


def count(run, words, name):
    log = os.path.join(run.scratch, name + ".strace")
    ended = subprocess.run(["strace", "-f", "-qq", "-o", log, *words], cwd=run.scratch,
                           env=run.environment({}), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
    run.equal(ended.returncode, 0, f"{name}: {ended.stdout}")
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    os.remove(log)
    calls = collections.Counter(match[1] for match in map(CALL.match, lines) if match)
    for call in WAITING:
        del calls[call]
    return sum(calls.values()), sum(bool(MADE.search(line)) for line in lines)


# System calls of `spur` around a program that records nothing, more than of the program alone.
# 15 of them look whether its C library is new enough for the agent.
LAUNCH_CALLS = 203


def launch(run):
    alone, _ = count(run, ["/bin/true"], "alone")
    launched, _ = count(run, [run.spur, "-q", "/bin/true"], "launched")
    print(f"a program that records nothing: {alone} system calls, {launched} by spur")
    run.expect(launched - alone <= LAUNCH_CALLS,
               f"at most {LAUNCH_CALLS} more system calls by spur, not {launched - alone}")


def main(run):
    launch(run)
    for kind, (most_calls, most_made) in BOUNDS.items():
        each = []
        for form in ("plain", "traced"):
            counts = []
            for n in (FEW, MANY):
                name = f"{kind}.{form}.{n}"
                spur = [run.spur, "-o", os.path.join(run.scratch, name)] if form == "traced" else []
                counts.append(count(run, spur + commands(run, n)[kind], name))
            each.append([(many - few) / (MANY - FEW) for few, many in zip(*counts)])
        (plain, _), (traced, made) = each
        print(f"{kind}: {plain:.1f} system calls, {traced:.1f} with an archive, {made:.2f} files")
        run.expect(traced - plain <= most_calls,
                   f"at most {most_calls} more system calls a {kind}, not {traced - plain:.1f}")
        run.expect(made <= most_made + 0.1, f"at most {most_made} files a {kind}, not {made:.2f}")
