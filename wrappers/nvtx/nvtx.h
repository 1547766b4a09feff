/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX: a program's own names for its parts. The code of NVTX is in the program, by a header. The
 * code loads the library named by NVTX_INJECTION64_PATH, and gives the library a table of functions
 * to serve. Each object of the program that uses NVTX has a table of its own.
 *
 * Texts are looked up by their content, in tables without a lock: signal handlers and children of
 * fork() use the tables, too. Entries of a table stay.
 */
#ifndef WRAPPERS_NVTX_H
#define WRAPPERS_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#include "wrappers/kit/wrapper_names.h"
#include "wrappers/kit/wrapper_stack.h"
#include "wrappers/nvtx/nvtx_api.h"
#include "wrappers/nvtx/nvtx_marks.h"

enum {
    NVTX_TEXT_BYTES = 512, /* longer texts are cut, */
    NVTX_WIDE_BYTES = 256, /* also texts of wide characters, on the program's stack */
    NVTX_NAME_BYTES = 64,  /* of a thread */
    NVTX_READ_BYTES = 4096 /* read at most so much of a text for numbers */
};

/* A text as given by the program. */
struct nvtx_text {
    int32_t type; /* NVTX_TEXT_...; else no text */
    const void *at;
};
#define NVTX_ASCII(text)                                                                           \
    (struct nvtx_text)                                                                             \
    {                                                                                              \
        NVTX_TEXT_ASCII, (text)                                                                    \
    }
#define NVTX_UNICODE(text)                                                                         \
    (struct nvtx_text)                                                                             \
    {                                                                                              \
        NVTX_TEXT_UNICODE, (text)                                                                  \
    }

/* Convert to UTF-8, ended by a zero and cut at a whole character; returns the length. The type is
 * ASCII or UNICODE. */
size_t nvtx_utf8(char *to, size_t room, const struct nvtx_text *text);

/* ---- numbers at the end of a text ---- */

/* Adds the numbers to the attributes. Returns the length of the name in front of the numbers. Guard
 * up. */
size_t nvtx_read_numbers(const char *text, size_t length, struct wrapper_opening *opening);

/* ---- domains, and the texts in them ---- */

/* The domain of a handle, 0 is the default one. */
uint32_t nvtx_domain_of(const void *handle);

enum nvtx_kind { NVTX_RANGE, NVTX_MARK, NVTX_TOLD_RANGE, NVTX_TOLD_MARK, NVTX_KINDS };
struct nvtx_message;
/*
 * Never freed. NULL: no memory. With very many texts, all further texts share a message. `opening`
 * gets the numbers of the text; NULL: the numbers are part of the text, as in a registered text.
 */
struct nvtx_message *nvtx_message_of(uint32_t domain, const struct nvtx_text *text,
                                     struct wrapper_opening *opening);
/* Guard up. */
OTF2_RegionRef nvtx_region_of(struct nvtx_message *message, enum nvtx_kind kind);

/* ---- categories ---- */

/* The string for an attribute. Guard up. */
OTF2_StringRef nvtx_category_of(uint32_t domain, uint32_t number);

/* ---- an event ---- */

/* The owner of a stack of ranges: a domain, by its number; or reports by nvtx_told.h. */
enum { NVTX_OWNER_TOLD = 1 << 16 };

/* A call. */
struct nvtx_call {
    uint32_t domain, owner;
    const void *event; /* EVENT, or NULL */
    struct nvtx_text text;
    enum nvtx_kind kind;
};
struct nvtx_call nvtx_call_of(const void *domain, const void *event, enum nvtx_kind kind);
/* The region and the attributes for a call; `data` is the call. Guard up. */
void nvtx_describe(const void *data, struct wrapper_opening *opening);

void nvtx_mark(const struct nvtx_call *call);
/* The level of the range, or NVTX's value for ranges that are not followed. */
int nvtx_push(const struct nvtx_call *call);
int nvtx_pop(uint32_t owner);
/* The number of a range that may overlap with further ranges. */
uint64_t nvtx_start_range(const struct nvtx_call *call);

/* ---- threads ---- */

/* Number of names that threads have given to other threads. */
extern _Atomic uint32_t nvtx_names_given;
extern _Thread_local uint32_t nvtx_names_seen;
void nvtx_name_me(void);
/* Has another thread named this one? In each call that records; the guard is not up. */
static inline void nvtx_look_for_name(void)
{
    if (nvtx_names_seen != atomic_load_explicit(&nvtx_names_given, memory_order_acquire))
        nvtx_name_me();
}

#endif
