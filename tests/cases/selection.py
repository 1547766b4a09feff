# SPDX-License-Identifier: BSD-3-Clause
"""
--record and SPUR_RECORD record what the variables of the families do, for each word of the list; the result
is a property of each process.
"""

import collections

of = "settings tools/launch wrappers/kit agent/record"
mpi = ["mpich"]

LISTS = {  # the list: the variables that it stands for, as the property RECORD has them
    "default": {},
    "default,-openmp": {"SPUR_WRAP": "compiler,cuda,hdf5,hip,io,levelzero,memory,mpi,netcdf,nvtx,opencl,"
                                     "pnetcdf,pthread,python,user"},
    "default,-mpi:coll:p2p": {"SPUR_MPI": "default,-coll,-p2p"},
    "mpi:coll,openmp": {"SPUR_WRAP": "mpi,openmp", "SPUR_MPI": "coll"},
    "-mpi:p2p,mpi:misc": {"SPUR_WRAP": "mpi", "SPUR_MPI": "default,-p2p,misc"},
    "default,pthread=all,io:posix:net": {"SPUR_PTHREAD": "all", "SPUR_IO": "posix,net"},
    "io,hdf5,memory=64K,python,mpi": {"SPUR_WRAP": "hdf5,io,memory,mpi,python", "SPUR_IO": "posix,hdf5",
                                      "SPUR_MEMORY": "65536", "SPUR_PYTHON": "on"},
}
REFUSED = {
    "fortran": 'names no family of calls by "fortran"',
    "default,mpi:foo": 'names no group of calls by "foo"',
    "-mpi": "names no family of calls to record",
    "default,-io:net": 'can take no group from "io"',
    "openmp:loops": 'has nothing to choose among the calls of "openmp"',
    "memory=much": "is not on, off or a comma list of SIZE",
    "default:mpi": 'has a word "default" with a sign or a group',
    "mpi," * 100: "is too long",
}


def same_set(text):
    """The property, the families of SPUR_WRAP in any order."""
    words = dict(word.split("=", 1) for word in text.split())
    if "SPUR_WRAP" in words:
        words["SPUR_WRAP"] = frozenset(words["SPUR_WRAP"].split(","))
    return words


def steady(trace):
    """Regions and their calls, but for those that poll or depend on who comes first."""
    return collections.Counter({region: calls for region, calls in trace.regions().items()
                                if region.startswith(("MPI_", "!$omp"))})


def main(run):
    words = run.launcher() + run.command(["{programs}/omp_ranks.gcc{mpi}"])
    for number, (text, variables) in enumerate(LISTS.items()):
        _, archive = run.record(f"{number}.option", ["--record", text, *words])
        _, other = run.record(f"{number}.variables", words, variables)
        trace, wanted = run.judge(archive), run.judge(other)
        run.equal(steady(trace), steady(wanted), f"regions by --record {text}, and by variables")
        for said in (trace, wanted):
            for one in said.archive.said("RECORD") or [""]:
                run.equal(same_set(one), same_set(" ".join(map("=".join, variables.items()))),
                          f"property by {text}")
        run.equal("MPI_Allreduce" in trace.regions(), "-mpi:coll" not in text, f"{text}: MPI_Allreduce")
    # Without the launcher, and with a variable that goes before the list.
    _, archive = run.record("variable", words, {"SPUR_RECORD": "mpi:coll:p2p", "SPUR_MPI": "coll"})
    run.equal(set(run.judge(archive).regions()), {"MPI_Allreduce", "MPI_Barrier"}, "SPUR_MPI first")
    # The option goes before all that was set: nothing of the families that its list does not name is left.
    options = ["--record", "mpi:p2p", "--io", "net", "--record", "mpi:coll,openmp"]
    _, archive = run.record("last", [*options, *words],
                            {"SPUR_RECORD": "mpi:p2p,memory=1M", "SPUR_PYTHON": "on", "SPUR_PTHREAD": "all"})
    for said in run.judge(archive).archive.said("RECORD"):
        run.equal(same_set(said), same_set("SPUR_WRAP=mpi,openmp SPUR_MPI=coll"), "the last option")
    for text, why in REFUSED.items():
        refuse(run, ["--record", text], why, words)
    refuse(run, ["--io", "posix,-net"], 'names no group of calls by "-net"', words)


def refuse(run, option, why, words):
    said = run.execute([run.spur, *option, *words], "refused")
    run.equal((said.status, said.stdout), (2, ""), f"{option}")
    run.expect(f"{' '.join(option)} {why}" in said.spur[0], f"{option}: {why}, not {said.spur}")
