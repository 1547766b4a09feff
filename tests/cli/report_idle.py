#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Threads that mostly wait for others are the last that spur report tells, and count for no other sentence:
`report_idle.py BUILD`. By one thread, by several, and by two ranks; also of two processes with threads. Who
waits for descriptors does nothing else, or waits at a cost.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from patience import HANG_S  # noqa: E402
from report_archives import PTHREAD, USER, Texts, head, region, visit, write_archive  # noqa: E402

THREAD_WAIT, ALONE, SECOND = 33, 22, 1000  # a paradigm of no other kind
MAIN, COND, JOIN, POLL = range(4)


def wait(begin, end):
    return visit(begin, end, COND)


def archive(folder, *processes):
    """One thread of each process works for a second; the others are given."""
    events, names = {}, [f"process {number}" for number in range(len(processes))]
    for number, threads in enumerate(processes):
        first = number << 32
        events.update({first: visit(0, SECOND, MAIN),
                       **{first + 1 + i: thread for i, thread in enumerate(threads)}})
    text = Texts()
    made = head(text, SECOND, names, [(i, f"thread {i}", i >> 32) for i in sorted(events)], events)
    made += [region(text, MAIN, "main", USER), region(text, COND, "pthread_cond_wait", PTHREAD, THREAD_WAIT),
             region(text, JOIN, "pthread_join", PTHREAD, THREAD_WAIT),
             region(text, POLL, "poll", ALONE, THREAD_WAIT)]
    write_archive(folder, text.records() + made, events)
    return folder


# Threads beside the main one, and what is told.
POOL = [[*wait(0, 990), (1000, "Enter", JOIN), (1000, "Leave", JOIN)], wait(0, 1000)]
BUSY = [*wait(0, 400), *visit(400, 1000, MAIN)]
HELPER = [*wait(0, 500), *visit(500, 1000, MAIN)]
CLIENT = [*visit(0, 900, POLL), *visit(900, 1000, MAIN)]
CASES = {
    "pool": ((POOL,),
             ["main takes 1.000 s itself (33 % of all time) in 1 call, 1.000 s each.",
              "2 threads do nothing but wait: 1.990 s (66 % of all time), most of it in pthread_cond_wait."]),
    "both": (([*POOL, BUSY],),
             ["main takes 1.600 s itself (40 % of all time) in 2 calls, 800.0 ms each.",
              "Threads wait 400.0 ms (10 % of all time) in 1 call of pthread_cond_wait for other threads, "
              "not counting threads that mostly wait.",
              "2 threads do nothing but wait: 1.990 s (50 % of all time), most of it in pthread_cond_wait."]),
    "none": (([BUSY],),
             ["main takes 1.600 s itself (80 % of all time) in 2 calls, 800.0 ms each.",
              "Threads wait 400.0 ms (20 % of all time) in 1 call of pthread_cond_wait for other threads."]),
    # 11 ms of 1000 are no longer nothing.
    "little": (([[*wait(0, 989), *visit(989, 1000, MAIN)]],),
               ["main takes 1.011 s itself (51 % of all time) in 2 calls, 505.5 ms each.",
                "1 thread mostly waits: 989.0 ms (49 % of all time), most of it in pthread_cond_wait."]),
    # A helper of a runtime, beside others that have nothing to do; and a client.
    "helper": (([HELPER, *POOL],),
               ["main takes 1.500 s itself (38 % of all time) in 2 calls, 750.0 ms each.",
                "3 threads mostly wait (2 do nothing else): 2.490 s (62 % of all time), most of it in "
                "pthread_cond_wait."]),
    "client": (([CLIENT],),
               ["main takes 1.100 s itself (55 % of all time) in 2 calls, 550.0 ms each.",
                "Threads wait 900.0 ms (45 % of all time) in 1 call of poll for pipes, sockets or other "
                "descriptors."]),
    "one": (([visit(0, 1000, JOIN)],),
            ["main takes 1.000 s itself (50 % of all time) in 1 call, 1.000 s each.",
             "1 thread does nothing but wait: 1.000 s (50 % of all time), most of it in pthread_join."]),
    # The pool of one process and a thread of the other, which has one that works for a while.
    "two": ((POOL, [BUSY, wait(0, 1000)]),
            ["main takes 2.600 s itself (43 % of all time) in 3 calls, 866.7 ms each.",
             "Threads wait 400.0 ms (6.7 % of all time) in 1 call of pthread_cond_wait for other threads, "
             "not counting threads that mostly wait.",
             "3 threads do nothing but wait: 2.990 s (50 % of all time), most of it in pthread_cond_wait."]),
}


def main():
    report, faults = os.path.join(sys.argv[1], "libexec", "spur", "spur-report"), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (processes, want) in CASES.items():
            place = archive(os.path.join(folder, name), *processes)
            for workers, before in (("1", []), ("2", []), ("3", []), ("1", ["mpirun.mpich", "-n", "2"])):
                said = subprocess.run([*before, report, "--json", "--threads", workers, place],
                                      timeout=HANG_S, stdout=subprocess.PIPE, check=True).stdout
                got = [found["text"] for found in json.loads(said)["findings"]]
                if got != want:
                    print(f"FAULT: {name}, {workers} threads {before}: got", *got, "want", *want, sep="\n  ")
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
