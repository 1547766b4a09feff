/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locking callbacks based on POSIX mutexes. Header-only: include this header once per program,
 * together with no other definition of struct OTF2_LockObject, and link with the threads library.
 */
#ifndef OTF2_PTHREAD_LOCKS_H
#define OTF2_PTHREAD_LOCKS_H

#include <pthread.h>
#include <stdlib.h>

#include <otf2/otf2.h>

/* A lock of an archive. */
struct OTF2_LockObject {
    pthread_mutex_t mutex;
};

/* The data of an archive's callbacks. */
typedef struct OTF2_Pthread_UserData {
    const pthread_mutexattr_t *mutex_attribute;
} OTF2_Pthread_UserData;

static inline OTF2_CallbackCode otf2_pthread_answer(int err)
{
    return err ? OTF2_CALLBACK_ERROR : OTF2_CALLBACK_SUCCESS;
}

static inline void otf2_pthread_lock_release(void *userData)
{
    OTF2_Pthread_UserData *data = (OTF2_Pthread_UserData *)userData;
    union {
        const pthread_mutexattr_t *given;
        pthread_mutexattr_t *owned;
    } attribute;
    attribute.given = data->mutex_attribute;
    if (attribute.owned)
        pthread_mutexattr_destroy(attribute.owned);
    free(data);
}

static inline OTF2_CallbackCode otf2_pthread_lock_create(void *userData, OTF2_Lock *lock)
{
    OTF2_Pthread_UserData *data = (OTF2_Pthread_UserData *)userData;
    OTF2_Lock made = lock ? (OTF2_Lock)malloc(sizeof *made) : NULL;
    if (!made)
        return OTF2_CALLBACK_ERROR;
    if (pthread_mutex_init(&made->mutex, data->mutex_attribute)) {
        free(made);
        return OTF2_CALLBACK_ERROR;
    }
    *lock = made;
    return OTF2_CALLBACK_SUCCESS;
}

static inline OTF2_CallbackCode otf2_pthread_lock_destroy(void *userData, OTF2_Lock lock)
{
    (void)userData;
    if (!lock)
        return OTF2_CALLBACK_ERROR;
    int err = pthread_mutex_destroy(&lock->mutex);
    free(lock);
    return otf2_pthread_answer(err);
}

static inline OTF2_CallbackCode otf2_pthread_lock_lock(void *userData, OTF2_Lock lock)
{
    (void)userData;
    return lock ? otf2_pthread_answer(pthread_mutex_lock(&lock->mutex)) : OTF2_CALLBACK_ERROR;
}

static inline OTF2_CallbackCode otf2_pthread_lock_unlock(void *userData, OTF2_Lock lock)
{
    (void)userData;
    return lock ? otf2_pthread_answer(pthread_mutex_unlock(&lock->mutex)) : OTF2_CALLBACK_ERROR;
}

static const OTF2_LockingCallbacks otf2_pthread_locking_callbacks = {otf2_pthread_lock_release,
                                                                     otf2_pthread_lock_create,
                                                                     otf2_pthread_lock_destroy,
                                                                     otf2_pthread_lock_lock,
                                                                     otf2_pthread_lock_unlock};

/* The data of locks with the given attributes; NULL without memory. free() takes the data back. */
static inline OTF2_Pthread_UserData *otf2_pthread_data(const pthread_mutexattr_t *mutexAttribute)
{
    OTF2_Pthread_UserData *data = (OTF2_Pthread_UserData *)calloc(1, sizeof *data);
    if (data)
        data->mutex_attribute = mutexAttribute;
    return data;
}

/*
 * Lets threads use the archive at the same time.
 *   mutexAttribute  of all mutexes, or NULL. After success the archive destroys the attribute when
 *                   the archive ends.
 *
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL archive, OTF2_ERROR_MEM_ALLOC_FAILED, the errors
 * of OTF2_Archive_SetLockingCallbacks.
 */
static inline OTF2_ErrorCode
OTF2_Pthread_Archive_SetLockingCallbacks(OTF2_Archive *archive,
                                         const pthread_mutexattr_t *mutexAttribute)
{
    if (!archive)
        return OTF2_ERROR_INVALID_ARGUMENT;
    OTF2_Pthread_UserData *data = otf2_pthread_data(mutexAttribute);
    if (!data)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_ErrorCode err =
        OTF2_Archive_SetLockingCallbacks(archive, &otf2_pthread_locking_callbacks, data);
    if (err != OTF2_SUCCESS)
        free(data);
    return err;
}

/* The same for reading an archive; errors as in OTF2_Reader_SetLockingCallbacks. */
static inline OTF2_ErrorCode
OTF2_Pthread_Reader_SetLockingCallbacks(OTF2_Reader *reader,
                                        const pthread_mutexattr_t *mutexAttribute)
{
    if (!reader)
        return OTF2_ERROR_INVALID_ARGUMENT;
    OTF2_Pthread_UserData *data = otf2_pthread_data(mutexAttribute);
    if (!data)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_ErrorCode err =
        OTF2_Reader_SetLockingCallbacks(reader, &otf2_pthread_locking_callbacks, data);
    if (err != OTF2_SUCCESS)
        free(data);
    return err;
}

#endif
