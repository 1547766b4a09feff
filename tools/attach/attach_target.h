/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that is to be recorded, as /proc and its files tell, before it is touched. */
#ifndef TOOLS_ATTACH_ATTACH_TARGET_H
#define TOOLS_ATTACH_ATTACH_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/attach.h"

enum { MAPPINGS = 4096, C_LIBRARIES = 16 };

/* What code belongs to, as far as it matters where a thread is. */
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

/* Functions of a C library, for an order; where a call of them begins. */
struct target_functions {
    uint64_t open, symbol, error, self, detach, create;
};

/* Libraries of namespaces (dlmopen, LD_AUDIT) have a C library of their own. */
struct target_c_library {
    uint64_t moved; /* by how much it lies elsewhere than its file says */
    struct target_functions functions;
};

struct target {
    int pid;
    int memory; /* /proc/PID/mem, -1: not open */
    struct target_mapping mapping[MAPPINGS];
    unsigned n_mappings;
    bool has_own_memory; /* the program itself defines malloc() */
    bool has_agent;      /* is recorded already, or was */
    bool is_attached;    /* by `spur attach` */
    bool is_sanitized;
    bool is_replaced; /* the file of its C library is another one now */

    struct target_c_library c_library[C_LIBRARIES];
    unsigned n_c_libraries;
    uint64_t debug; /* where its loader tells debuggers what is loaded; 0: not found */
    struct target_functions functions; /* of the program's own C library */
    uint64_t system_call;              /* an instruction that makes one, and a return */
    uint64_t signal_return;            /* what a handler returns to */
};

/*
 * False: it cannot be recorded, or that cannot be ended; a line has said why. `library`: what is to
 * be loaded there.
 */
bool target_find(struct target *target, int pid, const char *library, bool is_detach);
void target_close(struct target *target);

const struct target_mapping *target_mapping_of(const struct target *target, uint64_t address);
bool target_read(const struct target *target, uint64_t at, void *data, size_t bytes);
bool target_write(const struct target *target, uint64_t at, const void *data, size_t bytes);

#endif
