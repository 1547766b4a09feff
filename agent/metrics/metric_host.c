/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of SPUR_METRICS_ASYNC that belong to the host, for example metrics of a GPU: many
 * processes see the same GPU, and only one process records the GPU. Each part of the host has a
 * lease, in memory shared by all processes of the host. The owner of the lease renews the lease
 * with each reading. If the renewal is overdue for some periods, since the owner ended, waits or
 * computes, the next process that records an event takes the lease. So there is one value in a
 * period as long as any process records events.
 *
 * A child of fork() reads nothing of the host: the libraries for reading may have been in use at
 * the fork, and the parent goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metric_run.h"
#include "agent/metrics/metric_stream.h"
#include "agent/spur_host_notes.h"
#include "agent/state/identity.h"
#include "base/own_stack.h"

enum { PARTS = 32, OVERDUE_PERIODS = 3, OVERDUE_MS = 10 /* the clock is coarse */ };

struct lease {
    _Atomic uint64_t owner; /* 0: nobody */
    _Atomic uint64_t renewed_ms;
};

static struct {
    struct spur_metric_choice *choice; /* NULL: no metrics of the host */
    uint32_t n;
    struct spur_metric_choice *of[PARTS];
    struct part {
        char name[SPUR_METRIC_NAME];
        struct spur_metric_readers readers;
        bool has_readers;
        struct lease *lease;
        OTF2_MetricRef class, instance;
        OTF2_Type type[SPUR_METRICS_MAX];
    } part[PARTS];
    bool is_defined;
    uint64_t self; /* this process, as an owner */
    struct spur_metric_stream stream;
    _Atomic uint64_t next_ms;
} host;

/* ---- the start ---- */

static void add_part(struct spur_metric_choice *choice, const char *name)
{
    char why[SPUR_METRIC_TEXT];
    struct part *part = &host.part[host.n];
    host.of[host.n++] = choice;
    part->class = OTF2_UNDEFINED_METRIC;
    snprintf(part->name, sizeof part->name, SPUR_HOST_NOTE "-metrics-%s", name);
    part->has_readers = spur_metric_open_readers(choice, &part->readers, why);
    spur_metric_types(choice, part->type);
}

void spur_metric_host_start(const char *list)
{
    const char *name;
    if (!list)
        return;
    host.choice = spur_metric_choose("SPUR_METRICS_ASYNC", list, SPUR_METRICS_OF_HOST);
    while (host.choice && host.n < PARTS) {
        struct spur_metric_choice *of =
            spur_metric_choose_part(host.choice, host.of, host.n, &name);
        if (!of)
            break;
        add_part(of, name);
    }
}

const struct spur_metric_choice *spur_metric_host_choice(void)
{
    return host.choice;
}

static uint64_t number_of(const char *name)
{
    const uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3; /* FNV-1a */
    uint64_t number = basis;
    for (; *name; name++)
        number = (number ^ (unsigned char)*name) * prime;
    return number | 1;
}

void spur_metric_host_define(void)
{
    host.self = number_of(spur_process.name);
    host.is_defined = host.n > 0;
}

/* ---- leases ---- */

static bool has_lease(const struct part *part)
{
    return part->lease && atomic_load(&part->lease->owner) == host.self;
}

static bool is_overdue(const struct lease *lease, uint64_t now)
{
    uint64_t after = OVERDUE_PERIODS * (uint64_t)host.choice->period_ms + OVERDUE_MS;
    return now > atomic_load(&lease->renewed_ms) + after;
}

/* The time is written first: a process that sees the new owner also sees a fresh time. */
static bool take_lease(struct part *part, uint64_t now)
{
    if (!part->lease)
        part->lease = spur_host_note_map(part->name, sizeof *part->lease);
    if (!part->lease)
        return false;
    uint64_t owner = atomic_load(&part->lease->owner);
    if (owner != host.self && owner && !is_overdue(part->lease, now))
        return false;
    atomic_store(&part->lease->renewed_ms, now);
    return owner == host.self ||
           atomic_compare_exchange_strong(&part->lease->owner, &owner, host.self);
}

/* ---- values ---- */

/*
 * The location is made at the first record, since only few of many processes record metrics of the
 * host.
 */
static bool open_part(struct part *part, const struct spur_metric_choice *choice)
{
    (void)spur_metric_stream_open(&host.stream, "Metrics of the host");
    if (!host.stream.loc)
        return false;
    if (part->class == OTF2_UNDEFINED_METRIC) {
        part->class =
            spur_metric_define_class(choice, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
        part->instance =
            spur_metric_stream_instance(&host.stream, part->class, OTF2_SCOPE_SYSTEM_TREE_NODE);
    }
    return true;
}

static void write_part(struct part *part, const struct spur_metric_choice *choice)
{
    static OTF2_MetricValue value[SPUR_METRICS_MAX];
    if (!spur_metric_read_all(choice, &part->readers, value))
        return; /* no values now */
    if (!open_part(part, choice) || !spur_metric_stream_begin(&host.stream))
        return;
    host.stream.instance = part->instance;
    spur_metric_stream_put(&host.stream, NULL, (uint8_t)choice->n, part->type, value);
    spur_metric_stream_end(&host.stream);
}

/* Call with the lock. The last values are written only for parts whose lease this process has. */
static void write_values_here(bool is_last)
{
    uint64_t now = spur_metric_now_ms();
    for (uint32_t i = 0; i < host.n; i++) {
        struct part *part = &host.part[i];
        if (!part->has_readers || !(is_last ? has_lease(part) : take_lease(part, now)))
            continue;
        write_part(part, host.of[i]);
        if (is_last)
            atomic_store(&part->lease->owner, 0);
    }
}
static void write_values(bool is_last);
SPUR_DOOR_VOID(write_values, (bool, is_last))

static void write_locked(bool is_last)
{
    int saved = errno;
    spur_lock_take(&host.stream.lock);
    write_values(is_last);
    spur_lock_give(&host.stream.lock);
    errno = saved;
}

void spur_metric_host_open(void)
{
    uint64_t none = 0;
    if (host.is_defined &&
        atomic_compare_exchange_strong(&host.next_ms, &none,
                                       spur_metric_now_ms() + host.choice->period_ms))
        write_locked(false);
}

void spur_metric_host_poll(void)
{
    if (!host.is_defined)
        return;
    uint64_t next = atomic_load_explicit(&host.next_ms, memory_order_relaxed);
    uint64_t now = spur_metric_now_ms();
    if (next && now >= next &&
        atomic_compare_exchange_strong(&host.next_ms, &next, now + host.choice->period_ms))
        write_locked(false);
}

void spur_metric_host_end(void)
{
    if (host.is_defined)
        write_locked(true);
}

void spur_metric_host_after_fork(void)
{
    spur_metric_stream_after_fork(&host.stream);
    for (uint32_t i = 0; i < host.n; i++)
        if (host.part[i].has_readers)
            spur_metric_close_readers(&host.part[i].readers, SPUR_METRIC_BY_CHILD);
    host.n = 0;
    host.is_defined = false;
}
