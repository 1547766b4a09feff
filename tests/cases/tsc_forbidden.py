# SPDX-License-Identifier: BSD-3-Clause
"""
A program that forbids its threads to read the processor's clock, or whose clock goes back, ends as
it does alone. Recording goes on: nothing is missing, the times of all threads agree, and an
archive says which clock it was.
"""

import re
import subprocess

of = "agent/state"
stderr = str  # numbers, too

with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpus:
    HAS_TSC = "nonstop_tsc" in cpus.read()
# Pairs of a lock and an unlock that a mode makes, in all of its processes.
LOCKS = {"later": 12000, "first": 10000, "by_number": 10000, "all_at_once": 16060,
         "allowed_again": 18060, "children": 10000, "handler": 6000, "back": 10000,
         "back_and_forbidden": 11000}


def readings(library):
    """
    Where the agent reads the processor's clock: the program replaces these instructions. Those before (+) and
    after (-) the system's clock is read: a signal would keep the two further apart than the agent accepts.
    """
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    reading = r"^ *([0-9a-f]+):\s+rdtsc\b"
    look = re.search(r"^[0-9a-f]+ <(?:spur_clock_look|read_pair)>:\n(.+\n)*?.*\trdtsc\b.*\n(.+\n)*",
                     code, re.M)[0]
    marks = dict(zip(re.findall(reading, look, re.M), "+-"))
    return [at + marks.get(at, "") for at in re.findall(reading, code, re.M)]


def every_mode(run, program, clock):
    places = {"TSC_AT": ",".join(readings(run.library))}
    run.expect(places["TSC_AT"] or not HAS_TSC, "instructions of the agent that read the clock")
    for mode in run.execute([program], "modes").stdout.split():
        if mode not in LOCKS:  # of the case clock_leaves
            continue
        label = f"{mode}.{clock}"
        plain = run.execute([program, mode], label + ".plain")
        run.equal((plain.status, plain.stdout.split()[-1]), (0, "done"), f"{mode} alone")
        settings = {"SPUR_CLOCK": clock, "SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all", **places}
        traced, archive = run.record(label, [program, mode], settings, plain)
        if clock == "monotonic":
            run.spur_check(archive, False)
            continue
        trace = run.judge(archive)
        run.equal(trace.regions()["pthread_mutex_lock"], LOCKS[mode], f"locks of {label}")
        if not HAS_TSC:
            continue
        said = [line for line in traced.spur if "gone back" in line]
        run.equal(len(said), int(mode == "back"), f"lines about it: {traced.spur}")
        texts = trace.archive.said("CLOCK")
        run.expect(texts and all(("gone back" if mode == "back" else "forbidden") in text
                                 for text in texts), f"what {label} says of its clock: {texts}")


def main(run):
    program = run.command(["{programs}/thread_tsc"])[0]
    every_mode(run, program, "tsc")
    every_mode(run, program, "monotonic")
