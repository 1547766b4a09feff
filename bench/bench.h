/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of the benches: two OTF2 libraries side by side in one process, reached by
 * pointers, and clocks. Times are CPU times of the process; a table shows medians and ratios of
 * alternating rounds, without the first round.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

/* The functions that the benches call: X(name). */
#define BENCH_FUNCTIONS(X)                                                                         \
    X(OTF2_Archive_Open)                                                                           \
    X(OTF2_Archive_Close)                                                                          \
    X(OTF2_Archive_SetFlushCallbacks)                                                              \
    X(OTF2_Archive_SetSerialCollectiveCallbacks)                                                   \
    X(OTF2_Archive_SetLockingCallbacks)                                                            \
    X(OTF2_Archive_OpenEvtFiles)                                                                   \
    X(OTF2_Archive_CloseEvtFiles)                                                                  \
    X(OTF2_Archive_OpenDefFiles)                                                                   \
    X(OTF2_Archive_CloseDefFiles)                                                                  \
    X(OTF2_Archive_GetEvtWriter)                                                                   \
    X(OTF2_Archive_GetDefWriter)                                                                   \
    X(OTF2_Archive_CloseEvtWriter)                                                                 \
    X(OTF2_Archive_CloseDefWriter)                                                                 \
    X(OTF2_AttributeList_New)                                                                      \
    X(OTF2_AttributeList_Delete)                                                                   \
    X(OTF2_AttributeList_AddUint32)                                                                \
    X(OTF2_AttributeList_AddUint64)                                                                \
    X(OTF2_Error_RegisterCallback)                                                                 \
    X(OTF2_EvtWriter_Enter)                                                                        \
    X(OTF2_EvtWriter_Leave)                                                                        \
    X(OTF2_EvtWriter_MpiSend)                                                                      \
    X(OTF2_EvtWriter_MpiRecv)                                                                      \
    X(OTF2_EvtWriter_Metric)                                                                       \
    X(OTF2_DefWriter_WriteMappingTable)                                                            \
    X(OTF2_Archive_GetGlobalDefWriter)                                                             \
    X(OTF2_Archive_CloseGlobalDefWriter)                                                           \
    X(OTF2_GlobalDefWriter_WriteString)                                                            \
    X(OTF2_GlobalDefWriter_WriteRegion)                                                            \
    X(OTF2_GlobalDefWriter_WriteSourceCodeLocation)                                                \
    X(OTF2_GlobalDefWriter_WriteCallingContext)                                                    \
    X(OTF2_GlobalDefWriter_WriteLocation)                                                          \
    X(OTF2_GlobalDefWriter_WriteLocationProperty)                                                  \
    X(OTF2_GlobalDefWriter_WriteGroup)                                                             \
    X(OTF2_GlobalDefWriter_WriteComm)                                                              \
    X(OTF2_GlobalDefWriter_WriteCartCoordinate)                                                    \
    X(OTF2_IdMap_CreateFromUint64Array)                                                            \
    X(OTF2_IdMap_Free)                                                                             \
    X(OTF2_Reader_Open)                                                                            \
    X(OTF2_Reader_Close)                                                                           \
    X(OTF2_Reader_SetSerialCollectiveCallbacks)                                                    \
    X(OTF2_Reader_SelectLocation)                                                                  \
    X(OTF2_Reader_GetGlobalDefReader)                                                              \
    X(OTF2_Reader_RegisterGlobalDefCallbacks)                                                      \
    X(OTF2_Reader_ReadAllGlobalDefinitions)                                                        \
    X(OTF2_GlobalDefReaderCallbacks_New)                                                           \
    X(OTF2_GlobalDefReaderCallbacks_Delete)                                                        \
    X(OTF2_GlobalDefReaderCallbacks_SetStringCallback)                                             \
    X(OTF2_GlobalDefReaderCallbacks_SetRegionCallback)                                             \
    X(OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback)                                 \
    X(OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback)                                     \
    X(OTF2_GlobalDefReaderCallbacks_SetLocationCallback)                                           \
    X(OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback)                                   \
    X(OTF2_GlobalDefReaderCallbacks_SetGroupCallback)                                              \
    X(OTF2_GlobalDefReaderCallbacks_SetCommCallback)                                               \
    X(OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback)                                     \
    X(OTF2_Reader_OpenEvtFiles)                                                                    \
    X(OTF2_Reader_OpenDefFiles)                                                                    \
    X(OTF2_Reader_GetDefReader)                                                                    \
    X(OTF2_Reader_ReadAllLocalDefinitions)                                                         \
    X(OTF2_Reader_CloseDefReader)                                                                  \
    X(OTF2_Reader_GetEvtReader)                                                                    \
    X(OTF2_Reader_GetGlobalEvtReader)                                                              \
    X(OTF2_Reader_RegisterEvtCallbacks)                                                            \
    X(OTF2_Reader_RegisterGlobalEvtCallbacks)                                                      \
    X(OTF2_Reader_ReadAllLocalEvents)                                                              \
    X(OTF2_Reader_ReadAllGlobalEvents)                                                             \
    X(OTF2_EvtReaderCallbacks_New)                                                                 \
    X(OTF2_EvtReaderCallbacks_Delete)                                                              \
    X(OTF2_EvtReaderCallbacks_SetEnterCallback)                                                    \
    X(OTF2_EvtReaderCallbacks_SetLeaveCallback)                                                    \
    X(OTF2_EvtReaderCallbacks_SetMpiSendCallback)                                                  \
    X(OTF2_EvtReaderCallbacks_SetMpiRecvCallback)                                                  \
    X(OTF2_GlobalEvtReaderCallbacks_New)                                                           \
    X(OTF2_GlobalEvtReaderCallbacks_Delete)                                                        \
    X(OTF2_GlobalEvtReaderCallbacks_SetEnterCallback)                                              \
    X(OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback)                                              \
    X(OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback)                                            \
    X(OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback)

struct bench_library {
    const char *name;
#define X(function) __typeof__(function) *function;
    BENCH_FUNCTIONS(X)
#undef X
};

/* Exits with a message when the library or a function is missing. */
void bench_load(struct bench_library *library, const char *name, const char *path);

/*
 * The libraries of a command line OUR_LIBRARY [REFERENCE_LIBRARY ...]; `more` names further
 * arguments for the usage. Exits with the usage when ours is missing.
 */
void bench_load_both(char *const argv[], const char *more, struct bench_library *ours,
                     struct bench_library *theirs);

/* Flushes whenever a buffer is full. */
extern const OTF2_FlushCallbacks bench_flush;

/* Exits with a message. */
_Noreturn void bench_fail(OTF2_ErrorCode code);

static inline void bench_check(OTF2_ErrorCode code)
{
    if (code)
        bench_fail(code);
}

/* A new archive DIR/name, ready for event writers; NULL when the archive cannot be made. */
OTF2_Archive *bench_open(const struct bench_library *l, const char *dir, const char *name);

/* CPU time of this process so far. */
double bench_now_ns(void);

/* The cost of work in a process of its own. */
struct bench_cost {
    double us[2]; /* measured times */
    long resident_kib;
    int failed;
};

/*
 * The cost of `run` with `n` in a child. The child complains of nothing: the reference library may
 * not survive the work.
 */
struct bench_cost bench_apart(const struct bench_library *l, const char *dir, uint64_t n,
                              int (*run)(const struct bench_library *l, const char *dir, uint64_t n,
                                         double us[2]));

/*
 * Runs a program to its end, and throws the output away: us[0] is the CPU time of the program.
 * Exits with a message when the program fails.
 */
struct bench_cost bench_program(const char *const arguments[]);

/* Sorts the n values. */
double bench_median(double *values, unsigned n);

/* A new directory for the files of the benches, in TMPDIR; removed at exit with all in it. */
const char *bench_directory(void);

/* Removes DIR/name with all in it. */
void bench_remove(const char *dir, const char *name);

#endif
