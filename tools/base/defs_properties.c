/* SPDX-License-Identifier: BSD-3-Clause */
/* What the properties of a process say. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "session/properties.h"
#include "tools/base/defs.h"

/* Properties whose text is kept as it is. */
static const struct text_property {
    const char *key;
    size_t at; /* of the OTF2_StringRef in a struct process */
} text_properties[] = {
    {SPUR_PROPERTY_COMMAND, offsetof(struct process, command)},
    {SPUR_SAYS_STOPPED, offsetof(struct process, stopped)},
    {"FILTERED_REGIONS", offsetof(struct process, filtered)},
    {SPUR_PROPERTY_RINGS, offsetof(struct process, rings)},
    {"MPI_GROUPS", offsetof(struct process, mpi_groups)},
    {"END", offsetof(struct process, end)},
    {SPUR_PROPERTY_PLACEMENT, offsetof(struct process, placement)},
    {SPUR_PROPERTY_USAGE, offsetof(struct process, usage)},
    {SPUR_PROPERTY_BATCH, offsetof(struct process, batch)},
    {SPUR_PROPERTY_JOB, offsetof(struct process, job)},
    {"END_SEEN_BY", offsetof(struct process, end_seen_by)},
    {"CRASH_STACK", offsetof(struct process, crash_stack)},
    {"CRASH_CAUSE", offsetof(struct process, crash_cause)},
    {"CRASH_PLACE", offsetof(struct process, crash_place)},
};

static bool keep_text(struct process *p, const char *key, OTF2_StringRef text)
{
    for (size_t i = 0; i < sizeof text_properties / sizeof text_properties[0]; i++)
        if (!strcmp(key, text_properties[i].key)) {
            memcpy((char *)p + text_properties[i].at, &text, sizeof text);
            return true;
        }
    return false;
}

static uint64_t number_behind(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* As finishing writes it: "lock acquisitions=7936 signals=0 threads=2". */
static void set_counted(struct defs *d, uint32_t process, const char *number, const char *text)
{
    static const char *const kinds[] = SPUR_COUNTED_KINDS;
    struct counted_lock counted = {.process = process, .kind = "object"};
    counted.id = (uint32_t)strtoul(number, NULL, 10);
    counted.acquisitions = number_behind(text, " acquisitions=");
    counted.signals = number_behind(text, " signals=");
    counted.threads = (uint32_t)number_behind(text, " threads=");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strncmp(kinds[i], text, strlen(kinds[i])))
            counted.kind = kinds[i];
    *LIST_ADD(&d->counted) = counted;
}

static void set_text(struct defs *d, uint32_t process, const char *key, OTF2_StringRef text)
{
    static const char lock[] = SPUR_SAYS_LOCK "::", counted[] = SPUR_SAYS_COUNTED "::";
    struct process *p = &d->processes.at[process];
    if (keep_text(p, key, text))
        return;
    if (!strcmp(key, "DIED_FIRST"))
        p->died_first = true;
    else if (!strcmp(key, SPUR_PROPERTY_LOCKS))
        p->is_of_waits = !strcmp(defs_text(d, text), "contended");
    else if (!strcmp(key, "CRASH_LOCATION"))
        p->crashed = strtoull(defs_text(d, text), NULL, 10);
    else if (!strcmp(key, "SAMPLES_LOST"))
        p->samples_lost = strtoull(defs_text(d, text), NULL, 10);
    else if (!strncmp(key, lock, sizeof lock - 1))
        map_set(&d->lock_names, process, strtoul(key + sizeof lock - 1, NULL, 10), text);
    else if (!strncmp(key, counted, sizeof counted - 1))
        set_counted(d, process, key + sizeof counted - 1, defs_text(d, text));
}

void defs_set_property(struct defs *d, uint32_t process, const char *key, OTF2_Type type,
                       OTF2_AttributeValue value)
{
    struct process *p = &d->processes.at[process];
    if (type == OTF2_TYPE_UINT64 && !strcmp(key, SPUR_SAYS_STOPPED_AT))
        p->stopped_at = value.uint64;
    else if (type == OTF2_TYPE_STRING)
        set_text(d, process, key, value.stringRef);
}
