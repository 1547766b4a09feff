# SPDX-License-Identifier: BSD-3-Clause
"""
A Python program with counters, call stacks and samples at once: all three fit together, and each function has
the share of the samples that it has of the time, in the archive, in the report and in what is exported.
"""

import os

from sampled_paths import SETTINGS, combined, with_chain

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


QUERY = """WITH RECURSIVE above(leaf, at) AS (SELECT DISTINCT context, context FROM sample
  UNION SELECT leaf, caller FROM above JOIN context ON context = at WHERE caller IS NOT NULL)
SELECT name, count(*) FROM sample JOIN (SELECT DISTINCT leaf, region.name FROM above
  JOIN context ON context.context = at JOIN region ON region.region = context.region) ON leaf = sample.context
WHERE name IN ('heavy', 'light') GROUP BY name ORDER BY name"""


def told(run, archive, samples):
    """What commands say of the functions is what the archive has."""
    want = {name: with_chain(samples, name) for name in SECONDS}
    folded = run.execute([run.spur, "export", "--to", "folded", "--weight", "samples", archive], "folded")
    lines = [line.rsplit(" ", 1) for line in folded.stdout.splitlines()]
    got = {name: sum(int(n) for path, n in lines if name in path.split(";")) for name in SECONDS}
    run.equal(got, want, "samples that are exported")
    asked = run.execute([run.spur, "query", archive, QUERY], "query").stdout.splitlines()[-len(SECONDS):]
    run.equal({line.split()[0]: int(line.split()[1]) for line in asked}, want, "samples in the database")
    rows = run.report(archive)["sections"]["callpaths"]
    got = {name: sum(row["samples"] for row in rows if row["region"] == name) for name in SECONDS}
    run.equal(got, want, "samples in the report's call paths")


def check(trace, run):
    run.equal(run.plain.stdout, f"{[1] * THREADS}\n", "stdout")
    run.equal(len(trace.streams), 1 + THREADS, "locations")
    paths = combined(trace, run, "outer.archive")
    # C calls the second one, on a stack of which the outer end is cut.
    for name, chain in (("heavy", ("spend", "heavy", "work", "Thread.run")),
                        ("light", ("spend", "light", "PyObject_CallOneArg"))):
        samples, want = with_chain(paths["Sample"], *chain), HZ * SECONDS[name] * THREADS
        run.expect(abs(samples - want) <= 0.2 * want + 2, f"{want} samples in {name}(), got {samples}")
    told(run, os.path.join(run.scratch, "outer.archive"), paths["Sample"])
    # start() and main program; whoever may run takes a mutex.
    made = with_chain(paths["Enter"], "pthread_create", "PyThread_start_new_thread", "Thread.start",
                      "<module>")
    run.equal(made, THREADS, "threads that Python's code makes")
    run.expect(with_chain(paths["Enter"], "pthread_mutex_lock", "PyEval_RestoreThread"),
               "locks of PyEval_RestoreThread()")
