# SPDX-License-Identifier: BSD-3-Clause
"""
Processes that are started by MPI_Comm_spawn: in the same archive, with their intercommunicators
where both sides are traced, and without them, but otherwise as they were, where one side is not.
"""

import os

of = "wrappers/mpi"
ranks = 2
mpi = ["openmpi"]  # MPICH 4.0 of Debian, with UCX, cannot: "currently not supported with ucx netmod"

# Scripts in the place of the children.
UNTRACED = "exec env -u LD_PRELOAD -u SPUR_DIR {program} \"$@\"\n"
MIXED = "[ $OMPI_COMM_WORLD_RANK = 0 ] || unset LD_PRELOAD\nexec {program} \"$@\"\n"


def script(run, name, text):
    path = os.path.join(run.scratch, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text.format(program=f"{run.programs}/spawn.{run.mpi}"))
    os.chmod(path, 0o755)
    return path


def processes(trace):
    """Creators by process; the id of each location group is its process's number."""
    found = [values for name, values in trace.archive.definitions if name == "LocationGroup"]
    groups = {trace.archive.spaces["Location"][at][1]["locationGroup"]: at >> 32
              for at in trace.archive.locations if at & 0xffffffff == 0}
    return {groups[values["self"]]: groups.get(values["creatingLocationGroup"])
            for values in found}


def intercomms(trace):
    """[(members of group A, members of group B, name)] in the order of definition."""
    groups = {values["self"]: values["members"] for name, values in trace.archive.definitions
              if name == "Group"}
    return [(groups[values["groupA"]], groups[values["groupB"]],
             trace.archive.string(values["name"]))
            for name, values in trace.archive.definitions if name == "InterComm"]


def messages(trace, process):
    return sum(name in ("MpiSend", "MpiRecv", "MpiIrecv")
               for name, _, _, _ in trace.events(process << 32))


def run_one(run, label, how, child=None, form="outer", unfinished=False):
    """The traced run did what the untraced one did; its archive."""
    program = f"{run.programs}/spawn.{run.mpi}"
    command = [program, child or program, "2", how]
    print(f"{label}:")
    plain = run.execute(run.launcher() + command, "plain")
    before, inside = ([], run.launcher()) if form == "outer" else (run.launcher(), [])
    traced, archive = run.record(label, inside + command, plain=plain, before=before)
    run.expect(plain.status == 0, "success")
    run.expect(not any("fibres" in line for line in traced.spur), "no fibres: there are none")
    if not unfinished:
        return run.judge(archive)
    from check_trace import Trace
    trace = Trace(os.path.join(archive, "traces.otf2"), True)
    run.equal([fault for fault in trace.faults if "has no event" not in fault], [], "faults")
    return trace


def with_all(run):
    trace = run_one(run, "talk", "talk")
    run.equal(processes(trace), {0: None, 1: None, 2: 0, 3: 0}, "processes and their creators")
    run.equal(missing(trace), None, "spawned processes that left nothing")
    run.equal(sorted(trace.archive.string(values["name"]) for name, values in
                     trace.archive.definitions if name == "LocationGroup"),
              ["MPI Rank 0", "MPI Rank 0 of job 2", "MPI Rank 1", "MPI Rank 1 of job 2"], "names")
    run.equal(intercomms(trace), [([0, 1], [2, 3], "children"), ([0, 1], [2, 3], "copy")],
              "intercommunicators")
    names = [trace.archive.string(values["name"]) for name, values in trace.archive.definitions
             if name == "Comm"]
    for name in ("merged", "odd", "even"):
        run.equal(names.count(name), 1, f"communicators called {name}")
    for process in range(4):
        run.equal(messages(trace, process), 8, f"messages of process {process}")


def with_several(run):
    trace = run_one(run, "many", "many")
    creators = processes(trace)
    run.equal(missing(trace), None, "spawned processes that left nothing")
    run.equal(sorted(creators.values(), key=str), [0, 0, 0, 1, 1, 1, None, None], "creators")
    both = [(a, b) for a, b, name in intercomms(trace) if name != "copy"]
    run.equal(sorted(len(a) for a, b in both), [1, 1, 2, 2], "groups of parents")
    run.equal(sorted(member for _, b in both for member in b), [2, 3, 4, 5, 6, 7], "children")


def missing(trace):
    return trace.archive.anchor.properties.get("SPUR::MISSING_SPAWNED")


def without(run, label, child, known, missed, unfinished=False):
    """Of so many processes; nothing is known of the other side."""
    trace = run_one(run, label, "talk", child, unfinished=unfinished)
    run.equal(len(processes(trace)), known, "processes")
    run.equal(missing(trace), missed, f"{label}: spawned processes that left nothing")
    run.equal(intercomms(trace), [], "intercommunicators")
    for process in range(known):
        run.equal(messages(trace, process), 0, f"messages of process {process}")


def main(run):
    with_all(run)
    with_several(run)
    without(run, "untraced", script(run, "untraced.sh", UNTRACED), 2, "2")
    without(run, "mixed", script(run, "mixed.sh", MIXED), 4, None, unfinished=True)
    trace = run_one(run, "inner", "quiet", form="inner")
    run.equal(missing(trace), "2", "inner: spawned processes that left nothing")
    run.equal(len(processes(trace)), 2, "processes: spur does not stand before the children")
    run.equal(intercomms(trace), [], "intercommunicators")
