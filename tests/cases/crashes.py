# SPDX-License-Identifier: BSD-3-Clause
"""
Where programs crash: the report names signal, thread and call stack, whatever handlers the program
has; status, output and actions of signals are those of the untraced run.
"""


import matrix

of = "agent/process tools/report/topics"
WAYS = ("launcher", "recovered")
STACK = ["solve", "step", "main"]
# The functions that are named, the innermost first; None: nobody can know.
MODES = {
    "main": ("SIGSEGV", STACK),
    "thread": ("SIGSEGV", ["solve", "step", "work"]),
    "fpe": ("SIGFPE", STACK),
    "bus": ("SIGBUS", ["beyond_the_end"] + STACK),
    "ill": ("SIGILL", STACK),
    "abort": ("SIGABRT", STACK),
    "assert": ("SIGABRT", STACK),
    "heap": ("SIGABRT", ["twice"] + STACK),
    "sent": ("SIGSEGV", STACK),
    "raises": ("SIGSEGV", STACK),
    "resets": ("SIGSEGV", STACK),
    "returns": ("SIGSEGV", STACK),
    "aborts": ("SIGABRT", ["handle"] + STACK),
    "small": ("SIGABRT", ["handle"] + STACK),
    "small_kill": ("SIGFPE", ["handle"] + STACK),
    "small_raise": ("SIGFPE", ["handle"] + STACK),
    "other_overflow": ("SIGSEGV", ["recurse"] * 4),
    "overflow": ("SIGSEGV", None),
    "blocked": ("SIGSEGV", None),
    "leaves": (None, None),
    "sealed": (None, None),
}
CAUSES = {"main": "nothing is mapped at 0x0", "fpe": "integer division by zero",
          "bus": "beyond the end of a mapped file, at ", "sent": "sent by a process"}


def crashes(run, archive):
    return run.report(archive)["sections"].get("crashes", [])


def check_stack(run, what, rows, functions):
    """Frames of the C library may stand between them and before."""
    place = "thread_crashes.c"
    own = [row for row in rows if (row["file"] or "").endswith(place)]
    names = [row["function"] for row in own]
    run.equal(names[:len(functions)], functions, f"{what}functions, of {rows}")
    run.expect(all(row["line"] > 0 for row in own), f"{what}lines: {own}")
    if functions[-1] in ("main", "work"):
        run.equal(names[len(functions):], [], f"{what}functions below main")
    run.equal([row["frame"] for row in rows], list(range(len(rows))), f"{what}numbers")


def main(run):
    for mode, (signal, functions) in MODES.items():
        for cell in matrix.cells(run, mode, ["{programs}/thread_crashes", mode], ways=WAYS):
            rows = crashes(run, cell.archives[0])
            if functions is None:
                run.equal(rows, [], f"{cell.what}crashes")
                continue
            run.expect(rows, f"{cell.what}a stack")
            check_stack(run, cell.what, rows, functions)
            run.expect(all(signal in row["end"] or row["end"] == "abort" for row in rows),
                       f"{cell.what}{signal} in {rows[0]}")
            cause = rows[0]["cause"] or ""
            run.expect(cause.startswith(CAUSES.get(mode, "")), f"{cell.what}cause {cause}")
            line = f"in {functions[0]} (thread_crashes.c:"
            run.expect(any(line in said for said in cell.traced.spur), f"{line} in {cell.traced.spur}")
    for mode in ("shows", "late", "child", "vfork"):
        for cell in matrix.cells(run, mode, ["{programs}/thread_crashes", mode], ways=WAYS,
                                 settings={"SPUR_WRAP": "pthread,process"}):
            rows = crashes(run, cell.archives[0])
            run.equal(len({row["process"] for row in rows}), int(mode == "child"), f"{cell.what}crashes")
    for cell in matrix.cells(run, "off", ["{programs}/thread_crashes", "main"], ways=WAYS,
                             settings={"SPUR_CRASH": "off"}):
        run.equal(crashes(run, cell.archives[0]), [], f"{cell.what}crashes")
