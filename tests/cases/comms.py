# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of all kinds; 100 of them alive at the same time."""

of = "wrappers/mpi finish/define"
command = ["{programs}/comms{mpi}"]
ranks = 4

# COMM_WORLD; two halves; all but 0; the node; two twins; idup; create; create_group; the
# intercommunicator, its copy, its merger and its two parts; 50 copies of COMM_WORLD and 50 of each
# half.
COMMS = 1 + 2 + 1 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 2 + 150
# What each rank is in. Rank 0 is not in all but 0, the last rank not in the two of from_groups().
CREATED = {0: 112 - 1, 1: 112, 2: 112, 3: 112 - 2}


def check(trace, run):
    mpi_groups = {values["self"] for name, values in trace.archive.definitions
                  if name == "Group" and values["paradigm"] == 4 and values["groupType"] == 5}
    comms = [(name, values) for name, values in trace.archive.definitions
             if name == "InterComm" or name == "Comm" and values["group"] in mpi_groups]
    run.equal(len(comms), COMMS, "communicators")
    groups = {values["self"]: values["members"] for name, values in trace.archive.definitions
              if name == "Group"}
    between = [(groups[values["groupA"]], groups[values["groupB"]]) for name, values in comms
               if name == "InterComm"]
    halves = ([2, 0], [3, 1])
    run.equal(sorted(between), sorted([halves, halves, ([0], [1]), ([2], [3])]),
              "intercommunicators")
    names = {trace.archive.string(values["name"]) for _, values in comms}
    for name in ("odd", "even", "twin", "between"):
        run.expect(name in names, f"a communicator called {name}, found {sorted(map(str, names))}")
    members = {values["self"] for _, values in comms}
    for rank in range(ranks):
        created = [values[0] for name, _, values, _ in trace.events(rank << 32)
                   if name == "CommCreate" and values[0] in members]
        run.equal(len(created), CREATED[rank], f"CommCreate of rank {rank}")
