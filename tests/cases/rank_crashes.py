# SPDX-License-Identifier: BSD-3-Clause
"""A rank that crashes, in C and Fortran: which one, in which thread, and where."""

of = "agent/process tools/report/topics"
mpi = ["mpich", "openmpi"]
PROGRAMS = {"crash": ["solve", "work"], "crash_fortran": ["solving::solve", "crash"]}


def shown(run, name):
    """Names of Fortran as the compiler has them, or as its debug information has."""
    return {"__solving_MOD_solve": "solving::solve", "solve": "solving::solve",
            "MAIN__": "crash"}.get(name, name)


def main(run):
    for program, functions in PROGRAMS.items():
        words = [*run.launcher(2), *run.command(["{programs}/" + program + "{mpi}"])]
        plain = run.execute(words, program + ".plain")
        traced, archive = run.record(program, words, status=None)
        run.equal(traced.status, plain.status, f"{program}: status")
        rows = run.report(archive)["sections"]["crashes"]
        text = run.says("report", archive)
        run.equal({row["process"] for row in rows}, {"rank 1"}, f"{program}: the rank in {rows}")
        run.expect("Where it crashed" in text and "SIGSEGV" in text, text)
        own = [row for row in rows if (row["file"] or "").endswith((".c", ".f90"))]
        names = [row["function"] for row in own]
        if program == "crash_fortran":
            names = [shown(run, name) for name in names]
            run.equal(names[:2], functions, f"{program}: functions of {rows}")
        else:
            run.equal(names, functions, f"{program}: functions of {rows}")
        run.expect(own[0]["line"] > 0, f"{program}: a line in {own[0]}")
