/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OTF2_Pthread_Locks.h and, with USE_OPENMP, OTF2_OpenMP_Locks.h register, tried by four
 * threads; compiled and run by test_format_callbacks.c. Says nothing and returns 0 when all is
 * well.
 */
#include <pthread.h>
#include <stdio.h>

#include "tests/unit/header_only.h"

#ifdef USE_OPENMP
#include <otf2/OTF2_OpenMP_Locks.h>
#define OPENMP_FUNCTION SAME
#define PTHREAD_FUNCTION OTHER
#else
#include <otf2/OTF2_Pthread_Locks.h>
#define OPENMP_FUNCTION OTHER
#define PTHREAD_FUNCTION SAME
#endif

#define MPI_FUNCTION OTHER
#include "tests/golden/otf2_api_header_only.inc"

static OTF2_LockingCallbacks calls;
static void *user;
static OTF2_ErrorCode answer = OTF2_SUCCESS;

/* Stands for the library: keeps what it is given. */
OTF2_ErrorCode OTF2_Archive_SetLockingCallbacks(OTF2_Archive *archive,
                                                const OTF2_LockingCallbacks *callbacks, void *data)
{
    (void)archive;
    if (answer != OTF2_SUCCESS)
        return answer;
    calls = *callbacks;
    user = data;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_SetLockingCallbacks(OTF2_Reader *reader,
                                               const OTF2_LockingCallbacks *callbacks, void *data)
{
    (void)reader;
    return OTF2_Archive_SetLockingCallbacks(NULL, callbacks, data);
}

static int faults;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            faults++;                                                                              \
        }                                                                                          \
    } while (0)
#define WORKS(call) CHECK((call) == OTF2_CALLBACK_SUCCESS)

static OTF2_ErrorCode set(OTF2_Archive *archive)
{
#ifdef USE_OPENMP
    return OTF2_OpenMP_Archive_SetLockingCallbacks(archive);
#else
    return OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL);
#endif
}

static OTF2_ErrorCode set_reader(OTF2_Reader *reader)
{
#ifdef USE_OPENMP
    return OTF2_OpenMP_Reader_SetLockingCallbacks(reader);
#else
    return OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL);
#endif
}

enum { THREADS = 4, TURNS = 20000 };

static OTF2_Lock lock;
static long turns;

static void *count(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        WORKS(calls.otf2_lock(user, lock));
        turns++;
        WORKS(calls.otf2_unlock(user, lock));
    }
    return unused;
}

static void try_callbacks(void)
{
    turns = 0;
    WORKS(calls.otf2_create(user, &lock));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(turns == (long)THREADS * TURNS);
    CHECK(calls.otf2_create(user, NULL) == OTF2_CALLBACK_ERROR);
    CHECK(calls.otf2_lock(user, NULL) == OTF2_CALLBACK_ERROR);
    CHECK(calls.otf2_unlock(user, NULL) == OTF2_CALLBACK_ERROR);
    CHECK(calls.otf2_destroy(user, NULL) == OTF2_CALLBACK_ERROR);
    WORKS(calls.otf2_destroy(user, lock));
    if (calls.otf2_release)
        calls.otf2_release(user);
}

int main(void)
{
    int any;
    OTF2_Archive *archive = (OTF2_Archive *)&any; /* never looked into */
    OTF2_Reader *reader = (OTF2_Reader *)&any;
    CHECK(set(NULL) == OTF2_ERROR_INVALID_ARGUMENT);
    CHECK(set_reader(NULL) == OTF2_ERROR_INVALID_ARGUMENT);
    answer = OTF2_ERROR_INVALID_CALL;
    CHECK(set(archive) == OTF2_ERROR_INVALID_CALL);
    CHECK(set_reader(reader) == OTF2_ERROR_INVALID_CALL);
    answer = OTF2_SUCCESS;
    CHECK(set(archive) == OTF2_SUCCESS);
    try_callbacks();
    CHECK(set_reader(reader) == OTF2_SUCCESS);
    try_callbacks();
    return faults != 0;
}
