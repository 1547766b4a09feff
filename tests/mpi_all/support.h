/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the generated programs write their calls and results with, and the functions that they pass
 * to MPI. The log is kept in memory and written to the file calls.ACT.RANK at the end.
 */
#ifndef MPI_ALL_SUPPORT_H
#define MPI_ALL_SUPPORT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern int rank, peer; /* of two */

/* The act to play: the argument after "--act", else "main". */
const char *log_act(int argc, char **argv);
bool is_act(const char *act, const char *name);
void log_begin(const char *act); /* for programs in Fortran */

/* A call has returned `error`; `key` tells where in the table it is. */
void log_call(const char *key, const char *name, int error);
void log_ints(const char *name, const int *values, int count);
void log_longs(const char *name, const void *values, int count); /* of 64 bits */
void log_doubles(const char *name, const double *values, int count);
void log_text(const char *name, const char *text, size_t room);
void log_status(const char *name, int source, int tag);
int log_write(void); /* returns 0: the exit status */

/* The path of the running program. */
void log_program(char *path, size_t room);

/* The first enumeration among the control variables; the calls it takes to find it are logged. */
MPI_T_enum log_first_enum(int variables);

/* A socket to the other rank, for MPI_Comm_join. */
int join_socket(int own_rank);

void sum_op(void *in, void *inout, int *count, MPI_Datatype *type);
void sum_op_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);
void comm_failed(MPI_Comm *comm, int *error, ...);
void win_failed(MPI_Win *win, int *error, ...);
void file_failed(MPI_File *file, int *error, ...);
#ifdef MPI_SESSION_NULL
void session_failed(MPI_Session *session, int *error, ...);
#endif
int grequest_query(void *state, MPI_Status *status);
int grequest_free(void *state);
int grequest_cancel(void *state, int is_complete);
int datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *state);

#endif
