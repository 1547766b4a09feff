/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX: what a program says of itself. The code of NVTX is in the program, by a header; it loads
 * the library that NVTX_INJECTION64_PATH names, and gives it a table of functions to serve. There
 * is such a table in each object of the program that uses NVTX.
 *
 * Texts are looked up by their content, in tables without a lock: signal handlers and children of
 * fork() use them, too. What is in a table stays.
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
    NVTX_WIDE_BYTES = 256, /* and those of wide characters, which lie on the program's stack */
    NVTX_NAME_BYTES = 64,  /* of a thread */
    NVTX_READ_BYTES = 4096 /* so much of a text is looked at for numbers */
};

/* A text as the program gives it. */
struct nvtx_text {
    int32_t type; /* NVTX_TEXT_...; else there is none */
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

/* As UTF-8, ended by a zero and cut at a whole character; the length. The type is one of these two.
 */
size_t nvtx_utf8(char *to, size_t room, const struct nvtx_text *text);

/* ---- numbers at the end of a text ---- */

/* Adds them to the attributes. The length of the name, which stands before them. Guard up. */
size_t nvtx_read_numbers(const char *text, size_t length, struct wrapper_opening *opening);

/* ---- domains, and the texts in them ---- */

/* The domain of a handle, 0 is the default one. */
uint32_t nvtx_domain_of(const void *handle);

enum nvtx_kind { NVTX_RANGE, NVTX_MARK, NVTX_TOLD_RANGE, NVTX_TOLD_MARK, NVTX_KINDS };
struct nvtx_message;
/*
 * Never freed. NULL: no memory. Of very many texts the last ones are one. `opening` gets the
 * numbers of the text; NULL: they are part of it, as they are of a registered one.
 */
struct nvtx_message *nvtx_message_of(uint32_t domain, const struct nvtx_text *text,
                                     struct wrapper_opening *opening);
/* Guard up. */
OTF2_RegionRef nvtx_region_of(struct nvtx_message *message, enum nvtx_kind kind);

/* ---- categories ---- */

/* The string for an attribute. Guard up. */
OTF2_StringRef nvtx_category_of(uint32_t domain, uint32_t number);

/* ---- an event ---- */

/* Who has a stack of ranges: a domain, by its number; or what nvtx_told.h tells of. */
enum { NVTX_OWNER_TOLD = 1 << 16 };

/* A call. */
struct nvtx_call {
    uint32_t domain, owner;
    const void *event; /* EVENT, or NULL */
    struct nvtx_text text;
    enum nvtx_kind kind;
};
struct nvtx_call nvtx_call_of(const void *domain, const void *event, enum nvtx_kind kind);
/* The region and the attributes that it asks for; `data` is the call. Guard up. */
void nvtx_describe(const void *data, struct wrapper_opening *opening);

void nvtx_mark(const struct nvtx_call *call);
/* The level of the range, or what NVTX says where nobody follows them. */
int nvtx_push(const struct nvtx_call *call);
int nvtx_pop(uint32_t owner);
/* The number of a range that may overlap with others. */
uint64_t nvtx_start_range(const struct nvtx_call *call);

/* ---- threads ---- */

/* How often a thread has been named by another one. */
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
