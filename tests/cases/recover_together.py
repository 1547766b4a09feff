# SPDX-License-Identifier: BSD-3-Clause
"""
`spur recover` makes the same archive byte by byte with any number of threads and of ranks of an MPI job, of
processes that were killed and of some that ended; so it does if system calls fail in the middle, and it says
the same.
"""

import os
import re
import shutil
import subprocess

import left_over
from archive_bytes import archive_bytes
from patience import HANG_S

of = "finish tools/session"
# What finishing knows of a killed process's clock depends on when it runs, but for this clock.
STEADY = {"SPUR_CLOCK": "monotonic", "SPUR_BUFFER": "512K"}
# A file of another's in the way of the archive keeps the launcher from finishing it.
OTHERS = "traces.srm"
SOURCES = (("threads", ["{programs}/thread_left", "15000"], {}, False),
           ("ring", ["{programs}/thread_left", "15000"], {"SPUR_FLUSH": "ring"}, False),
           ("samples", ["{programs}/thread_left", "15000"], {"SPUR_SAMPLE": "1000"}, False),
           ("containers", ["{programs}/left.{library}", "10"], {"SPUR_CONTAINER": "sion:2"}, True),
           ("killed", ["{programs}/left.{library}", "10"], {}, True))
FAULTS = ("openat2", "renameat", "write", "pwrite64")
FAULTS_OF_A_RANK = ("pwrite64",)  # which MPI libraries do not call
mpi = ["mpich", "openmpi"]
RANKS = 4


class Recovery:
    """What a run has left, finished again and again."""

    def __init__(self, run, left, name):
        self.run, self.left, self.session = run, left, os.path.join(run.scratch, name)

    def put(self):
        shutil.rmtree(self.session, ignore_errors=True)
        self.left.put(self.session)

    def finish(self, threads, tracer=()):
        words = [os.path.join(self.run.build, "libexec", "spur", "spur-finish"), "--recover",
                 "--threads", str(threads), self.session]
        ended = subprocess.run([*tracer, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env=self.run.environment({}), check=False, timeout=HANG_S)
        return ended.returncode, ended.stdout

    def finish_by_ranks(self, ranks, tracer=()):
        """As finish(); a launcher has lines of its own."""
        status, said = self.finish(1, [*self.run.launcher(ranks), *tracer])
        return status, "".join(line for line in said.splitlines(keepends=True) if line.startswith("spur: "))

    def archive(self):
        self.run.expect(not os.path.exists(os.path.join(self.session, ".spur")), "nothing else left")
        return archive_bytes(self.session)

    def calls(self, threads, calls):
        """The text of these calls of finishing."""
        log = self.session + ".strace"
        self.put()
        said = self.finish(threads, ["strace", "-f", "-qq", "-e", "trace=" + calls, "-o", log])
        self.run.equal(said[0], 0, f"under strace: {said}")
        with open(log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def started(self, threads):
        """How many threads finishing has started."""
        return self.calls(threads, "clone,clone3").count("CLONE_THREAD")

    def read_at_once(self):
        """The bytes of its longest reading."""
        return max(int(n) for n in re.findall(r"pread64.* = (\d+)$", self.calls(1, "pread64"), re.MULTILINE))

    def compare(self):
        self.put()
        said = self.finish(1)
        want = self.archive()
        self.run.equal(said[0], 0, f"one thread: {said}")
        self.run.expect(len(want) > 3, f"an archive: {want}")
        self.run.spur_check(self.session, True)
        for threads in (2, 3, 16):
            self.put()
            self.run.equal(self.finish(threads), said, f"{threads} threads")
            self.run.equal(self.archive(), want, f"archive of {threads} threads")
        for ranks in (2, 5):
            self.put()
            self.run.equal(self.finish_by_ranks(ranks), said, f"{ranks} ranks")
            self.run.equal(self.archive(), want, f"archive of {ranks} ranks")
        return want

    def spoil(self, want, ranks):
        """Calls fail on several threads, or on a rank, and the next attempt makes the same."""
        n_failed = 0
        for call in FAULTS if not ranks else FAULTS_OF_A_RANK:
            for number in (12, 25, 40) if not ranks else (1, 4, 6):
                self.put()
                tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e",
                          f"inject={call}:error=ENOSPC:when={number}"]
                quick = ["--seccomp-bpf", "-e", f"trace={call}"]  # libraries that poll are slow else
                status, said = (self.finish_by_ranks(ranks, self.on_one_rank(tracer + quick)) if ranks
                                else self.finish(3, tracer))
                what = f"{call} {number} of {ranks} ranks"
                self.run.expect(status in (0, 1) and said.count("\n") <= 2, f"{what}: {status} {said}")
                if status:
                    n_failed += 1
                    self.run.expect("No space left on device" in said, f"{what}: a reason: {said}")
                    self.run.equal(self.finish(2)[0], 0, f"after {what}")
                self.run.equal(self.archive(), want, f"archive after {what} has failed")
        self.run.expect(n_failed > 2, f"attempts that fail, not {n_failed}")

    def kill(self, want):
        """A rank is killed at a call: one line, no wait, and the next attempt makes the same."""
        for rank in (0, 1):
            for number in (1, 4, 6):
                self.put()
                tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
                          f"inject=pwrite64:signal=KILL:when={number}"]  # lost with --seccomp-bpf
                status, said = self.finish_by_ranks(2, self.on_one_rank(tracer, rank))
                what = f"rank {rank} was killed at {number}"
                self.run.expect(status and said.count("\n") == 1 and "was killed" in said,
                                f"{what}: {status} {said}")
                self.run.equal(self.finish(2)[0], 0, f"after {what}")
                self.run.equal(self.archive(), want, f"archive after {what}")

    def on_one_rank(self, tracer, rank=1):
        """The words before a command, of which only that rank gets the tracer."""
        return ["sh", "-c", f"case ${{OMPI_COMM_WORLD_RANK-$PMI_RANK}} in {rank}) exec " + " ".join(tracer) +
                ' "$@" ;; esac; exec "$@"', "sh"]


def ended(run, name, can_settle):
    """What ranks leave that have ended in order, and have unified their definitions."""
    session = os.path.join(run.scratch, "left." + name)
    program = run.command(["{programs}/left.{library}", "10", "end"])
    # Where they would leave records there is a file of that name.
    before = "" if can_settle else f"mkdir -p {session}/.spur; >{session}/.spur/ends; "
    in_the_way = f"{before}{' '.join(program)}; >{session}/{OTHERS}"
    result = run.execute([run.spur, "-o", session, *run.launcher(RANKS), "sh", "-c", in_the_way],
                         "ended.run", STEADY)
    run.expect(OTHERS in "".join(result.spur), f"that it is not finished: {result.spur}")
    left = left_over.LeftOver(session)
    del left.files[OTHERS]
    left.files.pop(".spur/ends", None)
    run.expect(".spur/unified" in left.files, "what the ranks have unified")
    what = ".spur/ends/" if can_settle else "/map"
    run.expect(any(what in path for path in left.files), f"files {what}")
    return left


def main(run):
    for name, words, settings, has_ranks in SOURCES:
        left = left_over.leave(run, words, "left." + name, {**STEADY, **settings},
                               run.launcher(RANKS) if has_ranks else ())
        recovery = Recovery(run, left, name)
        want = recovery.compare()
        if name in ("killed", "threads"):
            recovery.spoil(want, 0)
        if name == "killed":
            recovery.spoil(want, 2)
            recovery.kill(want)
        if name == "killed":
            run.equal((recovery.started(1), recovery.started(4)), (0, 12), "threads")
    Recovery(run, ended(run, "settled", True), "settled").compare()
    recovery = Recovery(run, ended(run, "ended", False), "ended")
    recovery.compare()
    # The beginning of a journal: a few hundred bytes of events need no more of a segment.
    run.equal(recovery.read_at_once(), 16 << 10, "bytes that are read at once")
