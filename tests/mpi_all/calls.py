# SPDX-License-Identifier: BSD-3-Clause
"""The logs of the generated programs, and the regions that a trace should have for them."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_REGIONS = os.path.join(HERE, "..", "..", "wrappers", "mpi", "tables",
                           "mpi_not_regions.def")

# Routines of the Fortran bindings that never come to the C function: nobody who stands before the C
# interface sees them. They have to be absent, or they are taken off this list.
ATTRIBUTES = {f"MPI_{kind}_{verb}_attr" for kind in ("Comm", "Type", "Win")
              for verb in ("get", "set")} | {"MPI_Attr_get", "MPI_Attr_put"}
UNSEEN = {"mpich": ATTRIBUTES,
          "openmpi": ATTRIBUTES | {"MPI_Comm_create_keyval", "MPI_Type_create_keyval",
                                   "MPI_Win_create_keyval", "MPI_Keyval_create",
                                   "MPI_Comm_create_errhandler", "MPI_File_create_errhandler",
                                   "MPI_Win_create_errhandler", "MPI_Errhandler_create",
                                   "MPI_Type_match_size"}}


def not_regions():
    with open(NOT_REGIONS, encoding="utf-8") as file:
        return {"MPI_" + name for name in re.findall(r"^NOT_REGION\((\w+)", file.read(), re.M)}


def read_calls(folder):
    """The logged lines by "ACT.RANK"."""
    logs = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("calls."):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                logs[name[len("calls."):]] = file.read().splitlines()
    return logs


def seen_calls(log, label):
    """(key, name, error) of the calls of a program that have a region."""
    language, library = label.split(".")
    unseen = not_regions() | (UNSEEN[library] if language != "all" else set())
    calls = [tuple(line.split(" ")[:3]) for line in log]
    return [call for call in calls if call[1] not in unseen]


def wanted_regions(log, label):
    return [name for _, name, _ in seen_calls(log, label)]


def main_regions(trace):
    """The outermost regions that the first thread of each process entered."""
    found = {}
    for location in trace.archive.locations:
        if location & 0xffffffff:
            continue
        regions, depth = [], 0
        for name, _, values, _ in trace.archive.events(location):
            if name == "Enter":
                if depth == 0:
                    regions.append(trace.archive.name_of("Region", values[0]))
                depth += 1
            elif name == "Leave":
                depth -= 1
        found[location >> 32] = regions
    return found
