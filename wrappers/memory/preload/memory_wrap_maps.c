/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of calls that map memory past the allocator. A span is known behind the mapping
 * call, and forgotten before the unmapping call: afterwards the span may belong to another thread.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "wrappers/kit/libc_version.h"
#include "wrappers/memory/preload/memory_count.h"
#include "wrappers/memory/preload/memory_maps.h"
#include "wrappers/memory/preload/memory_real.h"

#ifndef MREMAP_DONTUNMAP /* of Linux 5.7 */
#define MREMAP_DONTUNMAP 4
#endif

#define EXPORT(name) SPUR_IN_FRONT_OF_LIBC(memory_, name)

/* Memory mapped by an allocator is part of the allocator's blocks, or may become a block. */
static bool is_counted(struct memory_caller caller)
{
    return memory_mode == MEMORY_COUNTS && !memory_maps_is_allocator(caller.address);
}

void *memory_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
void *memory_mmap64(void *where, size_t bytes, int protection, int flags, int fd, off64_t offset);
int memory_munmap(void *p, size_t bytes);
void *memory_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...);
int memory_mprotect(void *p, size_t bytes, int protection);
int memory_brk(void *end);
void *memory_sbrk(intptr_t change);

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the headers' are reserved. */

/* ---- mmap and munmap ---- */

struct map_call {
    enum memory_call call;
    void *where;
    size_t bytes;
    int protection, flags, fd;
    off_t offset;
};

static void *map_really(const struct map_call *c)
{
    void *(*const real)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))memory_real(c->call);
    return real(c->where, c->bytes, c->protection, c->flags, c->fd, c->offset);
}

/* If a file is mapped over memory, the memory is no longer memory of the process. */
static enum memory_mark mark_of(const struct map_call *c)
{
    if (!(c->flags & MAP_ANONYMOUS))
        return MEMORY_NOTHING;
    return c->protection == PROT_NONE ? MEMORY_CLOSED : MEMORY_OPEN;
}

static void *map(const struct map_call *c, struct memory_caller caller)
{
    if (!is_counted(caller))
        return map_really(c);
    struct memory_region region = MEMORY_NO_REGION;
    if (mark_of(c) == MEMORY_OPEN)
        region = MEMORY_TAKE_REGION(c->call, c->bytes, caller);
    void *p = map_really(c);
    memory_region_ends(region);
    if (p != MAP_FAILED)
        memory_maps_set(memory_span_of(p, c->bytes, mark_of(c)), region.is_large, caller);
    return p;
}

EXPORT(mmap)
void *memory_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    const struct map_call c = {MEMORY_mmap, where, bytes, protection, flags, fd, offset};
    return map(&c, MEMORY_CALLER);
}

EXPORT(mmap64)
void *memory_mmap64(void *where, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
    const struct map_call c = {MEMORY_mmap64, where, bytes, protection, flags, fd, offset};
    return map(&c, MEMORY_CALLER);
}

/* The kernel refuses all other arguments, and changes nothing then. */
static bool may_unmap(const void *p, size_t bytes)
{
    struct memory_span span = memory_span_of(p, bytes, MEMORY_NOTHING);
    return span.begin < span.end && memory_span_of(NULL, span.begin, span.mark).end == span.begin;
}

static int unmap_really(void *p, size_t bytes)
{
    int (*const real)(void *, size_t) = (int (*)(void *, size_t))memory_real(MEMORY_munmap);
    return real(p, bytes);
}

EXPORT(munmap)
int memory_munmap(void *p, size_t bytes)
{
    const struct memory_caller caller = MEMORY_CALLER;
    struct memory_lost lost;
    if (!is_counted(caller) || !may_unmap(p, bytes))
        return unmap_really(p, bytes);
    const struct memory_span span = memory_span_of(p, bytes, MEMORY_NOTHING);
    struct memory_region region = MEMORY_NO_REGION;
    if (memory_maps_has_block(span))
        region = memory_take_begins(MEMORY_munmap, span.end - span.begin, caller);
    memory_maps_lose(span, &lost);
    int failed = unmap_really(p, bytes);
    memory_region_ends(region);
    if (failed)
        memory_maps_restore(&lost);
    memory_count_tell();
    return failed;
}

/* ---- mremap ---- */

struct remap_call {
    void *old;
    size_t old_bytes, bytes;
    int flags;
    void *where; /* if the flags say so */
};

static void *remap_really(const struct remap_call *c)
{
    void *(*const real)(void *, size_t, size_t, int, ...) =
        (void *(*)(void *, size_t, size_t, int, ...))memory_real(MEMORY_mremap);
    return real(c->old, c->old_bytes, c->bytes, c->flags, c->where);
}

/*
 * The new span has the mark of the old span. The old span of a shared mapping may stay: its size is
 * 0 then.
 */
static void *remap(const struct remap_call *c, struct memory_caller caller)
{
    struct memory_lost lost;
    const struct memory_span old = memory_span_of(c->old, c->old_bytes, MEMORY_NOTHING);
    enum memory_mark mark = memory_maps_at(c->old);
    struct memory_region region = MEMORY_NO_REGION;
    if (mark == MEMORY_OPEN)
        region = MEMORY_TAKE_REGION(MEMORY_mremap, c->bytes, caller);
    memory_maps_lose(old, &lost);
    void *p = remap_really(c);
    memory_region_ends(region);
    if (p == MAP_FAILED || c->flags & MREMAP_DONTUNMAP)
        memory_maps_restore(&lost);
    if (p != MAP_FAILED)
        memory_maps_set(memory_span_of(p, c->bytes, mark), region.is_large, caller);
    return p;
}

EXPORT(mremap)
void *memory_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    const struct memory_caller caller = MEMORY_CALLER;
    struct remap_call c = {old, old_bytes, bytes, flags, NULL};
    if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
        va_list more;
        va_start(more, flags);
        c.where = va_arg(more, void *);
        va_end(more);
    }
    return is_counted(caller) ? remap(&c, caller) : remap_really(&c);
}

/* ---- mprotect ---- */

EXPORT(mprotect)
int memory_mprotect(void *p, size_t bytes, int protection)
{
    const struct memory_caller caller = MEMORY_CALLER;
    int (*const real)(void *, size_t, int) =
        (int (*)(void *, size_t, int))memory_real(MEMORY_mprotect);
    const enum memory_mark mark = protection == PROT_NONE ? MEMORY_CLOSED : MEMORY_OPEN;
    const struct memory_span span = memory_span_of(p, bytes, mark);
    if (!is_counted(caller) || !memory_maps_differs(span))
        return real(p, bytes, protection);
    struct memory_region region = MEMORY_NO_REGION;
    if (mark == MEMORY_OPEN)
        region = MEMORY_TAKE_REGION(MEMORY_mprotect, bytes, caller);
    int failed = real(p, bytes, protection);
    memory_region_ends(region);
    if (!failed)
        memory_maps_protect(span, region.is_large, caller);
    return failed;
}

/* ---- brk and sbrk ---- */

static char *break_now(void)
{
    return ((void *(*)(intptr_t))memory_real(MEMORY_sbrk))(0);
}

/* Bytes, not pages: the program asks for bytes, and gets the following bytes next. */
static void moved(char *before, char *after, bool is_large, struct memory_caller caller)
{
    if (after > before)
        memory_maps_set((struct memory_span){(uintptr_t)before, (uintptr_t)after, MEMORY_OPEN},
                        is_large, caller);
    else if (after < before)
        memory_maps_set((struct memory_span){(uintptr_t)after, (uintptr_t)before, MEMORY_NOTHING},
                        false, caller);
}

EXPORT(brk)
int memory_brk(void *end)
{
    const struct memory_caller caller = MEMORY_CALLER;
    int (*const real)(void *) = (int (*)(void *))memory_real(MEMORY_brk);
    if (!is_counted(caller))
        return real(end);
    char *before = break_now();
    struct memory_region region = MEMORY_NO_REGION;
    if ((char *)end > before)
        region = MEMORY_TAKE_REGION(MEMORY_brk, (size_t)((char *)end - before), caller);
    int failed = real(end);
    memory_region_ends(region);
    if (!failed)
        moved(before, break_now(), region.is_large, caller);
    return failed;
}

EXPORT(sbrk)
void *memory_sbrk(intptr_t change)
{
    const struct memory_caller caller = MEMORY_CALLER;
    void *(*const real)(intptr_t) = (void *(*)(intptr_t))memory_real(MEMORY_sbrk);
    if (!change || !is_counted(caller))
        return real(change);
    struct memory_region region = MEMORY_NO_REGION;
    if (change > 0)
        region = MEMORY_TAKE_REGION(MEMORY_sbrk, (size_t)change, caller);
    char *before = real(change);
    memory_region_ends(region);
    if (before != MAP_FAILED)
        moved(before, before + change, region.is_large, caller);
    return before;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
