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
NO_INFO = "mpi_f08 of Open MPI 5.0 has no argument for the info"
NO_DEGREE = "mpi_f08 copies an uninitialised number of datatypes"
KNOWN = {
    "mpich": {
        "MPI_T_pvar_get_info": NO_VARIABLE, "MPI_T_pvar_handle_alloc": NO_VARIABLE,
        **{"MPI_T_event_" + name: NO_EVENT for name in (
            "callback_get_info", "callback_set_info", "copy", "get_source", "get_timestamp",
            "handle_free", "handle_get_info", "handle_set_info", "read", "register_callback",
            "set_dropped_handler")}},
    "openmpi f08": {"MPI_Psend_init": NO_INFO, "MPI_Precv_init": NO_INFO},
    "mpich f08": {
        "MPI_Info_create_env": "mpi_f08 passes uninitialised arguments",
        **{"MPI_" + name: NO_DEGREE for name in (
            "Neighbor_alltoallw", "Ineighbor_alltoallw", "Neighbor_alltoallw_init",
            "Neighbor_alltoallw_c", "Ineighbor_alltoallw_c", "Neighbor_alltoallw_init_c")}},
}
# What no scene calls, and the libraries of Debian 12 lack: mostly of MPI-4.1. tests/mpi_layout compares the
# rows of these functions with the standard's list.
NO_SCENE = {"MPI_" + name for name in """
    Abi_set_fortran_booleans Abi_set_fortran_info Buffer_flush Buffer_iflush Comm_attach_buffer
    Comm_attach_buffer_c Comm_detach_buffer Comm_detach_buffer_c Comm_flush_buffer Comm_idup_with_info
    Comm_iflush_buffer Get_hw_resource_info Register_datarep_c Remove_error_class Remove_error_code
    Remove_error_string Request_get_status_all Request_get_status_any Request_get_status_some
    Session_attach_buffer Session_attach_buffer_c Session_c2f Session_detach_buffer Session_detach_buffer_c
    Session_f2c Session_flush_buffer Session_iflush_buffer Status_c2f08 Status_f082c Status_f082f Status_f2f08
    Status_get_error Status_get_source Status_get_tag Status_set_elements_c Status_set_error Status_set_source
    Status_set_tag T_event_callback_get_info T_event_callback_set_info T_event_copy T_event_get_source
    T_event_get_timestamp T_event_handle_free T_event_handle_get_info T_event_handle_set_info T_event_read
    T_event_register_callback T_event_set_dropped_handler Type_get_value_index
    """.split()}


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
        forgotten = sorted(set(prototypes) - emitter.called - set(known) - NO_SCENE)
        if forgotten:
            print("not in the table of calls: " + " ".join(forgotten), file=sys.stderr)
            return 1
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
