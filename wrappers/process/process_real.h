/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of the functions in process_calls.def, and the real functions of the C library. */
#ifndef WRAPPERS_PROCESS_REAL_H
#define WRAPPERS_PROCESS_REAL_H

#include <spawn.h>

#include "wrappers/kit/wrapper.h"

/* Of glibc 2.39 and newer: `number` becomes that of a descriptor for the process. */
#if !__GLIBC_PREREQ(2, 39)
int pidfd_spawn(int *number, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);
int pidfd_spawnp(int *number, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);
#endif

enum process_call_id {
#define PROCESS_CALL(type, name, ...) PROCESS_##name,
#define PROCESS_FORK(name) PROCESS_##name,
#define PROCESS_HAND(name) PROCESS_##name,
#include "wrappers/process/process_calls.def"
#undef PROCESS_HAND
#undef PROCESS_FORK
#undef PROCESS_CALL
    PROCESS_CALLS
};

extern struct wrapper_function process_calls[PROCESS_CALLS];

/* The real function. If the C library has none: a function that fails with ENOSYS. */
#define PROCESS_REAL(name) ((__typeof__(&name))wrapper_real(&process_calls[PROCESS_##name]))

/* Before a call of clone() with these flags; `stack`: the high end of the new stack. */
void process_shares(uint64_t flags, uint64_t stack);

/* The region of a call. */
#define PROCESS_FRAME(frame, id, is_wanted) WRAPPER_FRAME(frame, &process_calls[id], is_wanted)

#endif
