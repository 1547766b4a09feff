/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/define/finish_locks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "finish/define/finish_define.h"
#include "session/properties.h"

enum { NAME_BYTES = 4096 };

/* What compilers make of the name of a critical section: a variable of their own. */
static const char critical[] = ".gomp_critical_user_", critical_end[] = ".var";

static void name_critical(const char *variable, char *text, size_t size)
{
    const char *name = variable + strlen(critical);
    size_t length = strlen(name), end = strlen(critical_end);
    if (length >= end && strcmp(name + length - end, critical_end) == 0)
        length -= end;
    if (length == 0)
        snprintf(text, size, "critical");
    else if (name[0] == '.') /* ".reduction": no section of the program */
        snprintf(text, size, "%.*s", (int)length - 1, name + 1);
    else
        snprintf(text, size, "critical(%.*s)", (int)length, name);
}

/*
 * The variable's own name in that of a symbol; returns its length. Static variables of a function
 * have numbers (gcc) or the function in front (clang), those of several files that are linked as
 * one have more behind.
 */
static int own_name(const char **symbol)
{
    static const char digits[] = "0123456789", *const moved[] = {".lto_priv", ".llvm"};
    const char *name = *symbol;
    size_t length = strlen(name), end = length;
    while (end > 0 && strchr(digits, name[end - 1]))
        end--;
    if (end > 1 && end < length && name[end - 1] == '.')
        length = end - 1;
    for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++) {
        size_t n = strlen(moved[i]);
        if (length > n && strncmp(name + length - n, moved[i], n) == 0)
            length -= n;
    }
    const char *dot = memrchr(name, '.', length);
    *symbol = dot ? dot + 1 : name;
    return (int)(name + length - *symbol);
}

static void name_variable(const char *variable, uint64_t distance, char *text, size_t size)
{
    if (strncmp(variable, critical, strlen(critical)) == 0) {
        name_critical(variable, text, size);
        return;
    }
    int length = own_name(&variable);
    if (distance)
        snprintf(text, size, "%.*s+0x%llx", length, variable, (unsigned long long)distance);
    else
        snprintf(text, size, "%.*s", length, variable);
}

static void name_data(const struct finish *f, const struct finish_frames *frames, uint32_t data,
                      char *text, size_t size)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t distance;
    const char *variable = finish_frames_variable(frames, data, &distance);
    text[0] = '\0';
    if (variable) {
        name_variable(variable, distance, text, size);
        return;
    }
    spur_unify_get(f->unify, SPUR_SPACE_DATA, data, &record, cells);
    uint64_t module = cells[SPUR_AT_Data_module].number;
    if (module < spur_unify_count(f->unify, SPUR_SPACE_MODULE))
        finish_address(f, (uint32_t)module, cells[SPUR_AT_Data_offset].number, text, size);
}

/* The property of that key and text takes the place of what has been read of the list. */
static int put_pair(const struct finish *f, struct spur_words *list, uint64_t *n, const char *key,
                    const char *text)
{
    uint32_t name = spur_unify_string(f->unify, key);
    uint32_t value = spur_unify_string(f->unify, text);
    if (name == OTF2_UNDEFINED_STRING || value == OTF2_UNDEFINED_STRING)
        return -ENOMEM;
    list->at[(*n)++] = name;
    list->at[(*n)++] = value;
    return 0;
}

static int name_locks(struct finish *f, struct finish_process *p,
                      const struct finish_frames *frames)
{
    const struct spur_words *map = &p->map.of[SPUR_SPACE_DATA];
    char text[NAME_BYTES], key[sizeof SPUR_SAYS_LOCK + 16];
    uint64_t named = 0;
    for (uint64_t i = 0; i + 1 < p->locks.n; i += 2) {
        uint64_t lock = p->locks.at[i], data = p->locks.at[i + 1];
        if (data >= map->n)
            continue;
        name_data(f, frames, (uint32_t)map->at[data], text, sizeof text);
        snprintf(key, sizeof key, SPUR_SAYS_LOCK "::%u", (unsigned)lock);
        if (put_pair(f, &p->locks, &named, key, text) != 0)
            return -ENOMEM;
    }
    p->locks.n = named;
    return 0;
}

static int name_counts(struct finish *f, struct finish_process *p)
{
    static const char *const kinds[] = SPUR_COUNTED_KINDS;
    enum { CELLS = SPUR_AT_LockCount_kind + 1, KINDS = sizeof kinds / sizeof kinds[0] };
    char key[sizeof SPUR_SAYS_COUNTED + 16], text[NAME_BYTES];
    uint64_t named = 0;
    for (uint64_t i = 0; i + CELLS <= p->lock_counts.n; i += CELLS) {
        const uint64_t *cell = &p->lock_counts.at[i];
        const uint64_t kind = cell[SPUR_AT_LockCount_kind];
        snprintf(key, sizeof key, SPUR_SAYS_COUNTED "::%u", (unsigned)cell[0]);
        snprintf(text, sizeof text, "%s acquisitions=%llu signals=%llu threads=%u",
                 kind < KINDS ? kinds[kind] : "object",
                 (unsigned long long)cell[SPUR_AT_LockCount_acquisitions],
                 (unsigned long long)cell[SPUR_AT_LockCount_signals],
                 (unsigned)cell[SPUR_AT_LockCount_threads]);
        if (put_pair(f, &p->lock_counts, &named, key, text) != 0)
            return -ENOMEM;
    }
    p->lock_counts.n = named;
    return 0;
}

int finish_locks(struct finish *f, const struct finish_frames *frames)
{
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++)
        if (!(err = name_locks(f, f->process[i], frames)))
            err = name_counts(f, f->process[i]);
    return err;
}

static OTF2_ErrorCode put(const struct finish_process *p, OTF2_GlobalDefWriter *writer,
                          const struct spur_words *pairs)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t i = 0; i + 1 < pairs->n && !error; i += 2) {
        const OTF2_AttributeValue value = {.stringRef = (uint32_t)pairs->at[i + 1]};
        error = OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, p->location_group,
                                                                (uint32_t)pairs->at[i],
                                                                OTF2_TYPE_STRING, value);
    }
    return error;
}

OTF2_ErrorCode finish_locks_properties(const struct finish_process *p, OTF2_GlobalDefWriter *writer)
{
    OTF2_ErrorCode error = put(p, writer, &p->locks);
    return error ? error : put(p, writer, &p->lock_counts);
}
