/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/define/finish_usage.h"
#include "finish/events/finish_moving.h"
#include "session/given_names.h"
#include "session/properties.h"

static uint32_t format_string(struct finish *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static uint32_t format_string(struct finish *f, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return spur_unify_string(f->unify, text);
}

/* The name of the program: the last component of the command line's first word. */
static void program_of(const struct finish *f, const struct finish_process *p, char *name,
                       size_t size)
{
    name[0] = '\0';
    for (uint32_t i = 0; i < p->n_properties; i++) {
        if (strcmp(finish_text(f, p->property[i].name), SPUR_PROPERTY_COMMAND) != 0)
            continue;
        const char *word = finish_text(f, p->property[i].value);
        size_t length = strcspn(word, " ");
        for (size_t at = 0; at < length; at++)
            if (word[at] == '/') {
                word += at + 1;
                length -= at + 1;
                at = (size_t)-1;
            }
        snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), word);
    }
}

static void add_property(struct finish *f, struct finish_process *p, const char *name,
                         uint32_t value)
{
    if (p->n_properties < FINISH_PROPERTIES)
        p->property[p->n_properties++] =
            (struct finish_property){spur_unify_string(f->unify, name), value};
}

/* UTC, by no time zone of the machine: 2026-11-21T20:45:01.000000000Z. */
static void time_of(uint64_t realtime, char *text, size_t size)
{
    enum { DAY_S = 86400, HOUR_S = 3600, MINUTE_S = 60 };
    enum { DAYS_TO_1970 = 719468, DAYS_OF_ERA = 146097, YEARS_OF_ERA = 400 };
    const uint64_t second = 1000000000;
    uint64_t s = realtime / second;
    /* Years that begin in March end with the day that not all of them have. */
    uint64_t days = s / DAY_S + DAYS_TO_1970;
    uint64_t day = days % DAYS_OF_ERA;
    uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    uint64_t month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    year += days / DAYS_OF_ERA * YEARS_OF_ERA + (month >= 10);
    snprintf(text, size, "%llu-%02u-%02uT%02u:%02u:%02u.%09uZ", (unsigned long long)year,
             (unsigned)(month < 10 ? month + 3 : month - 9), (unsigned)day + 1,
             (unsigned)(s % DAY_S / HOUR_S), (unsigned)(s % HOUR_S / MINUTE_S),
             (unsigned)(s % MINUTE_S), (unsigned)(realtime % second));
}

/* A property without a text is left out. */
static void add_usage(struct finish *f, struct finish_process *p)
{
    char text[FINISH_USAGE_BYTES];
    finish_usage_placement(&p->head.usage, text);
    if (*text)
        add_property(f, p, SPUR_PROPERTY_PLACEMENT, spur_unify_string(f->unify, text));
    finish_usage_counts(&p->head.usage, text);
    if (*text)
        add_property(f, p, SPUR_PROPERTY_USAGE, spur_unify_string(f->unify, text));
}

static void name_process(struct finish *f, struct finish_process *p)
{
    char text[128];
    for (uint32_t i = 0; i < p->n_properties; i++) {
        struct finish_property *property = &p->property[i];
        property->name = spur_map_get(&p->map, SPUR_SPACE_STRING, property->name);
        property->value = spur_map_get(&p->map, SPUR_SPACE_STRING, property->value);
    }
    program_of(f, p, text, sizeof text);
    if (p->head.rank >= 0 && p->job <= 1)
        p->label = format_string(f, "MPI Rank %d", p->head.rank);
    else if (p->head.rank >= 0)
        p->label = format_string(f, "MPI Rank %d of job %u", p->head.rank, p->job);
    else if (text[0])
        p->label = format_string(f, "Process %u (%s)", p->head.pid, text);
    else
        p->label = format_string(f, "Process %u", p->head.pid);
    if (p->state != FINISH_MISSING) {
        add_property(f, p, SPUR_PROPERTY_HOST, spur_unify_string(f->unify, p->head.host));
        add_property(f, p, SPUR_PROPERTY_PID, format_string(f, "%u", p->head.pid));
        add_property(f, p, SPUR_PROPERTY_PPID, format_string(f, "%u", p->head.ppid));
        time_of(p->head.first.realtime, text, sizeof text);
        add_property(f, p, SPUR_PROPERTY_START, spur_unify_string(f->unify, text));
        add_usage(f, p);
    }
}

static void name_devices(const struct finish *f, struct finish_process *p)
{
    for (uint64_t i = 0; i < p->devices.n; i++) {
        uint32_t name = spur_map_get(&p->map, SPUR_SPACE_STRING, p->devices.at[i]);
        p->devices.at[i] = name == OTF2_UNDEFINED_STRING ? f->no_name : name;
    }
}

static void name_threads(struct finish *f, struct finish_process *p)
{
    uint32_t pthread = OTF2_UNDEFINED_STRING;
    uint32_t thread = OTF2_UNDEFINED_STRING;
    if (p->n_threads > 1) {
        pthread = spur_unify_string(f->unify, SPUR_NAME_OF_PTHREAD);
        thread = spur_unify_string(f->unify, SPUR_NAME_OF_THREAD);
    }
    for (uint64_t i = 0; i < p->n_threads; i++) {
        struct finish_thread *t = &p->threads[i];
        t->name = spur_map_get(&p->map, SPUR_SPACE_STRING, t->name);
        if (t->name == OTF2_UNDEFINED_STRING)
            t->name = t->number ? thread : spur_unify_string(f->unify, "Master thread");
        if (t->name == pthread)
            t->name = format_string(f, SPUR_NAME_OF_PTHREAD, t->number);
        else if (t->name == thread)
            t->name = format_string(f, SPUR_NAME_OF_THREAD, t->number);
    }
}

/* Nodes are numbered from 1: 0 is the machine, which is also that of a rank that left nothing. */
static void find_host(struct finish *f, struct finish_process *p)
{
    if (p->state == FINISH_MISSING)
        return;
    uint32_t name = spur_unify_string(f->unify, p->head.host);
    uint32_t i = 0;
    while (i < f->n_hosts && f->host[i] != name)
        i++;
    if (i == f->n_hosts)
        f->host[f->n_hosts++] = name;
    p->node = i + 1;
}

/* The attribute that marks what finishing adds, known to the process under a local id as well. */
static int mark_dead(struct finish *f, struct finish_process *p)
{
    bool is_dead = p->state != FINISH_ENDED && p->state != FINISH_MISSING;
    if (!is_dead && p->head.flush != SPUR_FLUSH_RING && !p->head.has_kept)
        return 0;
    if (f->attribute == OTF2_UNDEFINED_ATTRIBUTE) {
        const struct spur_cell cells[] = {
            {spur_unify_string(f->unify, SPUR_ATTRIBUTE_SYNTHESISED), NULL},
            {spur_unify_string(f->unify, "added by spur: the process had ended before it"), NULL},
            {OTF2_TYPE_UINT8, NULL}};
        f->attribute = spur_unify_define(f->unify, SPUR_DEFINITION_Attribute, cells);
    }
    uint64_t *global = spur_words_add(&p->map.of[SPUR_SPACE_ATTRIBUTE], 1);
    if (!global)
        return -ENOMEM;
    *global = f->attribute;
    return is_dead ? finish_stands_define(f, p) : 0;
}

int finish_names(struct finish *f)
{
    uint64_t thread = 0;
    int err = 0;
    f->attribute = OTF2_UNDEFINED_ATTRIBUTE;
    f->host_room = f->n_processes + 1;
    f->host = spur_mem_new(f->host_room * sizeof *f->host);
    if (!f->host)
        return -ENOMEM;
    f->no_name = spur_unify_string(f->unify, "");
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        struct finish_process *p = f->process[i];
        find_host(f, p);
        name_process(f, p);
        name_devices(f, p);
        name_threads(f, p);
        p->first_thread = thread;
        thread += p->n_threads;
        err = mark_dead(f, p);
    }
    return err;
}
