#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Locks and who holds them against a model: `report_locks.py BUILD [N]` draws N programs (60) of threads that
take mutexes, locks of OpenMP and locks of readers and writers, wait for conditions, and do other things
while they hold them. Their archives are written, and spur report is compared with tests/lib/lock_model.py.
Then they are written as if locks were counted until a thread waits for them: the report tells the same waits
and the same holder of each lock, and taken and counted acquisitions are as many.
The seed is printed; SPUR_TEST_SEED sets it.
"""

import collections
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from judge.otf2_read import Archive  # noqa: E402
from lock_model import faults_of, LockModel  # noqa: E402
from report_archives import NONE, OPENMP, PTHREAD, USER, Texts, head, region, write_archive  # noqa: E402

NAMES = ("main", "step", "solve", "flush", "pthread_mutex_lock", "pthread_mutex_unlock",
         "pthread_rwlock_rdlock", "pthread_cond_wait", "omp_set_lock", "omp_unset_lock")
OWN = ("step", "solve", "flush")
CONTEXT, LINES = 21, 3  # the type of a calling context; lines that a call may be made at
CALLS = {"mutex": ("pthread_mutex_lock", "pthread_mutex_unlock"), "omp": ("omp_set_lock", "omp_unset_lock"),
         "readers": ("pthread_rwlock_rdlock", "pthread_mutex_unlock")}


HELD = 1  # parameters: spur::held_lock, held_since, held_by
HELD_NAMES = ("lock", "since", "by")
CALM = 2  # acquisitions without waiting until a lock is counted again


class Hold:
    """An acquisition: since when, by a call from which line; whether it has a record."""

    def __init__(self, thread, line, is_recorded):
        self.thread, self.line, self.is_recorded, self.since = thread, line, is_recorded, None


class Lock:
    def __init__(self, number, kind):
        self.left, self.counted, self.holds, self.time = 0, 0, [], 0
        self.number, self.kind = number, kind
        self.model = OPENMP if kind == "omp" else PTHREAD
        self.holders = collections.Counter()
        self.writer = None
        self.queue = []  # (thread, wants to write, what it does then)

    def is_free(self, thread, writes):
        if self.writer is not None:
            return self.writer is thread and self.kind != "readers"
        return not (writes and self.holders)


class Thread:
    def __init__(self, program, process, number, rng):
        self.program, self.rng, self.location = program, rng, process << 32 | number
        self.process, self.now, self.events, self.held = process, rng.randrange(5), [], []
        self.left = rng.randrange(5, 60)
        self.line = rng.randrange(LINES)  # most of its calls are made there

    def __lt__(self, other):
        return self.location < other.location

    def put(self, *record):
        self.events.append((self.now, *record))

    def enter(self, name, is_recorded=True):
        """The line that it is called from, or None."""
        line = None
        if self.program.has_sites and self.rng.random() < 0.9:
            line = self.line if self.rng.random() < 0.7 else self.rng.randrange(LINES)
            if is_recorded:
                self.put("Attributes", [(0, CONTEXT, line)])
        if is_recorded:
            self.put("Enter", NAMES.index(name))
        return line

    def leave(self, name, is_recorded=True):
        if is_recorded:
            self.put("Leave", NAMES.index(name))

    def put_holding(self, lock, hold):
        """Who holds a lock that is counted."""
        for i, value in enumerate((lock.number, hold.since, hold.thread.location & NONE)):
            if i == 2 and hold.line is not None:
                self.put("Attributes", [(0, CONTEXT, hold.line)])
            self.put("ParameterUnsignedInt", HELD + i, value)

    def spend(self, most):
        self.now += self.rng.randrange(most)


class Program:
    """Threads and locks, carried out in the order of time; a lock is given to those that wait in turn."""

    def __init__(self, rng, counts=False):
        self.counts = counts
        self.rng, self.has_sites, self.is_wrapped = rng, rng.random() < 0.7, rng.random() < 0.5
        self.n = rng.choice((1, 1, 2))
        self.locks = [[Lock(i, rng.choice(("mutex", "mutex", "omp", "readers")))
                       for i in range(rng.randrange(1, 4))] for _ in range(self.n)]
        self.threads = [Thread(self, process, number, rng) for process in range(self.n)
                        for number in range(rng.randrange(2, 7))]
        self.slow = rng.choice(self.threads)
        self.heap = [(thread.now, thread, self.act) for thread in self.threads]
        heapq.heapify(self.heap)
        for thread in self.threads if self.is_wrapped else ():
            thread.enter("main")
        while self.heap:
            _, thread, act = heapq.heappop(self.heap)
            act(thread)
        for thread in self.threads if self.is_wrapped else ():
            thread.leave("main")
        self.is_of_waits = rng.random() < 0.2

    def later(self, thread, act=None):
        heapq.heappush(self.heap, (thread.now, thread, act or self.act))

    def act(self, thread):
        """Threads take locks in the order of their numbers, so none waits forever."""
        thread.left -= 1
        if thread.left < 0:
            if thread.held:
                self.give(thread)
            return
        free = [lock for lock in self.locks[thread.process]
                if not thread.held or lock.number > max(held.number for held in thread.held)]
        choice = self.rng.random()
        if choice < 0.3 and free:
            self.take(thread, self.rng.choice(free))
        elif choice < 0.35 and thread.held and thread.held[-1].kind != "readers":
            self.take(thread, thread.held[-1])  # once more
        elif choice < 0.6 and thread.held:
            self.give(thread)
        elif choice < 0.65 and len(thread.held) == 1 and thread.held[0].kind == "mutex":
            self.wait(thread, thread.held[0])
        else:
            self.work(thread)

    def work(self, thread):
        name = self.rng.choice((None, *OWN))
        if name:
            thread.enter(name)
            if self.rng.random() < 0.3:
                inner = self.rng.choice(OWN)
                thread.enter(inner)
                thread.spend(5)
                thread.leave(inner)
        thread.spend(60 if thread is self.slow else 12)
        if name:
            thread.leave(name)
        self.later(thread)

    def take(self, thread, lock):
        writes = lock.kind != "readers" or self.rng.random() < 0.3
        is_call = self.is_wrapped or self.rng.random() < 0.95
        name = CALLS[lock.kind][0]
        thread.now = max(thread.now, lock.time)  # what others did with it is over
        waits = not self.is_to_be_had(thread, lock, writes)
        is_recorded = self.is_recorded(thread, lock, waits)
        line = thread.enter(name, is_recorded) if is_call else None
        lock.time = max(lock.time, thread.now + 1)
        if waits:
            lock.left = CALM
            for hold in {hold.thread: hold for hold in reversed(lock.holds)}.values():
                if not hold.is_recorded:
                    thread.put_holding(lock, hold)
        else:
            lock.left -= lock.left > 0

        def then(thread):
            thread.spend(3)
            self.acquired(thread, lock, line, is_recorded)
            if is_call:
                thread.leave(name, is_recorded)
            self.later(thread)
        self.get(thread, lock, writes, then)

    def is_recorded(self, thread, lock, waits):
        """One within another one is recorded as that is."""
        outer = [hold.is_recorded for hold in lock.holds if hold.thread is thread]
        return not self.counts or lock.kind == "omp" or (outer[0] if outer else waits or lock.left > 0)

    @staticmethod
    def acquired(thread, lock, line, is_recorded):
        if is_recorded:
            thread.put("ThreadAcquireLock", lock.model, lock.number, 1)
        lock.counted += not is_recorded
        lock.holds.append(Hold(thread, line, is_recorded))
        lock.holds[-1].since = thread.now
        thread.now += 1
        lock.time = max(lock.time, thread.now + 1)

    @staticmethod
    def is_to_be_had(thread, lock, writes):
        return lock.is_free(thread, writes) and not (lock.queue and lock.writer is not thread)

    def get(self, thread, lock, writes, then):
        if not self.is_to_be_had(thread, lock, writes):
            lock.queue.append((thread, writes, then))
            return
        lock.holders[thread] += 1
        lock.writer = thread if writes else None
        thread.held.append(lock)
        then(thread)

    def give(self, thread):
        lock = thread.held[-1]
        is_recorded, thread.now = self.is_told(thread, lock), max(thread.now, lock.time)
        thread.enter(CALLS[lock.kind][1], is_recorded)
        self.acquire_late(thread, lock)
        self.let_go(thread, lock)
        thread.spend(2)
        thread.leave(CALLS[lock.kind][1], is_recorded)
        self.later(thread)

    @staticmethod
    def innermost(thread, lock):
        return [hold for hold in lock.holds if hold.thread is thread][-1]

    def is_told(self, thread, lock):
        """A release has a record if its acquisition has one, or gets one now: the outermost."""
        is_outermost = sum(hold.thread is thread for hold in lock.holds) == 1
        return self.innermost(thread, lock).is_recorded or (lock.left > 0 and is_outermost)

    def acquire_late(self, thread, lock):
        """A counted acquisition of a lock that another thread waits for meanwhile."""
        hold = self.innermost(thread, lock)
        if not hold.is_recorded and self.is_told(thread, lock):
            thread.put_holding(lock, hold)
            thread.put("ThreadAcquireLock", lock.model, lock.number, 1)
            lock.counted -= 1
            hold.is_recorded = True

    def let_go(self, thread, lock):
        thread.spend(2)
        hold = self.innermost(thread, lock)
        if hold.is_recorded:
            thread.put("ThreadReleaseLock", lock.model, lock.number, 1)
        lock.holds.remove(hold)
        lock.time = max(lock.time, thread.now + 1)
        thread.held.remove(lock)
        lock.holders[thread] -= 1
        if lock.holders[thread]:
            return
        del lock.holders[thread]
        lock.writer = None if not lock.holders else lock.writer
        while lock.queue and lock.is_free(*lock.queue[0][:2]):
            waiter, writes, then = lock.queue.pop(0)
            lock.holders[waiter] += 1
            lock.writer = waiter if writes else None
            waiter.held.append(lock)
            waiter.now = max(waiter.now, thread.now + 1)
            then(waiter)

    def wait(self, thread, lock):
        """For a condition: the call releases the lock and gets it back."""
        thread.now = max(thread.now, lock.time)
        line, is_recorded = thread.enter("pthread_cond_wait"), self.is_told(thread, lock)
        self.acquire_late(thread, lock)
        self.let_go(thread, lock)
        thread.spend(40)

        def then(thread):
            thread.spend(2)
            self.acquired(thread, lock, line, is_recorded)
            thread.leave("pthread_cond_wait")
            self.later(thread)
        self.later(thread, lambda thread: self.get(thread, lock, True, then))

    def archive(self):
        text, events = Texts(), {thread.location: thread.events for thread in self.threads}
        for thread in self.threads:
            if not thread.events:
                thread.put("ParameterInt", 0, 1)
        made = head(text, max(thread.now for thread in self.threads), [f"process {i}" for i in range(self.n)],
                    [(thread.location, f"worker {thread.location & NONE}", thread.process)
                     for thread in self.threads], events)
        made += [region(text, i, name, PTHREAD if name.startswith("pthread") else
                        OPENMP if name.startswith("omp") else USER) for i, name in enumerate(NAMES)]
        made += [("Parameter", 0, text("mark"), 0), ("Attribute", 0, text("spur::call_site"), CONTEXT, NONE)]
        made += [("Parameter", HELD + i, text("spur::held_" + name), 2) for i, name in enumerate(HELD_NAMES)]
        made += [("SourceCodeLocation", i, text("/src/a.c"), 10 + i) for i in range(LINES)]
        made += [("CallingContext", i, 0, i, NONE) for i in range(LINES)]
        if self.is_of_waits:
            made.append(("LocationGroupProperty", 0, text("LOCKS"), NONE, 11, text("contended")))
        made += [("LocationGroupProperty", process, text(f"SPUR::COUNTED::{lock.number}"), NONE, 11,
                  text(f"lock acquisitions={lock.counted} signals=0 threads=1"))
                 for process, locks in enumerate(self.locks) for lock in locks if lock.counted]
        return text.records() + made, events


SAME = ("contended", "waiters", "waiting", "longest")
HOLDER = ("holder", "holder_site")
SHARE, SHORT_S = 0.05, 0.01  # by which the time that others wait for a holder may differ


def counted_faults(all_rows, rows):
    """
    What the rows of a program tell otherwise where its locks were counted. Holders are compared where no wait
    for a condition releases the lock: the report knows no hold behind one that is counted.
    """
    found, seen = [], {(row["process"], row["lock"], row["paradigm"]): row for row in rows}
    for want in all_rows:
        row = seen.get((want["process"], want["lock"], want["paradigm"]))
        if not row:
            found.append(f"there is no {want}")
            continue
        names = SAME + HOLDER * bool(want["holder"])
        found += [f"{name} is {row[name]!r}, not {want[name]!r}: {row} {want}" for name in names
                  if row[name] != want[name] and not want["conditions"]]
        far = abs(row["holder_waiting"] - want["holder_waiting"]) > SHARE * want["holder_waiting"] + SHORT_S
        if far and want["holder"] and not want["conditions"]:
            found.append(f"holder_waiting of {row}, not of {want}")
        if row["acquisitions"] + row["counted"] != want["acquisitions"]:
            found.append(f"acquisitions of {row}, not of {want}")
    return found


def reported(report, place, threads):
    words = [report, "--json", "--by", "locks", "--threads", threads, place]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)["sections"]["locks"]


def main():
    build, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    report = os.path.join(build, "libexec", "spur", "spur-report")
    rng, faults, seen = random.Random(seed), 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n):
            place = os.path.join(folder, str(number))
            drawn, threads = rng.randrange(10**9), rng.choice("123")
            write_archive(place, *Program(random.Random(drawn)).archive())
            rows = reported(report, place, threads)
            counts = Program(random.Random(drawn), True)
            if not counts.is_of_waits:
                write_archive(place + ".counts", *counts.archive())
                told = reported(report, place + ".counts", threads)
                for fault in counted_faults(rows, told):
                    print(f"FAULT: program {number}, counted: {fault}")
                    faults += 1
                seen["counted"] += sum(row["counted"] for row in told)
                seen["told"] += sum(row["holder"] != "" and row["counted"] > 0 for row in told)
            model = LockModel(Archive(os.path.join(place, "traces.otf2")))
            for fault in faults_of(model, rows, lambda name: int(name.split()[1])):
                print(f"FAULT: program {number}: {fault}")
                faults += 1
            seen["waits"] += sum(row["contended"] for row in rows)
            seen["conditions"] += sum(row["conditions"] for row in rows)
            seen["holders"] += sum(row["holder"] != "" for row in rows)
            seen["places"] += sum(row["holder"] == "" and row["holder_site"] != "" for row in rows)
            seen["calls"] += sum(row["holder_call"] != "" for row in rows)
    print(dict(seen))
    if n >= 40 and len(+seen) < 7:
        print("FAULT: something never happens")
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
