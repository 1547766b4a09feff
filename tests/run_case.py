#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Run one end-to-end case: `run_case.py BUILD CASE [--mpi mpich|openmpi|abi]`. BUILD is the build tree,
CASE a file of tests/cases without its suffix. Exit status 0 when all went as expected.

A case is a Python file with a declarative head:

    of = "wrappers/mpi"                  the rooms that it is about: see tests/rooms.cmake
    command = ["{programs}/ring{mpi}"]   the traced command; {mpi} is ".mpich" or ".openmpi",
                                          {library} the same without the dot
    ranks = 4                            0: no MPI, no launcher (the default)
    mpi = ["mpich", "openmpi"]           run once per library (the default when there are ranks);
                                         "abi" is the tests' own, of the standard ABI of MPI-5
    forms = ["outer"]                    ways to start the agent: Run.traced() (this is the default)
    env = {}                             more environment, for both runs
    files = {"in.txt": "..."}            what lies in the working directory of both runs
    stdout = stderr = function           how to make output comparable (default: as it is)
    output = function(folder)            what else is compared, read from the working directory
    unfinished = False                   True when the run is cut short by purpose

    def check(trace, run): ...           asserts about the archive of each form
    def main(run): ...                   instead of all this: a case that does everything itself

In every form the program has to print the same, end in the same way and leave the same files as without the
agent. It has to make an archive that check_trace.py and `spur check` find true. Cases with many programs, or
modes of one, and no MPI have lib/matrix.py for that.
"""

import argparse
import fcntl
import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "lib")]

import hung  # noqa: E402
import small_tables  # noqa: E402
import turns  # noqa: E402
from openmpi import PATIENT  # noqa: E402
from patience import HANG_S  # noqa: E402

MPI_LIBRARIES = ("mpich", "openmpi")
ALL_MPI_LIBRARIES = MPI_LIBRARIES + ("abi",)
# From 32 ranks on threads of mpirun start them, and lose ends: it waits for ever, or tells of a rank with
# PID 0.
OPENMPI_ENV = {**PATIENT, "OMPI_MCA_hwloc_base_binding_policy": "none",
               "PRTE_MCA_hwloc_default_binding_policy": "none", "OMPI_MCA_odls_base_num_threads": "0"}


class Failed(Exception):
    """The case did not go as expected."""


class Result:
    """How a command ended. `spur` are the agent's lines, `stderr` is the rest."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout = status, stdout
        lines = stderr.splitlines()
        self.spur = [line for line in lines if line.startswith("spur: ")]
        self.stderr = "\n".join(line for line in lines if not line.startswith("spur: "))


def load_case(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, "cases", name + ".py"))
    case = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(case)
    return case


def without_numbers(text):
    """Process ids and addresses in messages of MPI libraries differ from run to run."""
    return sorted(re.sub(r"0x[0-9a-f]+|\d+", "#", text).splitlines())


def libraries_of(case):
    """The MPI libraries a case is run with; None when it has none."""
    return getattr(case, "mpi", list(MPI_LIBRARIES) if getattr(case, "ranks", 0) else None)


class Run:
    """What a case works with. Everything happens below `scratch`."""

    Failed = Failed

    def __init__(self, build, name, mpi):
        self.build, self.mpi, self.case = os.path.abspath(build), mpi, load_case(name)
        self.programs = os.path.join(self.build, "tests", "programs")
        if not os.path.isdir(self.programs):
            raise Failed(f"no test programs in {self.programs}")
        small_tables.use(self.build)
        self.library = os.path.join(self.build, "lib", "libspur.so")
        self.spur = os.path.join(self.build, "bin", "spur")
        label = f"{name}.{mpi}" if mpi else name
        self.scratch = os.path.join(self.build, "tests", "scratch", label)
        self.plain = None  # the untraced Result
        self.lock = self.taken()
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)

    def taken(self):
        """As long as this is open the folder is this run's alone: two would start each other's programs."""
        os.makedirs(os.path.dirname(self.scratch), exist_ok=True)
        lock = open(f"{self.scratch}.lock", "w", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise Failed(f"{self.scratch} is in use by another run of this test") from None
        return lock

    # ---- commands ----

    def command(self, words=None):
        """The command with its placeholders filled in."""
        places = {"programs": self.programs, "mpi": f".{self.mpi}" if self.mpi else "",
                  "library": self.mpi, "scratch": self.scratch}
        words = [word.format(**places) for word in words or self.case.command]
        path = shutil.which(words[0])
        if path is None:
            raise Failed(f"{words[0]} is missing")
        return [path] + words[1:]

    def launcher(self, ranks=None):
        ranks = ranks or getattr(self.case, "ranks", 0)
        if not ranks:
            return []
        name = f"mpirun.{self.mpi}"
        if self.mpi == "abi":
            name = os.path.join(self.programs, "abi", "mpirun")
        if shutil.which(name) is None:
            raise Failed(f"{name} is missing")
        return [name, "-n", str(ranks)]

    def environment(self, more=None):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("SPUR_") and k != "LD_PRELOAD"}
        env.update(OPENMPI_ENV)
        env.update(getattr(self.case, "env", {}))
        env.update(more or {})
        return env

    def execute(self, words, folder, env=None, timeout=HANG_S):
        """Run a command in scratch/folder (made when missing); its Result."""
        path = os.path.join(self.scratch, folder)
        os.makedirs(path, exist_ok=True)
        for name, text in getattr(self.case, "files", {}).items():
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write(text)
        process = subprocess.Popen(words, cwd=path, env=self.environment(env),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            places = hung.explain(path)
            os.killpg(process.pid, signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                hung.end(path)
                out, err = process.communicate()
            raise Failed(f"not done after {timeout} s: {' '.join(words)}\n"
                         f"{err.decode(errors='replace')[-2000:]}\n{places}") from None
        result = Result(process.returncode, out.decode(errors="replace"),
                        err.decode(errors="replace"))
        for line in result.spur:
            print(f"  {line}")
        return result

    def untraced(self):
        return self.execute(self.launcher() + self.command(), "plain")

    def traced(self, form):
        """
        Run the case's command under the agent; (Result, directory of the archive).
          outer    spur -o DIR mpirun -n N PROGRAM
          inner    mpirun -n N spur -o DIR PROGRAM
          default  spur mpirun -n N PROGRAM           the directory has the name that spur gives it
          preload  mpirun -n N env LD_PRELOAD=... PROGRAM
        """
        archive = os.path.join(self.scratch, f"{form}.archive")
        if form == "outer":
            words = [self.spur, "-o", archive] + self.launcher() + self.command()
        elif form == "inner":
            words = self.launcher() + [self.spur, "-o", archive] + self.command()
        elif form == "default":
            words = [self.spur] + self.launcher() + self.command()
        elif form == "preload":
            words = self.launcher() + self.preloading() + self.command()
        else:
            raise Failed(f"unknown form {form}")
        result = self.execute(words, form)
        if form in ("default", "preload"):
            archive = self.only_archive(form)
        return result, archive

    def preloading(self):
        return ["env", f"LD_PRELOAD={self.library}"]

    def only_archive(self, folder):
        """The one session directory that a run made in its working directory by default."""
        made = glob.glob(os.path.join(self.scratch, folder, "spur-*"))
        self.expect(len(made) == 1, f"one archive, found {[os.path.basename(m) for m in made]}")
        name = re.escape(os.path.basename(self.command()[0]))
        self.expect(re.search(rf"/spur-{name}-\d{{8}}-\d{{6}}(-\d+)?$", made[0]),
                    f"a name with program and time: {made[0]}")
        return made[0]

    # ---- expectations ----

    def expect(self, is_right, text):
        if not is_right:
            raise Failed(f"expected {text}")

    def equal(self, got, want, what):
        if got != want:
            raise Failed(f"{what}: got {got!r}, want {want!r}")

    def same(self, traced, plain):
        """The traced program did what the untraced one did."""
        comparable = getattr(self.case, "stdout", lambda text: text)
        if traced.status != plain.status:
            raise Failed(f"exit status: got {traced.status}, want {plain.status}\n"
                         f"{traced.stdout[-1000:]}{traced.stderr[-2000:]}")
        self.equal(comparable(traced.stdout), comparable(plain.stdout), "stdout")
        comparable = getattr(self.case, "stderr", without_numbers)
        self.equal(comparable(traced.stderr), comparable(plain.stderr), "stderr")

    def same_files(self, folder):
        """The traced run left the files of the untraced one, and its archive."""
        folders = [os.path.join(self.scratch, place) for place in (folder, "plain")]
        names = [sorted(name for name in os.listdir(path) if not name.startswith("spur-"))
                 for path in folders]
        self.equal(names[0], names[1], "files in the working directory")
        if hasattr(self.case, "output"):
            self.equal(self.case.output(folders[0]), self.case.output(folders[1]), "output")

    def judge(self, archive, unfinished=False, told=()):
        """The archive as a Trace; fails when it is not true. `told`: see spur_check()."""
        from check_trace import Trace  # needs python3-otf2, which listing the tests does not
        self.expect(os.path.isdir(archive), f"an archive {archive}")
        self.equal(sorted(os.listdir(archive)), ["traces", "traces.def", "traces.otf2"],
                   "files of the archive")
        trace = Trace(os.path.join(archive, "traces.otf2"), unfinished)
        if trace.faults:
            raise Failed(f"archive {archive}:\n  " + "\n  ".join(trace.faults[:40]))
        self.spur_check(archive, unfinished, told)
        return trace

    def spur_check(self, archive, unfinished, told=()):
        """
        The judge that users have is of the same opinion, its remarks included; what it says. `told` are
        the rules that may make remarks, since the archive says that something is not there. One thread
        and several take turns: that both say the same is cli/all_workers' subject, and with ALL=1 this one's.
        """
        words = [self.spur, "check", "--remarks" if told else "--strict"]
        words += ["--allow-unfinished"] if unfinished else []
        may = tuple(f"remark {rule}: " for rule in told)
        said = []
        for threads in turns.some((1, 2 + len(archive) % 6)):
            check = subprocess.run([*words, "--threads", str(threads), archive],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   timeout=HANG_S, check=False)
            said.append(check.stdout.decode(errors="replace"))
            remarks = [line for line in said[-1].splitlines() if line.startswith("remark ")]
            if check.returncode != 0 or told and not all(line.startswith(may) for line in remarks):
                raise Failed(f"spur check --threads {threads} {archive}:\n{said[-1]}")
        self.equal(said[0], said[-1], "spur check on one thread and on several")
        return said[0]

    def record(self, label, words, env=None, plain=None, status=0, before=(), **how):
        """
        `BEFORE... spur -o DIR WORDS...`: its Result, and the archive DIR. It ends as `plain` does, the
        untraced Result; without one by `status`, and no line but the agent's on standard error. If
        `status` is None, the case looks at both itself.
        """
        archive = os.path.join(self.scratch, f"{label}.archive")
        traced = self.execute([*before, self.spur, "-o", archive, *words], f"{label}.run", env, **how)
        if plain:
            self.same(traced, plain)
        elif status is not None:
            self.equal((traced.status, traced.stderr), (status, ""), f"{label}: status and errors")
        return traced, archive

    def standard(self, label, words, env=None, unfinished=False, told=()):
        """A command untraced and traced, compared, and its archive, judged: the Result and the Trace."""
        traced, archive = self.record(label, words, env, self.execute(words, f"{label}.plain"))
        return traced, self.judge(archive, unfinished, told)

    def says(self, *words):
        """What a command of spur prints: status 0, and no line but spur's on standard error."""
        said = self.execute([self.spur, *words], words[0])
        self.equal((said.status, said.stderr), (0, ""), f"spur {' '.join(words)}: status and errors")
        return said.stdout

    def report(self, archive, *options):
        """What spur report says of it, as read from its JSON."""
        return json.loads(self.says("report", "--json", *options, archive))

    def query(self, archive, question, *options):
        """The answer of spur query, a dictionary for each row."""
        return json.loads(self.says("query", *options, archive, question, "--json"))

    def all_forms(self):
        plain = self.plain = self.untraced()
        for form in getattr(self.case, "forms", ["outer"]):
            print(f"{form}:")
            result, archive = self.traced(form)
            self.same(result, plain)
            self.same_files(form)
            trace = self.judge(archive, getattr(self.case, "unfinished", False))
            if hasattr(self.case, "check"):
                self.case.check(trace, self)


def listed(names):
    """The tests, each with its rooms: "case ROOM..." or "case/library ROOM..."."""
    for name in names:
        case = load_case(name)
        if not hasattr(case, "of"):
            sys.exit(f"tests/cases/{name}.py does not say which room it is of")
        for library in libraries_of(case) or [None]:
            yield f"{name}/{library} {case.of}" if library else f"{name} {case.of}"


def main():
    parser = argparse.ArgumentParser(description="Run one end-to-end case.")
    parser.add_argument("--list", nargs="+", metavar="CASE", help="print the tests of these cases")
    parser.add_argument("build", nargs="?", help="the build tree")
    parser.add_argument("case", nargs="?", help="a file of tests/cases without its suffix")
    parser.add_argument("--mpi", choices=ALL_MPI_LIBRARIES)
    options = parser.parse_args()
    if options.list:
        print("\n".join(listed(options.list)))
        return 0
    if not options.case:
        parser.error("BUILD and CASE are needed")
    try:
        run = Run(options.build, options.case, options.mpi)
        if hasattr(run.case, "main"):
            run.case.main(run)
        else:
            run.all_forms()
    except Failed as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
