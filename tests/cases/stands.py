# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that stand still: how long, by a snapshot and by their death. Bounds are what this case sees."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

from turns import some

of = "tools/report/topics tools/session"
mpi = ["mpich", "openmpi"]
HERE = os.path.dirname(os.path.abspath(__file__))
NS, STAND_S, GUARD_S = 1e9, 1.0, 100
SLACK_S = 0.4  # from when a rank tells until it is in its call, on a busy machine


class Job:
    """A job of `stands`, and where its ranks are: {rank: (pid, seconds since the epoch)}."""

    def __init__(self, run, mode, ranks, options=(), program="{programs}/stands{mpi}", env=None):
        self.run, self.mode = run, mode
        name = f"{mode}{ranks}.{len(os.listdir(run.scratch))}"
        self.archive = os.path.join(run.scratch, name)
        words = [run.spur, *options, "-o", self.archive, *run.launcher(ranks),
                 *run.command([program]), mode]
        self.process = subprocess.Popen(words, env=run.environment(env), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ranks = {}
        for _ in range(ranks or 1):
            rank, pid, since = self.process.stdout.readline().split()
            self.ranks[int(rank)] = int(pid), int(since) / NS

    def spur(self, *words):
        done = subprocess.run([self.run.spur, *words], stdout=subprocess.PIPE, timeout=GUARD_S,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.run.equal(done.returncode, 0, f"spur {words}: {done.stderr}")
        return done.stdout

    def snapshot(self):
        """A report, and between which times the snapshot was taken."""
        place = self.archive + "-now"
        least = time.time()
        self.spur("snapshot", self.archive, "-o", place)
        return self.report(place), least, time.time()

    def report(self, place=None):
        got = json.loads(self.spur("report", "--json", place or self.archive))
        got["text"] = self.spur("report", place or self.archive)
        return got

    def kill(self, number=signal.SIGKILL, ranks=None):
        """The report of the whole, and between which times the ranks were killed."""
        least = time.time()
        for rank in self.ranks if ranks is None else ranks:
            os.kill(self.ranks[rank][0], number)
        self.end()
        return self.report(), least, time.time()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing is left of it, however the case ends."""
        for pid, _ in self.ranks.values():
            if self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(pid, signal.SIGKILL)
        self.end()

    def end(self):
        if self.process.stdout.closed:
            return
        try:
            _, err = self.process.communicate(timeout=GUARD_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise self.run.Failed(f"{self.mode}: the job does not end") from None
        self.said = [line for line in err.splitlines() if line.startswith("spur: ")]
        print("\n".join(self.said))


def expect_time(run, job, found, region, ranks, sure=None):
    """The ranks have been in the region from when they told until then; some of them for sure, of others
    nobody may have seen when they died."""
    got, least, most = found
    row = next((row for row in got["sections"]["regions"] if row["region"] == region), None)
    run.expect(row, f"{region} in\n{got['text']}")
    since = [job.ranks[rank][1] for rank in ranks]
    bounds = (sum(least - job.ranks[rank][1] for rank in sure or ranks) - SLACK_S,
              sum(most - at for at in since))
    print(f"  {job.mode}: {region} {row['self']} s within {bounds}")
    run.expect(bounds[0] <= row["self"] <= bounds[1],
               f"{region}: {row['self']} s, which is not within {bounds}\n{got['text']}")


def switched(run):
    """Recording that is switched on while the job stands, for a time; it counts from then on."""
    with Job(run, "barrier", 2, ["--start", "off"]) as job:
        time.sleep(STAND_S / 2)
        least_on = time.time()
        job.spur("on", job.archive)
        most_on = time.time()
        time.sleep(STAND_S)
        run.expect("MPI_Barrier" in job.snapshot()[0]["text"], "the barrier in the snapshot")
        job.spur("off", job.archive)
        got, least, most = job.kill()
        job.ranks[0] = job.ranks[0][0], least_on
        expect_time(run, job, (got, least - (most_on - least_on), most), "MPI_Barrier", [0])
        job.spur("check", job.archive)


def resumed(run):
    """The same, and the job goes on: who was in a call records it from then on."""
    for is_over in (False, True):
        with Job(run, "barrier", 2, ["--start", "off"]) as job:
            least_on = time.time()
            job.spur("on", job.archive)
            most_on = time.time()
            time.sleep(STAND_S)
            if is_over:
                job.spur("off", job.archive)
            job.ranks[0] = job.ranks[0][0], least_on
            got, least, _ = job.kill(signal.SIGUSR1, [1])
            expect_time(run, job, (got, least - (most_on - least_on), time.time()), "MPI_Barrier", [0])
            run.equal(job.process.returncode, 0, "how the job ends")


def rows(got):
    return {row["process"]: row for row in got["sections"]["stands"]}


def expect_row(run, got, process, region, *words):
    """Where a rank stands; these words are in what it waits for."""
    row = rows(got).get(process, {"region": "nowhere", "waits_for": None})
    run.equal(row["region"], region, f"where {process} stands in\n{got['text']}")
    said = row["waits_for"] or ""
    run.expect(all(word in said for word in words),
               f"{process} waits for {said!r}, not {words}\n{got['text']}")
    return row


def expect_deadlock(run, got, processes):
    found = [line for line in got["text"].splitlines() if "deadlock: " in line]
    run.equal(len(found), 1 if processes else 0, f"deadlocks in\n{got['text']}")
    for process in processes:
        run.expect(process in found[0], f"{process} in {found[0]}")
        run.equal(rows(got)[process]["circle"], 1, "its circle")
    first = [found for found in got["findings"][:1] if found["kind"] == "deadlock"]
    run.equal(len(first), 1 if processes else 0, f"deadlocks in {got['findings']}")
    if processes:
        run.expect(all(process in first[0]["text"] for process in processes), first[0]["text"])
        run.equal(len(first[0]["locations"]), 2, f"two that wait for each other: {first[0]}")


def expect_lines(run, got):
    """Each link of the circle names a line of the program that has the call."""
    places = re.findall(r"\(MPI_Recv at stands\.c:(\d+)\)", got["findings"][0]["text"])
    with open(os.path.join(HERE, "..", "programs", "stands.c"), encoding="utf-8") as source:
        lines = source.read().splitlines()
    run.expect(len(places) == 3 and all("MPI_Recv(" in lines[int(place) - 1] for place in places),
               f"lines {places} in {got['findings'][0]['text']}")
    run.equal(got["findings"][0]["site"], f"stands.c:{places[0]}", "the line of the finding")
    for row in rows(got).values():
        run.equal(row["site"], f"stands.c:{places[0]}", f"the line of {row}")


def received(run):
    """Circles of two and three that receive; the time counts up to the snapshot, and to the death."""
    modes = [("wait", "MPI_Wait"), ("persistent", "MPI_Wait"), ("send", "MPI_Send")]
    if run.mpi == "mpich":
        modes.append(("isendrecv", "MPI_Wait"))
    for mode, region in [("recv", "MPI_Recv"), *some(modes, 2)]:
        ranks = 3 if mode == "recv" else 2
        with Job(run, mode, ranks, ["--sites"] if mode == "recv" else []) as job:
            time.sleep(STAND_S)
            found = job.snapshot()
            expect_time(run, job, found, region, range(ranks))
            killed = job.kill(ranks=[0])
            expect_time(run, job, killed, region, range(ranks), [0])
            for got in found[0], killed[0]:
                for rank in range(ranks):
                    tag = "tag " + str(7 + rank)
                    expect_row(run, got, f"rank {rank}", region, f"rank {(rank + 1) % ranks} (", tag,
                               "MPI_COMM_WORLD")
                expect_deadlock(run, got, [f"rank {rank}" for rank in range(ranks)])
                if mode == "recv":
                    expect_lines(run, got)


def missing(run):
    """Of a collective operation that one rank does not come to."""
    with Job(run, "barrier", 3) as job:
        time.sleep(STAND_S / 2)
        got, _, _ = job.snapshot()
        for rank in range(2):
            row = expect_row(run, got, f"rank {rank}", "MPI_Barrier", "rank 2 in BARRIER on MPI_COMM_WORLD")
            run.expect("rank 1" not in row["waits_for"], row["waits_for"])
        expect_deadlock(run, got, [])
    with Job(run, "bcast", 3) as job:
        time.sleep(STAND_S / 2)
        got, _, _ = job.snapshot()
        expect_row(run, got, "rank 0", "MPI_Recv", "any rank", "any tag")
        expect_row(run, got, "rank 2", "MPI_Bcast", "rank 1 in BCAST")
        expect_row(run, got, "rank 1", "(program)")
        expect_deadlock(run, got, [])


def locked(run):
    """Two threads, and two mutexes; a third one waits for the first of them."""
    with open(os.path.join(HERE, "..", "programs", "thread_stands.c"), encoding="utf-8") as source:
        line = next(i for i, text in enumerate(source, 1) if "&mutexes[!own]" in text)
    with Job(run, "threads", 0, ["--sites"], program="{programs}/thread_stands") as job:
        time.sleep(STAND_S)
        found, killed = job.snapshot()[0], job.kill()[0]
        for threads in ("1", "2", "3"):
            shared = json.loads(job.spur("report", "--json", "--threads", threads, job.archive))
            run.equal({**killed, **shared}, killed, f"the report by {threads} threads")
        for got in found, killed:
            stand = {row["thread"]: row for row in got["sections"]["stands"]}
            for name, other in (("left", "right"), ("right", "left")):
                run.equal(stand[name]["region"], "pthread_mutex_lock", f"{name} in\n{got['text']}")
                run.expect("held by thread " in stand[name]["waits_for"] and
                           stand[name]["waits_for"].endswith(other), stand[name]["waits_for"])
                run.equal(stand[name]["circle"], 1, "its circle")
            waiting = [row for row in stand.values() if row["region"] == "pthread_join"]
            run.expect(len(waiting) == 1 and waiting[0]["waits_for"].endswith("left") and
                       waiting[0]["circle"] is None, waiting)
            run.equal(got["text"].count("deadlock: "), 1, got["text"])
            run.equal({row["waits_for"].partition(",")[0] for row in stand.values() if row["circle"]},
                      {"lock mutexes", "lock mutexes+0x28"}, "names of the locks")
            first = got["findings"][0]
            run.equal((first["kind"], first["site"], len(first["locations"])),
                      ("deadlock", f"thread_stands.c:{line}", 2), first)
            run.equal(first["text"].count(f"(pthread_mutex_lock at thread_stands.c:{line})"), 2,
                      first["text"])


def crashed(run):
    """One rank falls, the others are ended by that: who is who, and all that is known of its place."""
    with Job(run, "crash", 3) as job:
        job.end()
        got = job.report()
        row = expect_row(run, got, "rank 2", "(program)")
        run.equal((row["fate"], "SIGSEGV" in row["end"]), ("culprit", True), f"rank 2 in\n{got['text']}")
        for rank in range(2):
            row = expect_row(run, got, f"rank {rank}", "MPI_Recv", "rank 2 (", f"tag {7 + rank}")
            run.equal(row["fate"], "victim", f"rank {rank} in\n{got['text']}")
        run.expect(re.search("died first, .*: rank 2, killed by SIGSEGV", got["text"]), got["text"])


def signalled(run):
    """Ranks that are all asked for a snapshot at once make one each."""
    with Job(run, "recv", 2, env={"SPUR_FLUSH": "ring"}) as job:
        for rank in job.ranks:
            os.kill(job.ranks[rank][0], signal.SIGUSR2)
        wanted = [f"{job.archive}-snapshot-{i}/traces.otf2" for i in (1, 2)]
        until = time.time() + GUARD_S
        while (not all(map(os.path.exists, wanted)) and time.time() < until and
               job.process.poll() is None):
            time.sleep(0.1)
        run.equal([os.path.exists(name) for name in wanted], [True, True], "two snapshots")


def main(run):
    if run.mpi == mpi[0]:  # of no MPI
        locked(run)
    switched(run)
    resumed(run)
    received(run)
    missing(run)
    crashed(run)
    signalled(run)
