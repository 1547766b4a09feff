/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/definitions/filter_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/segment/buffer.h"
#include "agent/spur_attached.h"
#include "agent/spur_device.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/procfs.h"
#include "base/system_words.h"
#include "session/properties.h"

enum { FILE_BYTES_MAX = 1 << 20, NAMES_BYTES = 4096, LINE_BYTES = 1024 };

static const struct spur_filter *filter; /* NULL: everything is recorded */

/* The names of what was left out, as far as there is room. */
static struct {
    struct spur_lock lock;
    uint32_t n;
    size_t used;
    char names[NAMES_BYTES];
} left_out;

const char *spur_filter_load(const char *path)
{
    static char complaint[LINE_BYTES];
    const char *instead = spur_is_attached() ? "" : "; nothing is filtered";
    uint32_t line = 0;
    const char *why;
    if (filter)
        return NULL; /* the parent's, in a child of fork() */
    char *text = spur_mem_new(FILE_BYTES_MAX);
    long bytes = text ? spur_procfs_read(path, text, FILE_BYTES_MAX) : -1;
    if (bytes < 0 || bytes == FILE_BYTES_MAX - 1) {
        snprintf(complaint, sizeof complaint, "SPUR_FILTER=%s: %s%s", path,
                 bytes < 0 ? spur_error_text(errno) : "this is too long for a filter", instead);
        spur_mem_free(text, FILE_BYTES_MAX);
        return complaint;
    }
    filter = spur_filter_parse(text, &line, &why);
    spur_mem_free(text, FILE_BYTES_MAX);
    if (filter)
        return NULL;
    snprintf(complaint, sizeof complaint, "SPUR_FILTER: %s:%u: a word %s%s (see docs/control.md)",
             path, line, why, instead);
    return complaint;
}

/* Regions of devices are asked for each time that they are used. */
static bool is_remembered(const char *name, size_t length)
{
    static const char comma[] = ", ";
    const size_t gap = sizeof comma - 1;
    const char *names = left_out.names;
    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || ((size_t)(at - names) >= gap && !memcmp(at - gap, comma, gap))) &&
            (at[length] == '\0' || !strncmp(at + length, comma, gap)))
            return true;
    return false;
}

static void remember_new(const char *name)
{
    size_t room = sizeof left_out.names - left_out.used;
    size_t length = strlen(name) + 2;
    if (length + sizeof "..." < room) {
        snprintf(left_out.names + left_out.used, room, "%s%s", left_out.n ? ", " : "", name);
        left_out.used += strlen(left_out.names + left_out.used);
    } else if (length < NAMES_BYTES) {
        memcpy(left_out.names + left_out.used, "...", sizeof "...");
    }
    left_out.n++;
    struct spur_segment *segment = spur_buffer_segment();
    if (segment)
        segment->filtered = left_out.n;
}

static void remember(const char *name)
{
    spur_lock_take(&left_out.lock);
    if (!*name || !is_remembered(name, strlen(name)))
        remember_new(name);
    spur_lock_give(&left_out.lock);
}

bool spur_has_filter(void)
{
    return filter != NULL;
}

static bool spur_filtered_here(const struct spur_filter_subject *subject)
{
    bool is_out = filter && spur_filter_excludes(filter, subject);
    if (is_out)
        remember(subject->name);
    return is_out;
}
SPUR_DOOR(bool, spur_filtered, (const struct spur_filter_subject *, subject))

void spur_filter_tell(void)
{
    if (left_out.n)
        spur_def_property(SPUR_PROPERTY_FILTERED, left_out.names);
}

void spur_filter_after_fork(void)
{
    spur_lock_reset(&left_out.lock);
    left_out.n = 0;
    left_out.used = 0;
    left_out.names[0] = '\0';
}
