# SPDX-License-Identifier: BSD-3-Clause
"""
A Python program with counters, call stacks and samples at once: all three fit together, and each function has
the share of the samples that it has of the time. Report, page and exports have the stacks of the archive.
"""

import os

from exported_stacks import compare_stacks
from sampled_paths import SETTINGS, combined, with_chain

of = "agent/sampling"
THREADS = 2
SECONDS = {"heavy": 0.4, "light": 0.2}
HZ = 100

command = ["/usr/bin/python3", "-B", "work.py"]
env = SETTINGS
files = {"work.py": f"""
import threading
import time

sums = [0] * {THREADS}
lock = threading.Lock()


def spend(until):
    total, value = 0, 1
    while time.thread_time() < until:
        for _ in range(1000):
            value = (value * 1103515245 + 12345) % 2147483648


def heavy():
    spend(time.thread_time() + {SECONDS["heavy"]})


def light(_):
    spend(time.thread_time() + {SECONDS["light"]})


def work(number):
    heavy()
    sorted([0], key=light)
    with lock:
        sums[number] = 1


threads = [threading.Thread(target=work, args=(i,)) for i in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sums)
"""}


def check(trace, run):
    run.equal(run.plain.stdout, f"{[1] * THREADS}\n", "stdout")
    run.equal(len(trace.streams), 1 + THREADS, "locations")
    paths = combined(trace, run, "outer.archive")
    # C calls the second one, on a stack of which the outer end is cut.
    for name, chain in (("heavy", ("spend", "heavy", "work", "Thread.run")),
                        ("light", ("spend", "light", "PyObject_CallOneArg"))):
        samples, want = with_chain(paths["Sample"], *chain), HZ * SECONDS[name] * THREADS
        run.expect(abs(samples - want) <= 0.2 * want + 2, f"{want} samples in {name}(), got {samples}")
    run.equal(compare_stacks(run, os.path.join(run.scratch, "outer.archive"), trace.archive, "stacks"), [],
              "stacks in other forms")
    # start() and main program; whoever may run takes a mutex.
    made = with_chain(paths["Enter"], "pthread_create", "PyThread_start_new_thread", "Thread.start",
                      "<module>")
    run.equal(made, THREADS, "threads that Python's code makes")
    run.expect(with_chain(paths["Enter"], "pthread_mutex_lock", "PyEval_RestoreThread"),
               "locks of PyEval_RestoreThread()")
