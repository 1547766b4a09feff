#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Who waits for whom while files are opened: `report_opens.py BUILD [N]` writes archives whose openings are
served one by one, wait for a creation, are served at once, or are made in common; draws N more (20), of
which it computes all waits one by one; and traces a program whose openings really take turns, which says
itself how long they wait. REPORT_OPENS_SEED=N draws as that run did.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from patience import HANG_S  # noqa: E402
from report_archives import NONE, SAMPLING, Texts, head, region, write_archive  # noqa: E402
from seeded import Seeded  # noqa: E402

FILE_METADATA, NO_PARADIGM, MPI = 38, 22, 4
CREATE, FILES = 1, ("/data/a", "/data/b")
POSIX, MPI_IO = 0, 1
OWN, SHARED, SELF = 0, 1, 2  # handles of a file: POSIX, MPI-IO of all ranks, MPI-IO of one
HANDLES = 3
POSIX_OF = ("POSIX I/O", 4)

Opening = collections.namedtuple("Opening", "begin end rank file handle creates", defaults=(0, OWN, False))


def write(folder, n_ranks, openings, length=2000):
    """Each rank opens what it opens at a.c:RANK + 1. Openings of a rank do not overlap."""
    events = {rank << 32: [(0, "Enter", 0)] for rank in range(n_ranks)}
    for one in sorted(openings, key=lambda one: one.begin):
        events[one.rank << 32] += [
            (one.begin, "Attributes", [(0, 21, one.rank)]), (one.begin, "Enter", 1),
            (one.end, "IoCreateHandle", one.file * HANDLES + one.handle, 2, CREATE if one.creates else 0, 0),
            (one.end, "Leave", 1)]
    text = Texts()
    for stream in events.values():
        stream.append((length, "Leave", 0))
    made = head(text, length, [f"rank {i}" for i in range(n_ranks)],
                [(i << 32, "Master thread", i) for i in range(n_ranks)], events)
    made += [("Attribute", 0, text("spur::call_site"), 21, NONE), region(text, 0, "main", 1),
             region(text, 1, "open", NO_PARADIGM, FILE_METADATA), region(text, 2, "caller", SAMPLING)]
    for i in range(n_ranks):
        made += [("SourceCodeLocation", i, text("a.c"), i + 1), ("CallingContext", i, 2, i, NONE)]
    made += [("Group", 0, text(""), 4, [(i << 32,) for i in range(n_ranks)], MPI, 0, 0),
             ("Group", 1, text("all"), 6, [(i,) for i in range(n_ranks)], MPI, 0, 0),
             ("Group", 2, text("self"), 5, [], MPI, 0, 0),
             ("Comm", 0, text("world"), 1, NONE, 0), ("Comm", 1, text("self"), 2, NONE, 0)]
    made += [("IoParadigm", POSIX, text("POSIX"), text("POSIX I/O"), 0, 0, []),
             ("IoParadigm", MPI_IO, text("MPI-IO"), text("MPI-IO"), 1, 0, [])]
    for i, name in enumerate(FILES):
        made += [("IoRegularFile", i, text(name), NONE),
                 ("IoHandle", HANDLES * i + OWN, text(""), i, POSIX, 0, NONE, NONE),
                 ("IoHandle", HANDLES * i + SHARED, text(""), i, MPI_IO, 0, 0, NONE),
                 ("IoHandle", HANDLES * i + SELF, text(""), i, MPI_IO, 0, 1, NONE)]
    write_archive(folder, text.records() + made, events)
    return folder


# ---- what the waits are, each for itself ----

def waits_one_by_one(rows):
    """(opening that waits, for which, ticks)."""
    rows = sorted(rows, key=lambda one: (one.end, one.begin, one.rank))
    for i, one in enumerate(rows):
        before = [other for other in rows[:i] if other.end > one.begin]
        if not before:
            continue
        longer = one.end - one.begin - min(other.end - other.begin for other in before + [one])
        ticks = min(before[-1].end - one.begin, longer)
        if before[0] is rows[0] and rows[0].creates:
            ticks = max(ticks, rows[0].end - one.begin)
        if ticks > 0:
            yield one, before[0], ticks


def waits_together(rows):
    """All ranks open a file as often, and each time in common."""
    of = collections.defaultdict(list)
    for one in sorted(rows, key=lambda one: one.begin):
        of[one.rank].append(one)
    for group in zip(*of.values()):
        last = max(group, key=lambda one: (one.begin, one.rank))
        for one in group:
            if one.rank != last.rank and last.begin > one.begin:
                yield one, last, last.begin - one.begin


def expected(openings):
    """{(file, interface): (openings, waits, ticks, longest, (who, whom, its ticks) that may be named)}."""
    found, files = {}, collections.defaultdict(list)
    for one in openings:
        files[one.file, one.handle].append(one)
    for (file, handle), rows in files.items():
        waits = list((waits_together if handle == SHARED else waits_one_by_one)(rows))
        if waits:
            longest = max(ticks for *_, ticks in waits)
            found[FILES[file], "POSIX I/O" if handle == OWN else "MPI-IO"] = (
                len(rows), len(waits), sum(ticks for *_, ticks in waits), longest,
                {(f"rank {one.rank}", f"rank {whom.rank}", whom.end - whom.begin)
                 for one, whom, ticks in waits if ticks == longest})
    return found


class Tester(Seeded):
    def __init__(self, build, folder):
        super().__init__("REPORT_OPENS", folder)
        self.build = build
        self.report = os.path.join(build, "libexec", "spur", "spur-report")
        self.seen = collections.Counter()

    def run(self, *words, before=()):
        return subprocess.run([*before, self.report, *words], stdout=subprocess.PIPE, check=True,
                              env=self.env, timeout=HANG_S, text=True).stdout

    def compare(self, archive, openings):
        rows = json.loads(self.run("--json", "--by", "file_opens", archive))["sections"]["file_opens"]
        want = expected(openings)
        self.same(f"{archive} files", sorted((row["file"], row["layer"]) for row in rows), sorted(want))
        self.same(f"{archive} order", [row["waited"] for row in rows],
                  sorted((row["waited"] for row in rows), reverse=True))
        for row in rows:
            n, waits, ticks, longest, named = want.get((row["file"], row["layer"]), (0, 0, 0, 0, set()))
            what = f"{archive} {row['file']} {row['layer']}"
            self.same(what, (row["opens"], row["waits"], round(1000 * row["waited"]),
                             round(1000 * row["longest"])), (n, waits, ticks, longest))
            who = (row["who"], row["whom"], round(1000 * row["whom_time"]))
            self.same(f"{what}: {who} among {sorted(named)}", who in named, True)
            self.same(f"{what} at", row["site"], f"a.c:{int(row['who'][5:]) + 1}")
            self.seen[row["why"]] += 1

    def same_with(self, archive, more, before=()):
        words = ("--json", "--by", "file_opens", archive)
        self.same(f"spur report {more} {before} of {archive}", self.run(*more, *words, before=before),
                  self.run("--threads", "1", *words))

    def known(self, name, openings, rows, finding=None):
        """`rows`: file, interface, openings, waits, ms, longest, who, whom, ms of that, why."""
        archive = write(self.path(name), 4, openings)
        told = json.loads(self.run("--json", "--by", "file_opens", archive))
        keys = ("file", "layer", "opens", "waits", "waited", "longest", "who", "whom", "whom_time", "why")
        self.same(name, [[round(1000 * row[key]) if key in ("waited", "longest", "whom_time") else row[key]
                          for key in keys] for row in told["sections"]["file_opens"]], rows)
        words = [one["text"] for one in told["findings"] if one["kind"] == "open"]
        self.same(f"{name} in words", words,
                  [finding] if finding else [])
        self.compare(archive, openings)


def known_archives(tester):
    turns = [Opening(0, 100 * (rank + 1), rank) for rank in range(4)]
    tester.known("turns", turns, [["/data/a", *POSIX_OF, 3, 600, 300, "rank 3", "rank 0", 100, "opens"]],
                 "Opening /data/a by POSIX I/O, threads wait 600.0 ms (7.5 % of all time) for each "
                 "other, in 3 of 4 calls: rank 0 is first and takes 100.0 ms; rank 3 waits longest, 300.0 ms "
                 "at a.c:4.")
    # Rank 2 comes later and waits as much less; the others are served at once, and so is the other file.
    later = [Opening(0, 100, 0), Opening(10, 200, 2), Opening(400, 500, 1), Opening(410, 510, 3),
             Opening(600, 700, 0, 1), Opening(600, 700, 1, 1)]
    tester.known("later", later, [["/data/a", *POSIX_OF, 1, 90, 90, "rank 2", "rank 0", 100, "opens"]],
                 "Opening /data/a by POSIX I/O, threads wait 90.00 ms (1.1 % of all time) for each "
                 "other, in 1 of 4 calls: rank 0 is first and takes 100.0 ms; rank 2 waits longest, 90.00 ms "
                 "at a.c:3.")
    creation = [Opening(10 * rank, 200 + rank, rank, 1, OWN, True) for rank in range(4)]
    tester.known("creation", creation,
                 [["/data/b", *POSIX_OF, 3, 540, 190, "rank 1", "rank 0", 200, "creates"]],
                 "Opening /data/b by POSIX I/O, threads wait 540.0 ms (6.8 % of all time) for each "
                 "other, in 3 of 4 calls: rank 0 creates it, which takes 200.0 ms; rank 1 waits longest, "
                 "190.0 ms at a.c:2.")
    tester.known("at once", [Opening(10 * rank, 10 * rank + 100, rank) for rank in range(4)], [])
    common = [Opening(100 * rank, 310, rank, 0, SHARED) for rank in range(4)]
    tester.known("common", common,
                 [["/data/a", "MPI-IO", 4, 3, 600, 300, "rank 0", "rank 3", 10, "comes last"]],
                 "Opening /data/a by MPI-IO, threads wait 600.0 ms (7.5 % of all time) for the last to come, "
                 "in 3 of 4 calls: rank 3 comes last; rank 0 waits longest, 300.0 ms at a.c:1.")
    tester.known("alone", [Opening(100 * rank, 100 * rank + 310, rank, 0, SELF) for rank in range(4)], [])


def draw(rng, n_ranks):
    """Times are drawn from few, so that many are equal."""
    openings, now = [], [0] * n_ranks
    own = (OWN, SELF) if rng.random() < 0.5 else (OWN, OWN)  # of the first file and of the second
    for _ in range(rng.randrange(1, 60)):
        rank = rng.randrange(n_ranks)
        begin = now[rank] + rng.choice((0, 1, 5, 20))
        now[rank] = begin + rng.choice((0, 1, 2, 10, 10, 30, 100))
        file = rng.randrange(2)
        if now[rank] > begin:
            openings.append(Opening(begin, now[rank], rank, file, own[file], rng.random() < 0.3))
    for _ in range(rng.randrange(4) if n_ranks > 1 else 0):
        begins = [at + rng.choice((0, 10, 40)) for at in now]
        now = [max(begins) + rng.choice((1, 5, 9)) for _ in begins]
        if own[0] == OWN:
            openings += [Opening(begins[i], now[i], i, 0, SHARED) for i in range(n_ranks)]
    return openings, max(now) + 1


SLOW = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
_Atomic long waited_ns;
static pthread_mutex_t server = PTHREAD_MUTEX_INITIALIZER;
static long now(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
/* A file system that serves one after another: that is what threads wait for here. */
int open(const char *path, int flags, ...)
{
    long begin = now();
    pthread_mutex_lock(&server);
    waited_ns += now() - begin;
    usleep(50000);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
    pthread_mutex_unlock(&server);
    return fd;
}
"""
PROGRAM = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
extern _Atomic long waited_ns;
static pthread_barrier_t barrier;
static void *work(void *file)
{
    pthread_barrier_wait(&barrier);
    close(open(file, O_RDONLY));
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[6];
    pthread_barrier_init(&barrier, NULL, 6);
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, work, argv[argc - 1]);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\\n", waited_ns);
    return 0;
}
"""


def program(tester):
    for name, text in (("slow.c", SLOW), ("program.c", PROGRAM), ("data", "data")):
        with open(tester.path(name), "w", encoding="utf-8") as file:
            file.write(text)
    slow, run = tester.path("libslow.so"), tester.path("program")
    subprocess.run(["gcc", "-shared", "-fPIC", "-pthread", "-o", slow, tester.path("slow.c")], check=True)
    subprocess.run(["gcc", "-pthread", "-o", run, tester.path("program.c"), slow], check=True)
    archive = tester.path("archive")
    words = [os.path.join(tester.build, "bin", "spur"), "-q", "--io", "posix", "-o", archive, run,
             tester.path("data")]
    waited = int(subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=HANG_S).stdout) / 1e9
    told = json.loads(tester.run("--json", "--by", "file_opens", archive))
    rows = told["sections"]["file_opens"]
    tester.same("program", [(row["opens"], row["waits"], row["why"]) for row in rows], [(6, 5, "opens")])
    if not rows or not waited * 0.8 < rows[0]["waited"] < waited * 1.02:
        tester.fault(f"threads have waited {waited} s, and the report says {rows}")
    tester.same("program in words", [found["kind"] for found in told["findings"]].count("open"), 1)


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        known_archives(tester)
        program(tester)
        for number in range(n):
            n_ranks = tester.draw.randrange(1, 7)
            openings, length = draw(tester.draw, n_ranks)
            archive = write(tester.path(str(number)), n_ranks, openings, length)
            tester.compare(archive, openings)
            tester.same_with(archive, ("--threads", str(tester.draw.randrange(2, 5))))
            if number < 2:
                tester.same_with(archive, ("--threads", "1"), ("mpirun.mpich", "-n", str(number + 2)))
        for why in ("opens", "creates", "comes last"):
            if not tester.seen[why]:
                tester.fault(f"no wait was of the kind {why}")
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
