# SPDX-License-Identifier: BSD-3-Clause
"""
Finishing itself is killed, or a system call of it fails, once or in two attempts after each other:
the next `spur recover` makes the archive that would have been made at once, whatever came between.

A part of the calls, or with FAULTS=all each one, and SEED=N repeats a run.
"""

import collections
import os
import random
import re
import shutil
import subprocess

import left_over

of = "finish finish/find"
SEED = int(os.environ.get("SEED", "1"))
SAMPLE = os.environ.get("FAULTS", "8")
CALLS = ("openat", "openat2", "pread64", "pwrite64", "write", "ftruncate", "fallocate", "renameat",
         "unlinkat", "mkdirat", "symlinkat")
KILL, FAIL = "signal=KILL", "error=EIO"
ONCE_MORE = 60  # pairs, at most
LOADING = 8  # opens and reads of the dynamic loader come first


class Attempt:
    """Recoveries of what a run has left, under strace."""

    def __init__(self, run, left, name, threads):
        self.run, self.left = run, left
        self.session = os.path.join(run.scratch, name)
        self.log = os.path.join(run.scratch, name + ".strace")
        self.finish = [os.path.join(run.build, "libexec", "spur", "spur-finish"), "--recover",
                       "--threads", str(threads), self.session]

    def put(self):
        shutil.rmtree(self.session, ignore_errors=True)
        self.left.put(self.session)

    def trace(self, words):
        """Finish; the status, of which a negative one is a signal, and what was said."""
        ended = subprocess.run(["strace", "-f", "-qq", "-o", self.log, *words, *self.finish],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=self.run.environment({}), check=False)
        return ended.returncode, ended.stdout

    def count(self):
        """How often a thread makes each call when all goes well, the one that makes it most often."""
        self.put()
        status, said = self.trace(["-e", "trace=" + ",".join(CALLS)])
        self.run.equal(status, 0, f"finishing at once: {said}")
        with open(self.log, encoding="utf-8", errors="replace") as file:
            counts = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", file.read(), re.MULTILINE))
        most = collections.Counter()
        for (_, call), n in counts.items():
            most[call] = max(most[call], n)
        return most

    def archive(self):
        """The sizes of its files of locations, and what `spur check` counts."""
        files = {name: os.path.getsize(os.path.join(self.session, "traces", name))
                 for name in sorted(os.listdir(os.path.join(self.session, "traces")))}
        return files, self.run.spur_check(self.session, True)

    def spoil(self, call, number, how):
        status, said = self.trace(["-e", f"inject={call}:{how}:when={number}"])
        self.run.expect(status in ((0, 1, -9) if how == KILL else (0, 1)) and
                        said.count("\n") <= 2, f"{call} {number} {how}: {status} {said}")
        return said

    def recover(self, what, wants, options=()):
        """The archive is one of those that are wanted."""
        result = self.run.execute([self.run.spur, "recover", *options, self.session], "recover")
        done = os.path.exists(os.path.join(self.session, "traces.otf2"))
        self.run.expect(done, f"{what}: no archive: {result.spur}")
        got = self.archive()
        self.run.expect(got in wants, f"{what}: {got}, not one of {wants}: {result.spur}")
        self.run.expect(not os.path.exists(os.path.join(self.session, ".spur")),
                        f"{what}: something is left: {result.spur}")


def places(counts, chance):
    """Calls of finishing to spoil: some of each kind."""
    found = []
    for call, n in counts.items():
        first = LOADING if call in ("openat", "pread64") else 1
        found += [(call, i) for i in range(first, n + 1)]
    chance.shuffle(found)
    return found if SAMPLE == "all" else sorted(found[:int(SAMPLE)])


SMALL = {"SPUR_BUFFER": "512K"}
# The name, the program, its settings, what launches it, and threads that finish.
SOURCES = (("write", ["{programs}/thread_left", "15000"], SMALL, (), 1),
           ("gathered", ["sh", "-c", "{programs}/thread_many 9 0; kill -9 $$"], {}, (), 1),
           ("ring", ["{programs}/thread_left", "15000"], {"SPUR_FLUSH": "ring", **SMALL}, (), 2),
           ("containers", ["{programs}/thread_left", "15000"], {"SPUR_CONTAINER": "sion", **SMALL}, (), 1),
           ("packed", ["sh", "-c", "{programs}/thread_many 9 0; kill -9 $$"], {"SPUR_CONTAINER": "sion"},
            (), 1),
           ("ranks", ["{programs}/left.mpich", "30"], SMALL, ("mpirun.mpich", "-n", "2"), 1),
           ("together", ["{programs}/left.mpich", "30"], SMALL, ("mpirun.mpich", "-n", "4"), 3))


OTHER_FORM = {"write": "sion", "containers": "none"}


def in_other_form(attempt, want, form, spoiled):
    """The attempt that fails makes plain files, and the next one containers, or the other way round."""
    options = ("--container", form)
    attempt.put()
    attempt.run.execute([attempt.run.spur, "recover", *options, attempt.session], "recover")
    other = attempt.archive()
    attempt.run.expect(sum(other[0].values()) and other != want, f"container {form}: {other}")
    for call, number in spoiled:
        for how in (KILL, FAIL):
            attempt.put()
            attempt.spoil(call, number, how)
            attempt.recover(f"container {form} after {how} at {call} {number}", [want, other], options)


def main(run):
    print(f"SEED={SEED}")
    for name, words, settings, launcher, threads in SOURCES:
        chance = random.Random(f"{SEED} {name}")
        left = left_over.leave(run, words, "left." + name, settings, launcher)
        attempt = Attempt(run, left, name, threads)
        counts = attempt.count()
        want = attempt.archive()
        run.expect(counts["pwrite64"] + counts["write"] > 8 and counts["unlinkat"] > 8,
                   f"calls: {counts}")
        for how in (KILL, FAIL):
            for call, number in places(counts, chance):
                attempt.put()
                attempt.spoil(call, number, how)
                attempt.recover(f"{name}: {how} at {call} {number}", [want])
        if name in OTHER_FORM:
            in_other_form(attempt, want, OTHER_FORM[name], places(counts, chance))
        for call, number in places(counts, chance)[:ONCE_MORE]:
            second, at = chance.choice(places(counts, chance))
            attempt.put()
            attempt.spoil(call, number, FAIL)
            attempt.spoil(second, at, chance.choice((KILL, FAIL)))
            attempt.recover(f"{name}: {call} {number} fails, then {second} {at}", [want])
