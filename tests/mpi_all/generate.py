#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Make a program of the table of calls: generate.py LANGUAGE LIBRARY MPICC MPIF90 OUTPUT, LANGUAGE being
c, mpif, mod (use mpi) or f08. Fails when the library has a function that the table forgets.
"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from emit_c import CEmitter  # noqa: E402
from emit_fortran import FortranEmitter  # noqa: E402
from prototypes import FortranRoutines, c_prototypes  # noqa: E402
from table import read_table  # noqa: E402

# What cannot be called, by library and by library and binding: these crash without the agent.
# Debian's MPICH has neither performance variables nor events, and looks up what it is asked for
# without looking whether it is there. Its mpi_f08 takes an uninitialised number of neighbours.
NO_VARIABLE = "crashes when there are no performance variables"
NO_EVENT = "crashes without an event, and there are none"
NO_DEGREE = "mpi_f08 copies an uninitialised number of datatypes"
KNOWN = {
    "mpich": {
        "MPI_T_pvar_get_info": NO_VARIABLE, "MPI_T_pvar_handle_alloc": NO_VARIABLE,
        **{"MPI_T_event_" + name: NO_EVENT for name in (
            "callback_get_info", "callback_set_info", "copy", "get_source", "get_timestamp",
            "handle_free", "handle_get_info", "handle_set_info", "read", "register_callback",
            "set_dropped_handler")}},
    "mpich f08": {
        "MPI_Info_create_env": "mpi_f08 passes uninitialised arguments",
        **{"MPI_" + name: NO_DEGREE for name in (
            "Neighbor_alltoallw", "Ineighbor_alltoallw", "Neighbor_alltoallw_init",
            "Neighbor_alltoallw_c", "Ineighbor_alltoallw_c", "Neighbor_alltoallw_init_c")}},
}


def main():
    language, library, mpicc, mpif90, output = sys.argv[1:]
    scenes = read_table(os.path.join(HERE, "scenes"))
    prototypes = c_prototypes(mpicc)
    known = {**KNOWN.get(library, {}), **KNOWN.get(f"{library} {language}", {})}
    if language == "c":
        emitter = CEmitter(prototypes, {"c", library},
                           lambda name: name in prototypes and name not in known)
    else:
        routines = FortranRoutines(mpif90)
        emitter = FortranEmitter(prototypes, language, library,
                                 lambda name: name in prototypes and name not in known and
                                 routines.has(language, name))
    text = emitter.program(scenes)
    if language == "c":
        forgotten = sorted(set(prototypes) - emitter.called - set(known))
        if forgotten:
            print("not in the table of calls: " + " ".join(forgotten), file=sys.stderr)
            return 1
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
