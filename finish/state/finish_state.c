/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_state.h"

#include <stdio.h>

#include "base/raw_file.h"

char *finish_path(const struct finish *f, const struct finish_process *p, const char *file,
                  char path[SPUR_FILE_PATH_BYTES])
{
    snprintf(path, SPUR_FILE_PATH_BYTES, "%s/.spur%s%s%s%s", p && p->local ? p->local : f->dir,
             p ? "/" : "", p ? p->name : "", file ? "/" : "", file ? file : "");
    return path;
}

static const char *const reasons[FINISH_STOPS] = {
    [SPUR_STOP_DISK] = "no space was left",
    [SPUR_STOP_BUFFER] = "a thread's buffer was full (SPUR_FLUSH=stop)",
    [SPUR_STOP_LIMIT] = "the process's SPUR_LIMIT was reached",
    [SPUR_STOP_LIMIT_ALL] = "the SPUR_LIMIT of all processes was reached",
    [SPUR_STOP_SHARE] = "the disk was nearly full",
    [SPUR_STOP_DEFINITIONS] = "it had too many definitions of one kind",
    [FINISH_STOP_CUT] = "its files were truncated",
};

const char *finish_lost_why(const struct finish_process *p)
{
    return p->head.stopped < FINISH_STOPS ? reasons[p->head.stopped] : reasons[SPUR_STOP_DISK];
}

static void sift_down(uint64_t *items, uint64_t at, uint64_t n,
                      bool (*less)(const void *context, uint64_t a, uint64_t b),
                      const void *context)
{
    for (uint64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && less(context, items[child], items[child + 1]))
            child++;
        if (!less(context, items[at], items[child]))
            return;
        uint64_t item = items[at];
        items[at] = items[child];
        items[child] = item;
    }
}

void finish_sort(uint64_t *items, uint64_t n,
                 bool (*less)(const void *context, uint64_t a, uint64_t b), const void *context)
{
    for (uint64_t i = n / 2; i-- > 0;)
        sift_down(items, i, n, less, context);
    for (uint64_t i = n; i-- > 1;) {
        uint64_t item = items[0];
        items[0] = items[i];
        items[i] = item;
        sift_down(items, 0, i, less, context);
    }
}

const char *finish_text(const struct finish *f, uint32_t string)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (string >= spur_unify_count(f->unify, SPUR_SPACE_STRING))
        return "";
    spur_unify_get(f->unify, SPUR_SPACE_STRING, string, &record, cells);
    return cells[SPUR_AT_String_string].at;
}
