# SPDX-License-Identifier: BSD-3-Clause
"""
Another PMPI tool, preloaded before and behind the agent, in C and in Fortran: it counts what it
counts alone, and the agent records what it records alone.
"""

import os

of = "wrappers/mpi"
ranks = 2
mpi = ["mpich", "openmpi"]
# What the Fortran runtime does with threads is not part of the program.
env = {"SPUR_WRAP": "mpi"}

LANGUAGES = ("eight", "eight_mpif", "eight_use_f08")


def preloaded(run, program, label, libraries):
    """(sorted output, archive or None) of the program with these libraries preloaded in order."""
    archive = os.path.join(run.scratch, label + ".archive")
    words = run.launcher() + ["env", "LD_PRELOAD=" + ":".join(libraries)]
    result = run.execute(words + program, label, {"SPUR_DIR": archive})
    run.equal(result.status, 0, f"exit status of {label}")
    if run.library not in libraries:
        return sorted(result.stdout.splitlines()), None
    return sorted(result.stdout.splitlines()), list(run.judge(archive).sequence())


def main(run):
    tool = f"{run.programs}/pmpi_tool.{run.mpi}.so"
    for language in LANGUAGES:
        program = run.command(["{programs}/" + language + "{mpi}"])
        alone, _ = preloaded(run, program, language + ".tool", [tool])
        _, records = preloaded(run, program, language + ".agent", [run.library])
        run.expect(any(line.startswith("tool: MPI_Send:") for line in alone), "output of the tool")
        if language == "eight":
            run.expect("tool: MPI_Send: 0 calls, 0 bytes" not in alone, "calls that it counts")
        for label, order in (("before", [tool, run.library]), ("behind", [run.library, tool])):
            counted, recorded = preloaded(run, program, f"{language}.{label}", order)
            run.equal(counted, alone, f"counts of the tool {label} the agent ({language})")
            run.expect(recorded == records, f"the same records with the tool {label} the agent"
                                            f" ({language})")
