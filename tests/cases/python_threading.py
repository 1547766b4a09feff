# SPDX-License-Identifier: BSD-3-Clause
"""Python's threading: each kind of lock, a barrier, a timer, and a pool of threads."""

import subprocess

of = "wrappers/pthread"
THREADS = 4
POOL = 3

env = {"SPUR_PTHREAD": "all"}  # each lock is judged
command = ["/usr/bin/python3", "-B", "threads.py"]
files = {"threads.py": f"""
import threading
from concurrent.futures import ThreadPoolExecutor

lock, again, turn = threading.Lock(), threading.RLock(), threading.Condition()
two, together = threading.Semaphore(2), threading.Barrier({THREADS})
total, order, inside, most = 0, [], 0, 0


def work(number):
    global total, inside, most
    for _ in range(100):
        with lock:
            total += 1
        with again, again:
            total += 1
    together.wait()
    with turn:
        turn.wait_for(lambda: len(order) == number)
        order.append(number)
        turn.notify_all()
    with two:
        with lock:
            inside += 1
            most = max(most, inside)
        with lock:
            inside -= 1


threads = [threading.Thread(target=work, args=(i,)) for i in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# The pool makes threads while all are busy: these are, until there are {POOL}.
meeting = threading.Barrier({POOL})
with ThreadPoolExecutor({POOL}) as pool:
    print(sorted(pool.map(lambda x: meeting.wait(), range({POOL}))))
    print(sum(pool.map(lambda x: x * x, range(50))))
timer = threading.Timer(0.01, print, ("the timer",))
timer.start()
timer.join()
print(total, order, 1 <= most <= 2, threading.Event().wait(0.01), threading.active_count())
"""}


def check(trace, run):
    run.equal(run.plain.stdout, f"{list(range(POOL))}\n40425\nthe timer\n"
                                f"{2 * 100 * THREADS} {list(range(THREADS))} True False 1\n", "stdout")
    kinds, regions = trace.kinds(), trace.regions()
    created = THREADS + POOL + 1  # the timer
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd"):
        run.equal(kinds[kind], created, kind)
    run.equal(len(trace.streams), 1 + created, "locations")
    # Up to 3.12 Python detaches its threads and waits for a lock of its own instead, then joins: a lock is a
    # semaphore, ...
    ends = {name: regions[name] for name in ("pthread_detach", "pthread_join") if name in regions}
    run.expect(ends in ({"pthread_detach": created}, {"pthread_join": created}), f"each thread's end: {ends}")
    # Up to 3.13 a lock that nobody has is taken by a semaphore as well, from 3.14 on without any call.
    asked = subprocess.run([*command[:2], "-c", "import sys; print(sys.version_info >= (3, 14))"],
                           capture_output=True, text=True, check=True)
    least = 0 if asked.stdout == "True\n" else 100 * THREADS
    run.expect(regions["sem_trywait"] >= least, "every `with lock`")
    run.expect(regions["sem_clockwait"] >= 1, "the wait with a limit")
    # ... and who may run is a mutex with a condition.
    waits = sum(n for name, n in regions.items() if "pthread_cond" in name and "wait" in name)
    run.equal(kinds["ThreadAcquireLock"], regions["pthread_mutex_lock"] + waits, "locks taken")
    run.equal(kinds["ThreadReleaseLock"], regions["pthread_mutex_unlock"] + waits, "given back")
