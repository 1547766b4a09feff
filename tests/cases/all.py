# SPDX-License-Identifier: BSD-3-Clause
"""
Every function that the installed MPI libraries have, called from C and by each Fortran binding:
each is seen as often as it was called, in that order, and did what it does without the agent; and
what is recorded for a call depends neither on the language nor on the library. Threads, and an end by
MPI_Abort, are tried in the languages in turns (lib/turns.py).
"""

import difflib
import os

from mpi_all.compare import Differences
from mpi_all.calls import main_regions, read_calls, wanted_regions
from mpi_all.generate import KNOWN
from turns import some

of = "wrappers/mpi wrappers/mpi/tables"
command = ["{programs}/all{mpi}"]
ranks = 2
mpi = None
env = {"SPUR_WRAP": "mpi", "SPUR_MPI": "all"}

LANGUAGES = ("all", "all_mpif", "all_mod", "all_f08")


def region_faults(run, trace, folder, label):
    """Where the regions of the trace are not the calls of the program's log, as lines of a diff."""
    calls = read_calls(os.path.join(run.scratch, folder))
    children = [calls[name] for name in calls if name.startswith("child.")]
    for process, regions in main_regions(trace).items():
        log = calls.get(f"{run.act}.{process}")
        wanted = [wanted_regions(log, label) for log in ([log] if log else children)]
        if regions in wanted:
            continue
        yield f"{label}, process {process}: calls that were logged (-), regions in the trace (+):"
        for line in difflib.unified_diff(wanted[0] if wanted else [], regions, n=1, lineterm=""):
            if not line.startswith(("---", "+++")):
                yield "  " + line


def main(run):
    for where, names in KNOWN.items():
        for name, reason in names.items():
            print(f"not called with {where}: {name}: {reason}")
    differences, faults = Differences(), []
    for run.mpi in ("mpich", "openmpi"):
        for language in LANGUAGES:
            run.act = "main"
            faults += one_program(run, language, differences)
        for run.act in ("threads", "abort"):
            for language in some(LANGUAGES):
                faults += one_program(run, language, differences)
    run.expect(not faults, "each call once, in order:\n  " + "\n  ".join(faults[:40]))
    faults = differences.found()
    run.expect(not faults, "the same records in all languages and with both libraries:\n  " +
               "\n  ".join(faults[:40]))


def one_program(run, language, differences):
    """Runs a program with and without the agent; what is wrong with its regions."""
    label = f"{language}.{run.mpi}"
    program = run.command(["{programs}/" + language + "{mpi}", "--act", run.act])
    traced = f"{run.act}.{label}"
    before = run.execute(run.launcher() + program, f"{traced}.plain")
    run.equal(before.status, 7 if run.act == "abort" else 0, "exit status of " + label)
    # What the launchers say of an abort is a matter of time.
    after, archive = run.record(traced, run.launcher() + program, status=None,
                                plain=before if run.act != "abort" else None)
    run.equal(after.status, before.status, "exit status of " + label)
    logs = [read_calls(os.path.join(run.scratch, folder)) for folder in (f"{traced}.plain", f"{traced}.run")]
    run.expect(logs[0], f"{label} to write what it called")
    for name, lines in logs[0].items():
        for one, other in zip(lines, logs[1].get(name, [])):
            run.equal(other, one, f"what {label} called and got as {name}")
        run.equal(len(logs[1].get(name, [])), len(lines), f"number of calls of {label} as {name}")
    trace = run.judge(archive, run.act == "abort")
    faults = list(region_faults(run, trace, f"{traced}.run", label))
    if run.act == "main" and not faults:
        differences.add(label, trace, logs[1])
    return faults
