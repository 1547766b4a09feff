# SPDX-License-Identifier: BSD-3-Clause
"""
MANY_RANKS ranks on one machine, 64 without: what they make of their locations when they end, what the
launcher makes for them, and what `spur recover` makes by threads and by ranks, is the same archive, byte
for byte. Says how long each way takes.
"""

import os
import resource
import shutil
import subprocess
import time

import left_over
import run_case

of = "finish"
settled = run_case.load_case("settled")
crowd = run_case.load_case("crowd")

mpi = ["mpich", "openmpi"]
RANKS = int(os.environ.get("MANY_RANKS", "64"))
WORDS = ["{programs}/crowd{mpi}"]


class Ways:
    def __init__(self, run):
        self.run, self.session, self.want = run, settled.Session(run, "session"), None

    def recorded(self, can_settle):
        begin = time.monotonic()
        status = self.session.record(RANKS, WORDS, can_settle)
        print(f"  {RANKS} ranks, settled: {can_settle}: {time.monotonic() - begin:.1f} s")
        self.run.equal(status, 0, "the job")
        self.run.equal(len(self.session.processes()), 0 if can_settle else RANKS, "folders of processes")
        return left_over.LeftOver(self.session.path)

    def finish(self, what, left, *words):
        """All ways make what the first one makes."""
        self.session.put(left)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        done = subprocess.run([*words, self.run.spur, "recover", self.session.path], check=False,
                              env=self.run.environment({}), capture_output=True, text=True)
        took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"  {what}: {1e3 * took:.0f} ms, {1e3 * cpu:.0f} ms of CPU time")
        self.run.equal(done.returncode, 0, f"{what}: {done.stderr}")
        self.run.expect(not os.path.exists(self.session.inner), f"{what}: something is left")
        found = settled.archive_bytes(self.session.path)
        if self.want:
            settled.compare(self.run, what, found, self.want)
        else:
            self.want = found


def main(run):
    ways = Ways(run)
    left = ways.recorded(False)
    ways.session.put(left)
    ways.session.undo()
    left = left_over.LeftOver(ways.session.path)
    ways.finish("the launcher's way", left)
    run.equal(sum(name.endswith(".evt") for name in ways.want), RANKS, "event files")
    run.spur_check(ways.session.path, False)
    for ranks in (2, 4):
        ways.finish(f"{ranks} ranks", left, *run.launcher(ranks))
    ways.session.put(left)
    run.equal(ways.session.settle().stdout, f"{RANKS} settled, 0 failed\n", "all settle")
    ways.finish("settled", left_over.LeftOver(ways.session.path))
    shutil.rmtree(ways.session.path)
    whole = ways.recorded(True)
    ways.want = None
    ways.finish("settled by the ranks", whole)
    run.equal(sum(name.endswith(".evt") for name in ways.want), RANKS, "event files of settled ranks")
    crowd.check(run.judge(ways.session.path), run, RANKS)
