# SPDX-License-Identifier: BSD-3-Clause
"""
Two jobs of one session that meet by MPI_Comm_accept and MPI_Comm_connect, or by MPI_Comm_join, and
one that is alone.
"""

import os
import subprocess
import time

of = "wrappers/mpi"
ranks = 1
env = {"SPUR_WRAP": "mpi,pthread,openmp"}  # not the shell around the two jobs
mpi = ["openmpi"]  # MPICH 4.0 of Debian, with UCX, cannot: "currently not supported with ucx netmod"

# Open MPI's two launchers find each other through a server.
SCRIPT = """#!/bin/sh
mpirun.openmpi --ompi-server file:{uri} -n 1 {program} server 2 &
mpirun.openmpi --ompi-server file:{uri} -n 1 {before} {program} client 2 || exit
wait $!
"""


def start_server(run, uri):
    server = subprocess.Popen(["ompi-server", "--no-daemonize", "-r", uri],
                              env=run.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if os.path.exists(uri) and os.path.getsize(uri) > 0:
            break
        run.expect(server.poll() is None, "a running ompi-server")
        time.sleep(0.1)
    return server


def meet(run, label, uri, name, before):
    path = os.path.join(run.scratch, f"{label}.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(uri=uri, before=before,
                                 program=f"{run.programs}/{name}.{run.mpi}"))
    print(f"{label}:")
    return known(run.judge(run.record(label, ["sh", path])[1]))


def known(trace):
    """The trace, and its intercommunicators as members of both groups."""
    sides = {values["self"]: values["members"] for name, values in trace.archive.definitions
             if name == "Group"}
    return trace, [(sides[values["groupA"]], sides[values["groupB"]])
                   for name, values in trace.archive.definitions if name == "InterComm"]


def in_one_job(run):
    print("join, one job:")
    words = [*run.launcher(2), f"{run.programs}/join.{run.mpi}", "both", "2"]
    _, met = known(run.judge(run.record("one", words)[1]))
    run.equal(met, 2 * [([0], [1])], "intercommunicators")


def with_both(run, uri, name):
    trace, met = meet(run, f"{name}, both", uri, name, "")
    run.equal(len(trace.archive.locations), 2, "processes")
    run.equal(met, 2 * [([0], [1])], "intercommunicators")
    for process in range(2):
        names = [name for name, _, _, _ in trace.events(process << 32)]
        run.equal(names.count("MpiSend"), 2, f"messages sent by process {process}")


def with_one(run, uri, name):
    trace, met = meet(run, f"{name}, alone", uri, name, "env -u LD_PRELOAD")
    run.equal(len(trace.archive.locations), 1, "processes")
    run.equal(met, [], "intercommunicators of one that is alone")


def main(run):
    in_one_job(run)
    uri = os.path.join(run.scratch, "uri")
    server = start_server(run, uri)
    try:
        for name in ("connect", "join"):
            with_both(run, uri, name)
            with_one(run, uri, name)
    finally:
        server.terminate()
        server.wait()
