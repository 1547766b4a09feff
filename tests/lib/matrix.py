# SPDX-License-Identifier: BSD-3-Clause
"""
A matrix of programs, ways to start the agent, and ways to make the archive. A case says

    import matrix

    def main(run):
        for cell in matrix.cells(run, "segv", ["{programs}/exits", "segv"]):
            run.equal(cell.trace(run).regions()["pthread_mutex_lock"], 7, cell.what)

and has: the program once untraced, then by every one of WAYS (`ways=` takes fewer), each in an empty
working directory of its own. The status, both outputs (by the case's functions `stdout` and `stderr`) and the
files are those of the untraced run. Files are compared by what is in them, or by what the case's `output`
says of them. The processes end, and each archive is true for `spur check --strict`.
"""

import glob
import json
import os
import random
import shutil
import signal
import subprocess
import time

from patience import HANG_S

RANK = {"PMIX_RANK": "0", "PMI_RANK": "0", "PMI_SIZE": "1"}
FINISHER_MS = 30


class Way:
    """
    How a program gets the agent and who makes the archive. `words` stand before the command; what is
    left in an archive's directory is made by `spur recover`, which is killed so many times before.
    """

    def __init__(self, words=(), env=None, kills=0):
        self.words, self.env, self.kills = words, env or {}, kills


AGENT = {"LD_PRELOAD": "{agent}", "SPUR_DIR": "{archive}"}
# Told of a launcher that nobody can see, processes leave the archive to it.
LEFT = {"SPUR_SESSION": "mixed", **AGENT}
WAYS = {
    "launcher": Way(["{spur}", "-o", "{archive}"]),
    "agent": Way(env=AGENT),
    "inner": Way(["{spur}", "-o", "{archive}"], RANK),
    "recovered": Way(env=LEFT),
    "finisher_killed": Way(env=LEFT, kills=3),
}


class Cell:
    """One run of a program by one way. `archives` are those that it left, mostly one."""

    def __init__(self, label, way, archive):
        self.label, self.way, self.archive = label, way, archive
        self.what, self.folder = f"{label}, {way}: ", f"{label}.{way}"
        self.plain = self.traced = None
        self.told = ()
        self.archives = []

    def trace(self, run, unfinished=True):
        """The archive as a Trace, for asserts; the judge of the tests takes its time."""
        run.equal(len(self.archives), 1, self.what + "archives")
        return run.judge(self.archives[0], unfinished, self.told)

    def remarks(self, run):
        """The rules of which spur check makes remarks."""
        check = subprocess.run([run.spur, "check", "--json", "--remarks", self.archives[0]],
                               stdout=subprocess.PIPE, check=True)
        return [row["rule"] for row in json.loads(check.stdout)["rules"]]


def contents(path):
    """The files that a run left in its working directory, by name."""
    found = {}
    for place, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.relpath(os.path.join(place, name), path)] = file.read()
    return found


def is_made(archive):
    return os.path.exists(os.path.join(archive, "traces.otf2")) and \
        not os.path.exists(os.path.join(archive, ".spur"))


def made(archive):
    """What a session has left: its directory, and others if it ended while a process lived on."""
    return sorted(path for path in [archive] + glob.glob(archive + "-*") if os.path.isdir(path))


def kill_finisher(run, archive, seed):
    words = [run.spur, "recover", archive]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=run.environment({}), start_new_session=True)
    time.sleep(random.Random(seed).uniform(0, FINISHER_MS / 1000))
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def is_of_nothing(archive, said):
    """Who recorded there was killed before there was anything: that is said, and no archive made."""
    return not is_made(archive) and said == [f"spur: nothing was recorded in {archive}"] and \
        len(os.listdir(os.path.join(archive, ".spur"))) <= 1


def finish(run, cell, kills):
    for archive in made(cell.archive):
        for number in range(kills):
            kill_finisher(run, archive, f"{cell.what}{number}")
        if not is_made(archive):
            done = run.execute([run.spur, "recover", archive], f"{cell.folder}.recover")
            if is_of_nothing(archive, done.spur):
                shutil.rmtree(archive)
                continue
            run.equal(done.status, 0, f"{cell.what}spur recover: {done.spur}")
            cell.traced.spur += done.spur
        run.expect(is_made(archive), f"{cell.what}a finished archive {archive}")
    cell.archives = made(cell.archive)


def difference(got, want):
    """Where two sets of files begin to differ, for a reader."""
    for name in sorted(set(got) | set(want)):
        mine, theirs = got.get(name), want.get(name)
        if mine is None or theirs is None:
            return f"{name} is {'missing' if mine is None else 'there'}"
        if mine != theirs:
            at = len(os.path.commonprefix([mine, theirs]))
            begin = max(0, at - 300)
            return f"{name} at {at}: got {mine[begin:at + 100]}, want {theirs[begin:at + 100]}"
    return ""


def compare(run, cell, plain_folder):
    if cell.traced.status != cell.plain.status:
        raise run.Failed(f"{cell.what}status {cell.traced.status}, untraced {cell.plain.status}\n"
                         f"{cell.traced.stdout[-1000:]}{cell.traced.stderr[-2000:]}")
    for name in ("stdout", "stderr"):
        comparable = getattr(run.case, name, lambda text: text)
        run.equal(comparable(getattr(cell.traced, name)), comparable(getattr(cell.plain, name)),
                  cell.what + name)
    folders = [os.path.join(run.scratch, folder) for folder in (cell.folder, plain_folder)]
    if hasattr(run.case, "output"):
        run.equal(*map(run.case.output, folders), cell.what + "output")
        return
    got, want = map(contents, folders)
    run.expect(got == want, f"{cell.what}the files of the untraced run: {difference(got, want)}")


def cells(run, label, words, ways=WAYS, env=None, settings=None, archive=True, unfinished=True,
          timeout=HANG_S, told=()):
    """
    The runs of one program, one after the other: a Cell for each way, compared and checked. `env` is
    for all of them, the untraced one too; `settings` for the agent. `archive` False: none is expected,
    None: there may be one. `unfinished` False: no process was killed or cut short. `told`: see
    Run.spur_check().
    """
    words = run.command(words)
    plain = run.execute(words, f"{label}.plain", env, timeout)
    for name in ways:
        way = WAYS[name]
        cell = Cell(label, name, os.path.join(run.scratch, f"{label}.{name}.archive"))
        places = {"spur": run.spur, "agent": run.library, "archive": cell.archive}
        own = {key: value.format(**places) for key, value in way.env.items()}
        if env and "LD_PRELOAD" in env and "LD_PRELOAD" in own:
            own["LD_PRELOAD"] = f"{env['LD_PRELOAD']}:{own['LD_PRELOAD']}"
        cell.plain, cell.told = plain, told
        cell.traced = run.execute([word.format(**places) for word in way.words] + words, cell.folder,
                                  {**(env or {}), **(settings or {}), **own}, timeout)
        compare(run, cell, f"{label}.plain")
        finish(run, cell, way.kills)
        if archive is not None:
            run.equal(len(cell.archives) > 0, archive, cell.what + "an archive is there")
        for path in cell.archives:
            run.spur_check(path, unfinished, told)
        yield cell


def table(run, rows, **how):
    """All cells of a table {label: words}."""
    return [cell for label, words in rows.items() for cell in cells(run, label, words, **how)]
