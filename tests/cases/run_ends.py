# SPDX-License-Identifier: BSD-3-Clause
"""
How a job ended is the first finding where it did not end well: the rank that was first, by what, at the line
that the program tells, and how many followed. A job that ends well has no such finding, nor has a shell whose
commands fail; a command that fails has.
"""

import re

of = "agent/process tools/report/topics"
mpi = ["mpich", "openmpi"]
RANKS = 3
# What ranks 0 and 1 do; the first of them, and what the finding says of it. {line} is the program's own.
WAYS = {
    "none MPI_Abort": (1, "rank 1 called MPI_Abort(3) at run_ends.c:{line} after "),
    "MPI_Abort MPI_Abort": (1, "rank 1 called MPI_Abort(3) at run_ends.c:{line} after "),
    "MPI_Abort": (0, "rank 0 called MPI_Abort(3) at run_ends.c:{line} after "),
    "none abort": (1, "rank 1 called abort() in end (run_ends.c:{line}) after "),
    "none segv": (1, "rank 1 was killed by SIGSEGV in end (run_ends.c:{line}) after "),
    "none status": (1, "rank 1 ended with exit status 5 after "),
}


def findings(run, label, words):
    """Of a recorded command, and what the command has printed."""
    done, place = run.record(label, ["--sites", *words], status=None)
    return run.report(place)["findings"], done


def ends(found):
    return [(number, one["text"]) for number, one in enumerate(found) if one["kind"] == "end"]


def badly(run, way, first, words):
    found, done = findings(run, way.replace(" ", "_"),
                           [*run.launcher(RANKS), *run.command(["{programs}/run_ends{mpi}"]), *way.split()])
    # Launchers tell of bad ends, too.
    lines = {int(rank): line for rank, line in re.findall(r"^(\d) (\d+)$", done.stdout, re.MULTILINE)}
    run.equal([number for number, _ in ends(found)], [0], f"{way}: the first finding is the end: {found}")
    text = found[0]["text"]
    print(f"  {way}: {text}")
    run.expect(words.format(line=lines[first]) in text, f"{way}: {words} of {lines} in {text}")
    run.expect(" 2 other processes followed: " in text, f"{way}: who followed in {text}")
    if words.count("{line}") and first == 1 and "Abort" in words:
        run.equal(found[0]["site"], f"run_ends.c:{lines[first]}", f"{way}: the site")


def main(run):
    for way, (first, words) in WAYS.items():
        badly(run, way, first, words)
    found, done = findings(run, "well", [*run.launcher(RANKS), *run.command(["{programs}/run_ends{mpi}"])])
    run.equal((done.status, ends(found)), (0, []), "a job that ends well")
    found, _ = findings(run, "tree", ["sh", "-c", "/bin/false; /bin/true"])
    run.equal(ends(found), [], "a shell whose command fails")
    found, _ = findings(run, "status", ["sh", "-c", "/bin/true; exit 3"])
    run.expect(found and "ended with exit status 3 after " in found[0]["text"],
               f"a shell that fails: {found}")
