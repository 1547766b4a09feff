/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the end of a thread is seen: by the destructor of a thread-specific key of our own, in the
 * last round, so that what the program's destructors do comes before. A process has 1024 keys, and
 * they are the program's: when it asks for the last one it gets ours. From then on a thread ends
 * when its routine is left. (The destructors of thread_local objects are no way out: what is
 * registered with them takes the program's memory, and runs before those of its keys.)
 */
#ifndef WRAPPERS_PTHREAD_KEYS_H
#define WRAPPERS_PTHREAD_KEYS_H

/*
 * `call` is for the end of each thread that is watched. Early: the key is then older than the
 * program's, and needs no memory of its own in the threads.
 */
void pthread_keys_start(void (*call)(void *));

/* call(arg) is to be made when the calling thread ends, unless it is told so already. */
void pthread_keys_watch(void *arg);

/*
 * Run what the thread was made for. `arg` as above, or NULL: nobody wants to know. It may be left
 * by pthread_exit() or be cancelled, by whatever unwinder, or none.
 */
void pthread_keys_run(void (*routine)(void *), void *data, void *arg);

#endif
