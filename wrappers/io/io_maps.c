/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_maps.h"

#include <errno.h>
#include <limits.h>
#include <sys/mman.h>

#include "session/properties.h"
#include "wrappers/io/io_emit.h"
#include "wrappers/io/io_hold.h"

enum { MOST = 4096 };

struct range {
    uintptr_t begin, end; /* equal: free */
    OTF2_IoHandleRef handle;
    OTF2_IoAccessMode mode;
    unsigned leaving; /* the number of the unmapping call; 0: no call */
};

_Thread_local bool io_is_holding;
_Atomic unsigned io_maps_known;
static struct range ranges[MOST];
static unsigned top; /* above the highest range in use */
static unsigned last_leaving;
static struct io_hold hold;

void io_maps_forked(void)
{
    atomic_store_explicit(&io_maps_known, 0, memory_order_relaxed);
    hold = (struct io_hold){0};
    for (unsigned i = 0; i < top; i++)
        ranges[i] = (struct range){0};
    top = 0;
}

/* ---- the table; the lock is held ---- */

static void count(int change)
{
    atomic_fetch_add_explicit(&io_maps_known, (unsigned)change, memory_order_relaxed);
}

static bool add(struct range range)
{
    unsigned i = 0;
    while (i < top && ranges[i].begin != ranges[i].end)
        i++;
    if (i == MOST || range.begin == range.end)
        return false;
    ranges[i] = range;
    top += i == top;
    count(1);
    return true;
}

static uintptr_t larger(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

static uintptr_t smaller(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

/* A free or empty range overlaps no range. */
static bool overlaps(const struct range *range, uintptr_t begin, uintptr_t end)
{
    return larger(range->begin, begin) < smaller(range->end, end);
}

static struct range *find(uintptr_t begin, uintptr_t end)
{
    for (unsigned i = 0; i < top; i++)
        if (!ranges[i].leaving && overlaps(&ranges[i], begin, end))
            return &ranges[i];
    return NULL;
}

static struct range *find_leaving(unsigned leaving)
{
    for (unsigned i = 0; leaving && i < top; i++)
        if (ranges[i].leaving == leaving)
            return &ranges[i];
    return NULL;
}

static bool is_mapped(OTF2_IoHandleRef handle)
{
    for (unsigned i = 0; i < top; i++)
        if (ranges[i].begin != ranges[i].end && ranges[i].handle == handle)
            return true;
    return false;
}

/*
 * The pages leave. The parts of the range before and behind the pages stay as ranges of their own.
 */
static void take_leave(struct range *range, uintptr_t begin, uintptr_t end, unsigned leaving)
{
    struct range before = *range, behind = *range;
    before.end = range->begin = larger(range->begin, begin);
    behind.begin = range->end = smaller(range->end, end);
    range->leaving = leaving;
    add(before);
    add(behind);
}

/* ---- interface for the wrappers ---- */

static uintptr_t end_of(const void *at, size_t n)
{
    return (uintptr_t)at + n;
}

bool io_maps_has(const void *at, size_t n)
{
    if (!io_maps_any() || !io_hold(&hold))
        return false;
    bool has = find((uintptr_t)at, end_of(at, n)) != NULL;
    io_let_go(&hold);
    return has;
}

OTF2_IoHandleRef io_maps_handle(const void *at)
{
    if (!io_maps_any() || !io_hold(&hold))
        return OTF2_UNDEFINED_IO_HANDLE;
    const struct range *range = find((uintptr_t)at, (uintptr_t)at + 1);
    OTF2_IoHandleRef handle = range ? range->handle : OTF2_UNDEFINED_IO_HANDLE;
    io_let_go(&hold);
    return handle;
}

unsigned io_maps_leave(const void *at, size_t n)
{
    struct range *range;
    if (!io_maps_any() || !io_hold(&hold))
        return 0;
    last_leaving += last_leaving == UINT_MAX ? 2 : 1;
    const unsigned leaving = last_leaving;
    while ((range = find((uintptr_t)at, end_of(at, n))) != NULL)
        take_leave(range, (uintptr_t)at, end_of(at, n), leaving);
    io_let_go(&hold);
    return leaving;
}

/*
 * Ends one range; false: no range is left. *ended: a handle whose last range has ended, or
 * undefined.
 */
static bool end_one(unsigned leaving, OTF2_IoHandleRef *ended)
{
    *ended = OTF2_UNDEFINED_IO_HANDLE;
    if (!leaving || !io_hold(&hold))
        return false;
    struct range *range = find_leaving(leaving);
    if (range) {
        const OTF2_IoHandleRef handle = range->handle;
        *range = (struct range){0};
        count(-1);
        *ended = is_mapped(handle) ? OTF2_UNDEFINED_IO_HANDLE : handle;
    }
    io_let_go(&hold);
    return range != NULL;
}

/* The call has failed: the leaving ranges stay. */
static void stay(unsigned leaving)
{
    struct range *range;
    if (!leaving || !io_hold(&hold))
        return;
    while ((range = find_leaving(leaving)) != NULL)
        range->leaving = 0;
    io_let_go(&hold);
}

static bool add_range(const void *at, size_t n, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode)
{
    if (!io_hold(&hold))
        return false;
    bool is_added = add((struct range){(uintptr_t)at, end_of(at, n), handle, mode, 0});
    io_let_go(&hold);
    return is_added;
}

void io_maps_forget(const void *at, size_t n)
{
    OTF2_IoHandleRef ended;
    const unsigned leaving = io_maps_leave(at, n);
    while (end_one(leaving, &ended))
        ;
}

/* ---- records ---- */

/* The clock was read. */
static void end_all(struct spur_loc *loc, unsigned leaving)
{
    OTF2_IoHandleRef ended;
    while (end_one(leaving, &ended))
        if (ended != OTF2_UNDEFINED_IO_HANDLE)
            spur_put_IoDestroyHandle(loc, ended);
}

static void begin(struct spur_loc *loc, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, size_t n)
{
    static struct io_attribute kept = {SPUR_ATTRIBUTE_MAPPED, "how many bytes of the file",
                                       OTF2_TYPE_UINT64, 0};
    const struct spur_attribute attribute = {io_attribute_of(&kept),
                                             OTF2_TYPE_UINT64,
                                             {.uint64 = n}};
    spur_put_IoCreateHandle_with(loc, &attribute, handle, mode, OTF2_IO_CREATION_FLAG_NONE,
                                 OTF2_IO_STATUS_FLAG_NONE);
}

/* Writes to a private mapping do not reach the file. */
static OTF2_IoAccessMode mode_of(int protection, int flags)
{
    bool writes = protection & PROT_WRITE && (flags & MAP_TYPE) != MAP_PRIVATE;
    bool reads = protection & (PROT_READ | PROT_EXEC);
    return !writes ? OTF2_IO_ACCESS_MODE_READ_ONLY
           : reads ? OTF2_IO_ACCESS_MODE_READ_WRITE
                   : OTF2_IO_ACCESS_MODE_WRITE_ONLY;
}

void io_mapped(struct spur_loc *loc, void *at, size_t n, int protection, int flags, int fd,
               bool is_file)
{
    spur_tick(loc);
    if (at == MAP_FAILED)
        return;
    end_all(loc, io_maps_leave(at, n));
    OTF2_IoHandleRef handle = is_file ? io_handle_mapped(fd) : OTF2_UNDEFINED_IO_HANDLE;
    OTF2_IoAccessMode mode = mode_of(protection, flags);
    if (handle != OTF2_UNDEFINED_IO_HANDLE && add_range(at, n, handle, mode))
        begin(loc, handle, mode, n);
}

void io_unmapped(struct spur_loc *loc, unsigned leaving, bool is_done)
{
    spur_tick(loc);
    if (is_done)
        end_all(loc, leaving);
    else
        stay(leaving);
}

/* The range moved by the call: the leaving range or, with MREMAP_DONTUNMAP, the range at `from`. */
static struct range moved_by(const void *from, unsigned leaving)
{
    struct range moved = {0};
    if (!io_maps_any() || !io_hold(&hold))
        return moved;
    const struct range *range = find_leaving(leaving);
    range = range ? range : find((uintptr_t)from, (uintptr_t)from + 1);
    if (range)
        moved = *range;
    io_let_go(&hold);
    return moved;
}

/* Not inlined: otherwise the local variables would lie on the stack while all else runs. */
__attribute__((noinline)) void io_remapped(struct spur_loc *loc, const void *from, unsigned leaving,
                                           void *to, size_t n)
{
    OTF2_IoHandleRef ended = OTF2_UNDEFINED_IO_HANDLE;
    spur_tick(loc);
    if (to == MAP_FAILED) {
        stay(leaving);
        return;
    }
    const struct range moved = moved_by(from, leaving);
    (void)end_one(leaving, &ended);
    bool is_whole = ended == moved.handle && moved.begin != moved.end;
    if (ended != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoDestroyHandle(loc, ended);
    end_all(loc, leaving);
    end_all(loc, io_maps_leave(to, n));
    if (moved.begin != moved.end && add_range(to, n, moved.handle, moved.mode) && is_whole)
        begin(loc, moved.handle, moved.mode, n);
}
