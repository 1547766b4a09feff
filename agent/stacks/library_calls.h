/* SPDX-License-Identifier: BSD-3-Clause */
/* What a library calls of others is called in another place: its table of addresses is changed. */
#ifndef SPUR_LIBRARY_CALLS_H
#define SPUR_LIBRARY_CALLS_H

#include <stddef.h>

struct spur_library_call {
    const char *name;
    void (*instead)(void); /* whatever its type is */
};

/* Redirects calls of a library that dlopen() has returned. What cannot be changed stays. */
void spur_library_redirect(void *library, const struct spur_library_call *calls, size_t n);

#endif
