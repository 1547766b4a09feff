/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OTF2_Pthread_Locks.h and, with USE_OPENMP, OTF2_OpenMP_Locks.h register, tried by four
 * threads; compiled and run by test_format_callbacks.c. Says nothing and returns 0 when all is
 * well.
 */
#include <pthread.h>
#include <stdio.h>

#ifdef USE_OPENMP
#include <otf2/OTF2_OpenMP_Locks.h>
#else
#include <otf2/OTF2_Pthread_Locks.h>
#endif

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

int main(void)
{
    int any;
    OTF2_Archive *archive = (OTF2_Archive *)&any; /* never looked into */
    CHECK(set(NULL) == OTF2_ERROR_INVALID_ARGUMENT);
    answer = OTF2_ERROR_INVALID_CALL;
    CHECK(set(archive) == OTF2_ERROR_INVALID_CALL);
    answer = OTF2_SUCCESS;
    CHECK(set(archive) == OTF2_SUCCESS);
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
    return faults != 0;
}
