/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process to be recorded, as seen through /proc and the files of the process, before the
 * process is touched.
 */
#ifndef TOOLS_ATTACH_ATTACH_TARGET_H
#define TOOLS_ATTACH_ATTACH_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/attach.h"

enum { MAPPINGS = 4096, C_LIBRARIES = 16 };

/* The owner of code, as far as the owner matters for the place of a thread. */
enum target_code {
    CODE_NONE,  /* not executable */
    CODE_OTHER, /* of the program */
    CODE_C_LIBRARY,
    CODE_LOADER,
    CODE_MEMORY, /* of a library that defines malloc() in place of the C library */
};

struct target_mapping {
    uint64_t start, end;
    enum target_code code;
    bool is_stack; /* the kernel's, of the main thread */
};

/* The addresses of functions of a C library, for an order to the process. */
struct target_functions {
    uint64_t open, symbol, error, self, detach, create;
};

/* Libraries of namespaces (dlmopen, LD_AUDIT) have a C library of their own. */
struct target_c_library {
    uint64_t moved; /* distance from the addresses in the file */
    struct target_functions functions;
};

struct target {
    int pid;
    int memory; /* /proc/PID/mem, -1: not open */
    struct target_mapping mapping[MAPPINGS];
    unsigned n_mappings;
    bool has_own_memory; /* the program itself defines malloc() */
    bool has_agent;      /* recorded already, now or earlier */
    bool is_attached;    /* by `spur attach` */
    bool is_sanitized;
    bool is_replaced; /* the file of the C library was replaced */

    struct target_c_library c_library[C_LIBRARIES];
    unsigned n_c_libraries;
    uint64_t debug; /* list of loaded objects, by the loader for debuggers; 0: not found */
    struct target_functions functions; /* of the program's own C library */
    uint64_t system_call;              /* a system call instruction and a return */
    uint64_t signal_return;            /* return address for a signal handler */
};

/*
 * False: the process cannot be recorded, or the recording cannot be ended; a message has given the
 * reason. `library`: the library to be loaded into the process.
 */
bool target_find(struct target *target, int pid, const char *library, bool is_detach);
void target_close(struct target *target);

const struct target_mapping *target_mapping_of(const struct target *target, uint64_t address);
bool target_read(const struct target *target, uint64_t at, void *data, size_t bytes);
bool target_write(const struct target *target, uint64_t at, const void *data, size_t bytes);

#endif
