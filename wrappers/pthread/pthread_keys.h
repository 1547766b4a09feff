/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a thread is seen by the destructor of a thread-specific key of spur's own. The
 * destructor runs in the last round, so the program's destructors come before. A process has 1024
 * keys for the program: when the program asks for the last key, the program gets spur's key. From
 * then on a thread ends when the routine of the thread is left. (Destructors of thread_local
 * objects are no way out: their registration takes memory of the program, and thread_local
 * destructors run before the destructors of the program's keys.)
 */
#ifndef WRAPPERS_PTHREAD_KEYS_H
#define WRAPPERS_PTHREAD_KEYS_H

/*
 * `call` is for the end of each watched thread. Early: the key is then older than the program's
 * keys, and needs no memory of its own in the threads.
 */
void pthread_keys_start(void (*call)(void *));

/* call(arg) is to be made when the calling thread ends, unless the thread is watched already. */
void pthread_keys_watch(void *arg);

/*
 * Run the thread's routine. `arg` as above, or NULL: the end of the thread is of no interest. The
 * routine may be left by pthread_exit() or by a cancellation, with any unwinder, or without an
 * unwinder.
 */
void pthread_keys_run(void (*routine)(void *), void *data, void *arg);

#endif
