# SPDX-License-Identifier: BSD-3-Clause
"""
Ranks that end in order make the final files of their locations themselves, and `spur recover` makes
the same archive, byte for byte, of what they leave then as of what they leave otherwise; also when
this was cut off at any call, or the disk was full there.

A part of the calls, or with FAULTS=all each one, and SEED=N repeats a run.
"""

import glob
import os
import random
import shutil
import subprocess

import left_over

of = "finish wrappers/mpi"
mpi = ["mpich", "openmpi"]
RANKS = 16
DAMAGES = 12
ANCHOR, NUMBER_BYTES = "traces.otf2", 8
SEED = int(os.environ.get("SEED", "1"))
SAMPLE = os.environ.get("FAULTS", "10")
CALLS = ("openat2", "pread64", "pwrite64", "write", "renameat", "unlinkat", "mkdirat", "flock",
         "linkat", "fstat")
HOW = ("signal=KILL", "error=EIO", "error=ENOSPC")
# A finisher that nobody can ask: of another boot.
SION = {"SPUR_CONTAINER": "sion"}
CLAIM = "1 1 another-boot/1"


def archive_bytes(session):
    """Its files."""
    files = {}
    for path in glob.glob(os.path.join(session, "traces*")) + glob.glob(
            os.path.join(session, "traces", "*")):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                files[os.path.relpath(path, session)] = file.read()
    return files


class Session:
    """A directory that jobs record in while nobody can finish it."""

    def __init__(self, run, name):
        self.run, self.path = run, os.path.join(run.scratch, name)
        self.inner = os.path.join(self.path, ".spur")

    def record(self, ranks, words, can_settle, settings=None):
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.inner, 0o700)
        os.symlink(CLAIM, os.path.join(self.inner, "finishing"))
        if not can_settle:
            with open(os.path.join(self.inner, "ends"), "w", encoding="ascii"):
                pass
        run = self.run
        launcher = run.launcher(ranks)
        result = run.execute([*launcher, "env", f"LD_PRELOAD={run.library}", f"SPUR_DIR={self.path}",
                              "SPUR_SESSION=launched", *run.command(words)], "job", settings)
        os.unlink(os.path.join(self.inner, "finishing"))
        if not can_settle:
            os.unlink(os.path.join(self.inner, "ends"))
        return result.status

    def put(self, left):
        shutil.rmtree(self.path, ignore_errors=True)
        left.put(self.path)

    def undo(self):
        """As if no rank had begun to settle: what it has moved goes back, what it has made goes."""
        folders = {}
        for folder in self.processes():
            with open(os.path.join(self.inner, folder, "map"), "rb") as file:
                folders[int.from_bytes(file.read()[24:32], "little")] = folder
        for world in glob.glob(os.path.join(self.inner, "settled-*")):
            for name in os.listdir(os.path.join(world, "traces")):
                self.undo_file(os.path.join(world, "traces", name), folders)
            shutil.rmtree(world)

    def undo_file(self, path, folders):
        location, ending = os.path.basename(path).split(".")
        process = os.path.join(self.inner, folders[int(location) >> 32])
        with open(os.path.join(process, "segment"), "rb") as file:
            head = file.read(4096 + (64 << 10))
        with open(path, "rb") as file:
            is_gathered = file.read() in head
        if ending == "evt" and not is_gathered:
            os.makedirs(os.path.join(process, "traces"), exist_ok=True)
            os.rename(path, os.path.join(process, "traces", f"{int(location) & 0xffffffff}.evt"))

    def processes(self):
        return sorted(os.path.basename(os.path.dirname(path))
                      for path in glob.glob(os.path.join(self.inner, "*", "segment")))

    def settle(self, words=()):
        program = os.path.join(self.run.build, "tests", "settle-session")
        return subprocess.run([*words, program, self.path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)

    def recover(self, what, *options):
        """The bytes of the archive."""
        result = self.run.execute([self.run.spur, "recover", *options, self.path], "recover")
        self.run.expect(not os.path.exists(self.inner), f"{what}: something is left: {result.spur}")
        return archive_bytes(self.path)


def same_but_number(one, other):
    """An anchor file has a number that no other archive has."""
    places = [i for i, (a, b) in enumerate(zip(one, other)) if a != b]
    return len(one) == len(other) and (not places or places[-1] - places[0] < NUMBER_BYTES)


def compare(run, what, got, want):
    if got.get(ANCHOR) and want.get(ANCHOR) and same_but_number(got[ANCHOR], want[ANCHOR]):
        got = {**got, ANCHOR: want[ANCHOR]}
    differ = sorted(name for name in got.keys() | want.keys() if got.get(name) != want.get(name))
    run.expect(want and not differ, f"{what}: {len(differ)} files differ: {differ[:5]}")


def keeps_all(settings):
    """For containers ranks make no files of their short streams."""
    return settings == SION


def in_other_form(run, session, left):
    """What a rank has kept for containers becomes plain files as well."""
    session.put(left)
    want = session.recover("plain", "--container", "none")
    session.put(left)
    session.settle()
    compare(run, "plain, settled", session.recover("plain, settled", "--container", "none"), want)


def both_ways(run, session, ranks, words, settings=None):
    """What is left for the tests to come, and the archive that comes of it."""
    session.record(ranks, words, False, settings)
    run.equal(len(session.processes()), ranks, "ranks that have not settled")
    half = left_over.LeftOver(session.path)
    files = [path for path in half.files if "/settled-" in path]
    run.expect(keeps_all(settings) or len(files) >= ranks, f"files of ranks about to settle: {files}")
    got_half = session.recover("half-done")
    session.put(half)
    session.undo()
    left = left_over.LeftOver(session.path)
    want = session.recover("the launcher's way")
    compare(run, "half-done", got_half, want)
    run.spur_check(session.path, False)
    session.put(left)
    said = session.settle().stdout
    run.equal(said, f"{ranks} settled, 0 failed\n", "all settle")
    run.equal(session.processes(), [], "nothing of a rank is left")
    if keeps_all(settings):
        run.equal(glob.glob(os.path.join(session.inner, "settled-*")), [], "files of settled ranks")
    compare(run, "settled", session.recover("settled"), want)
    session.put(left)
    session.settle()
    os.unlink(os.path.join(session.inner, "unified"))
    compare(run, "settled, and unified anew", session.recover("unified anew"), want)
    return left, want


def spoil(run, session, left, want, chance):
    """Settling is cut off, or fails, and whoever finishes then makes the same."""
    log = os.path.join(run.scratch, "calls.strace")
    session.put(left)
    ended = session.settle(["strace", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS)])
    run.equal(ended.returncode, 0, f"settling at once: {ended.stdout}")
    with open(log, encoding="utf-8", errors="replace") as file:
        calls = [line.split("(")[0] for line in file]
    places = sorted({(call, i + 1) for call in set(calls) for i in range(calls.count(call))})
    run.expect(len(places) > 30, f"calls: {len(places)}")
    chance.shuffle(places)
    for call, number in places if SAMPLE == "all" else places[:int(SAMPLE)]:
        for how in HOW:
            session.put(left)
            session.settle(["strace", "-qq", "-o", log, "-e", f"inject={call}:{how}:when={number}"])
            what = f"{how} at {call} {number}"
            compare(run, what, session.recover(what), want)


def damage(run, session, chance):
    """Records that somebody has changed or cut: whatever comes of it, finishing does not fall."""
    left = left_over.LeftOver(session.path)
    records = sorted(path for path in left.files if "/ends/" in path)
    for turn in range(DAMAGES):
        path = chance.choice(records)
        data = bytearray(left.files[path])
        for _ in range(1 + turn % 3):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        if turn % 4 == 0:
            data = data[:chance.randrange(len(data))]
        session.put(left)
        with open(os.path.join(session.path, path), "wb") as file:
            file.write(data)
        result = run.execute([run.spur, "recover", session.path], "recover")
        run.expect(result.status in (0, 1), f"damage {turn}: {result.status} {result.spur}")
    session.put(left)


def settle_at_once(run, session, settings=None):
    """The ranks do it themselves, and nothing is left to be done for one of them."""
    session.record(RANKS, ["{programs}/left{mpi}", "20", "end"], True, settings)
    run.equal(session.processes(), [], "processes with a folder of their own")
    run.expect(glob.glob(os.path.join(session.inner, "ends", "*")), "records of the ranks")
    if not settings and run.mpi == "mpich":
        damage(run, session, random.Random(SEED))
    run.execute([run.spur, "snapshot", session.path], "snapshot")
    taken = archive_bytes(session.path + "-snapshot-1")
    shutil.rmtree(session.path + "-snapshot-1", ignore_errors=True)
    found = session.recover("settled by the ranks")
    for name in found:
        if name.startswith("traces/"):
            run.equal(taken.get(name), found[name], f"{name} of a snapshot")
    run.equal(sum(name.endswith(".evt") for name in found), RANKS, "event files")
    run.spur_check(session.path, False)


def definitions_made(run, session):
    """Files of local definitions that `spur recover` makes, of settled ranks."""
    log = os.path.join(run.scratch, "made.strace")
    run.execute(["strace", "-f", "-qq", "-o", log, "-e", "trace=openat2", run.spur, "recover",
                 session.path], "recover")
    with open(log, encoding="utf-8", errors="replace") as file:
        return sum(".def\"" in line and "/traces/" in line and "O_CREAT" in line
                   and "= -1" not in line for line in file)


def places_in_code(run, session):
    """
    OpenMP constructs: the ranks' files stay if each is a region of its own. Without lines those of one
    function are one region, so the files are made anew.
    """
    program = shutil.copy(run.command(["{programs}/omp_ranks.gcc{mpi}"])[0], run.scratch)
    for made in (0, 4):
        if made:
            subprocess.run(["strip", "--strip-debug", program], check=True)
        if made:
            both_ways(run, session, 2, [program], SION)
        left, _ = both_ways(run, session, 2, [program])
        session.put(left)
        session.settle()
        run.equal(definitions_made(run, session), made, "definitions made")


def main(run):
    print(f"SEED={SEED}")
    session = Session(run, "session")
    for settings in (None, {"SPUR_LOCAL": "/dev/shm"}):  # another file system
        settle_at_once(run, session, settings)
        shutil.rmtree(session.path)
    places_in_code(run, session)
    both_ways(run, session, RANKS, ["{programs}/left{mpi}", "20", "end"])
    left, want = both_ways(run, session, 2, ["{programs}/left{mpi}", "20", "end"], SION)
    in_other_form(run, session, left)
    if run.mpi == "mpich":
        spoil(run, session, left, want, random.Random(SEED))
        session.put(left)
        session.settle()
        damage(run, session, random.Random(SEED))
        both_ways(run, session, 2, ["{programs}/left{mpi}", "8000", "end"], {"SPUR_BUFFER": "512K", **SION})
    left, want = both_ways(run, session, 1, ["{programs}/left{mpi}", "8000", "end"],
                           {"SPUR_BUFFER": "512K"})
    if run.mpi == "mpich":
        spoil(run, session, left, want, random.Random(SEED))
