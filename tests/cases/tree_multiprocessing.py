# SPDX-License-Identifier: BSD-3-Clause
"""Python's multiprocessing: workers by fork, spawn and forkserver, and what starts and tracks them."""

import process_tree

of = "wrappers/process"
SCRIPT = """
import multiprocessing, os, sys

def work(number):
    return number * number, os.getpid()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    with context.Pool(3) as pool:
        results = pool.map(work, range(20), 1)
        print(sum(square for square, _ in results), "workers:", *sorted({pid for _, pid in results}))
        pool.close()
        pool.join()
"""
METHODS = {"fork": 4, "spawn": 5, "forkserver": 6}  # processes: three workers and a tracker, a server


def main(run):
    run.case.files = {"pool.py": SCRIPT}
    run.case.stdout = lambda text: text.split("workers:")[0]
    for method, count in METHODS.items():
        traced, trace = run.standard(method, ["/usr/bin/python3", "pool.py", method])
        groups = process_tree.groups(trace)
        pids = {group.pid for group in groups}
        workers = set(traced.stdout.split("workers:")[1].split())
        run.equal(sorted(workers - pids), [], f"{method}: workers that are not in the archive")
        run.equal(len(pids), count, f"{method}: processes {[g.properties for g in groups]}")
        run.equal([g.name for g in groups[1:] if g.creator is None], [], f"{method}: creators")
