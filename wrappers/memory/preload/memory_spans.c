/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_spans.h"

#include <string.h>
#include <sys/mman.h>

#include "base/raw_call.h"

enum { FIRST_CAPACITY = 512, ADDED = 2 }; /* a change makes at most two spans more */

/* Through libc these calls would come back here. */
static bool make_room(struct memory_spans *spans)
{
    const size_t each = sizeof *spans->at;
    if (spans->n + ADDED <= spans->capacity)
        return true;
    size_t capacity = spans->capacity ? 2 * spans->capacity : FIRST_CAPACITY;
    long at = spans->capacity
                  ? spur_raw_call(SYS_mremap, (long)spans->at, (long)(spans->capacity * each),
                                  (long)(capacity * each), MREMAP_MAYMOVE, 0, 0)
                  : spur_raw_call(SYS_mmap, 0, (long)(capacity * each), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096)
        return false;
    spans->at = (struct memory_span *)at; // NOLINT(performance-no-int-to-ptr)
    spans->capacity = capacity;
    return true;
}

/* The first that ends behind the address; spans->n: none does. */
static size_t first_behind(const struct memory_spans *spans, uintptr_t address)
{
    size_t low = 0, high = spans->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->at[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct memory_span *memory_spans_find(const struct memory_spans *spans, uintptr_t begin,
                                            uintptr_t end)
{
    size_t i = first_behind(spans, begin);
    return i < spans->n && spans->at[i].begin < end ? &spans->at[i] : NULL;
}

static void replace(struct memory_spans *spans, size_t i, size_t from,
                    const struct memory_span *parts, size_t to)
{
    memmove(&spans->at[i + to], &spans->at[i + from], (spans->n - i - from) * sizeof *parts);
    spans->n = spans->n - from + to;
    memcpy(&spans->at[i], parts, to * sizeof *parts);
}

/* At the end of the parts, or of the last one. */
static void append(struct memory_span *parts, size_t *n, struct memory_span span)
{
    if (span.begin >= span.end || span.mark == MEMORY_NOTHING)
        return;
    struct memory_span *last = *n ? &parts[*n - 1] : NULL;
    if (last && last->end == span.begin && last->mark == span.mark && span.mark != MEMORY_ALONE)
        last->end = span.end;
    else
        parts[(*n)++] = span;
}

/* What overlaps, and the neighbours, become: the rest before, the new one, the rest behind. */
bool memory_spans_set(struct memory_spans *spans, struct memory_span span)
{
    struct memory_span parts[3], before = {0}, behind = {0};
    size_t n = 0;
    if (span.begin >= span.end)
        return true;
    if (!make_room(spans))
        return false;
    size_t first = first_behind(spans, span.begin);
    if (first && spans->at[first - 1].end == span.begin)
        first--;
    size_t last = first;
    while (last < spans->n && spans->at[last].begin <= span.end)
        last++;
    if (first < last) {
        before = spans->at[first];
        before.end = before.end < span.begin ? before.end : span.begin;
        behind = spans->at[last - 1];
        behind.begin = behind.begin > span.end ? behind.begin : span.end;
    }
    append(parts, &n, before);
    append(parts, &n, span);
    append(parts, &n, behind);
    replace(spans, first, last - first, parts, n);
    return true;
}
