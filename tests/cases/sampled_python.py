# SPDX-License-Identifier: BSD-3-Clause
"""A Python program with counters, call stacks and samples at once: all three fit together."""

from sampled_paths import SETTINGS, combined, with_chain

THREADS = 2
SECONDS = 0.5
FRAME = "_PyEval_EvalFrameDefault"  # the interpreter, at work on a function of Python's

command = ["/usr/bin/python3", "-B", "work.py"]
env = SETTINGS
files = {"work.py": f"""
import threading
import time

sums = [0] * {THREADS}
lock = threading.Lock()


def work(number):
    begin = time.thread_time()
    total, value = 0, number
    while time.thread_time() < begin + {SECONDS}:
        for _ in range(1000):
            value = (value * 1103515245 + 12345) % 2147483648
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
    # work() below threading's run().
    samples = with_chain(paths["Sample"], FRAME, "_PyFunction_Vectorcall", FRAME)
    run.expect(samples > 0.5 * 100 * SECONDS * THREADS, f"samples in work(), got {samples}")
    # start() and main program; whoever may run takes a mutex.
    made = with_chain(paths["Enter"], "pthread_create", "PyThread_start_new_thread", FRAME)
    run.equal(made, THREADS, "threads that Python's code makes")
    run.expect(with_chain(paths["Enter"], "pthread_mutex_lock", "PyEval_RestoreThread"),
               "locks of PyEval_RestoreThread()")
