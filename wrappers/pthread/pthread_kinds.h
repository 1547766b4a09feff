/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a cell of pthread_calls.def may be: the C type of the parameter. A wrong one does not
 * compile, since the system's headers declare the function as well.
 */
#ifndef WRAPPERS_PTHREAD_KINDS_H
#define WRAPPERS_PTHREAD_KINDS_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#define PTHREAD_C_INT int
#define PTHREAD_C_UNSIGNED unsigned
#define PTHREAD_C_NAME const char *
#define PTHREAD_C_INT_OUT int *
#define PTHREAD_C_THREAD pthread_t
#define PTHREAD_C_VALUE void **
#define PTHREAD_C_CLOCK clockid_t
#define PTHREAD_C_TIME const struct timespec *
#define PTHREAD_C_MUTEX pthread_mutex_t *
#define PTHREAD_C_MUTEX_ATTR const pthread_mutexattr_t *
#define PTHREAD_C_MTX mtx_t *
#define PTHREAD_C_SPIN pthread_spinlock_t *
#define PTHREAD_C_RWLOCK pthread_rwlock_t *
#define PTHREAD_C_RWLOCK_ATTR const pthread_rwlockattr_t *
#define PTHREAD_C_COND pthread_cond_t *
#define PTHREAD_C_COND_ATTR const pthread_condattr_t *
#define PTHREAD_C_CND cnd_t *
#define PTHREAD_C_BARRIER pthread_barrier_t *
#define PTHREAD_C_BARRIER_ATTR const pthread_barrierattr_t *
#define PTHREAD_C_SEM sem_t *

#endif
