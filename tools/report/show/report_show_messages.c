/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of messages and of collective operations. */
#include <stddef.h>
#include <stdlib.h>

#include "format/names.h"
#include "tools/report/show/report_sections.h"

/* ---- pairs ---- */

static const struct column columns_messages[] = {
    {"from", "from", UNIT_TEXT, EVERYWHERE, "sending process"},
    {"to", "to", UNIT_TEXT, EVERYWHERE, "receiving process"},
    {"messages", "messages", UNIT_COUNT, UNLESS_ZERO, "messages sent"},
    {"bytes", "volume", UNIT_BYTES, UNLESS_ZERO, "bytes sent"},
    {"avg_bytes", "mean size", UNIT_BYTES, UNLESS_ZERO, "mean bytes of a message"},
    {"rma", "one-sided", UNIT_COUNT, UNLESS_ZERO, "RMA operations of `from` on memory of `to`"},
    {"rma_bytes", "volume", UNIT_BYTES, UNLESS_ZERO,
     "bytes of these operations, in both directions"},
    {"late_sender", "late sender", UNIT_SECONDS, UNLESS_ZERO,
     "seconds that the receiver waited in a receive for the send to begin"},
    {"late_receiver", "late receiver", UNIT_SECONDS, UNLESS_ZERO,
     "seconds that the sender waited in a send for the receive to be posted"},
    {"waiting", "", UNIT_SECONDS, DATA_ONLY, "sum of both"},
};

static bool is_chosen(const struct report *r, uint32_t process)
{
    return r->sums.processes.at[process].is_selected;
}

/* In a window of time a pair may have no numbers. */
static bool is_row(const struct report *r, const struct pair *pair)
{
    return (pair->n || pair->rma || pair->late_sender || pair->late_receiver) &&
           (is_chosen(r, pair->sender) || is_chosen(r, pair->receiver));
}

static void fill_messages(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->messages.pairs.n; i++) {
        const struct pair *pair = &r->messages.pairs.at[i];
        if (!is_row(r, pair))
            continue;
        ROW(t, defs_process_name(&r->defs, pair->sender),
            defs_process_name(&r->defs, pair->receiver), pair->n, pair->bytes,
            pair->n ? cell(pair->bytes / pair->n) : nothing, pair->rma, pair->rma_bytes,
            late(r, pair->late_sender), late(r, pair->late_receiver),
            late(r, pair->late_sender + pair->late_receiver));
    }
}

/* ---- each process ---- */

static const struct column columns_message_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "rank, or name of the location group"},
    {"sent", "sent", UNIT_COUNT, UNLESS_ZERO, "messages"},
    {"sent_bytes", "volume", UNIT_BYTES, UNLESS_ZERO, "bytes"},
    {"received", "to it", UNIT_COUNT, UNLESS_ZERO, "messages received"},
    {"received_bytes", "volume", UNIT_BYTES, UNLESS_ZERO, "bytes"},
    {"rma", "one-sided", UNIT_COUNT, UNLESS_ZERO, "its RMA operations on memory of others"},
    {"rma_bytes", "volume", UNIT_BYTES, UNLESS_ZERO,
     "bytes of these operations, in both directions"},
    {"partners", "partners", UNIT_COUNT, EVERYWHERE,
     "number of processes that it sends to, or on whose memory it operates"},
    {"late_sender", "waits for send", UNIT_SECONDS, UNLESS_ZERO, "seconds"},
    {"late_receiver", "waits for receive", UNIT_SECONDS, UNLESS_ZERO, "seconds"},
};

struct traffic {
    struct pair out;
    struct pair in;
    uint64_t partners;
};

static void fill_message_processes(struct report *r, struct table *t)
{
    size_t room = 0;
    struct traffic *all = list_grow(NULL, &room, r->defs.processes.n + 1, sizeof *all);
    for (size_t i = 0; i < r->messages.pairs.n; i++) {
        const struct pair *pair = &r->messages.pairs.at[i];
        struct traffic *sender = &all[pair->sender];
        struct traffic *receiver = &all[pair->receiver];
        sender->partners++;
        sender->out.n += pair->n;
        sender->out.bytes += pair->bytes;
        sender->out.rma += pair->rma;
        sender->out.rma_bytes += pair->rma_bytes;
        sender->out.late_receiver += pair->late_receiver;
        receiver->in.n += pair->n;
        receiver->in.bytes += pair->bytes;
        receiver->in.late_sender += pair->late_sender;
    }
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!is_chosen(r, i) || (!all[i].out.n && !all[i].in.n && !all[i].out.rma))
            continue;
        ROW(t, defs_process_name(&r->defs, i), all[i].out.n, all[i].out.bytes, all[i].in.n,
            all[i].in.bytes, all[i].out.rma, all[i].out.rma_bytes, all[i].partners,
            late(r, all[i].in.late_sender), late(r, all[i].out.late_receiver));
    }
    free(all);
}

SECTION(message_processes, "messages", "Messages by rank", "messages of each rank",
        .is_only_by = true)

/* ---- matrices ---- */

enum { MATRIX_FROM = 3, MATRIX_TO = 16, MATRIX_CELL = 6, MATRIX_NAME = 10 };

/* At most five characters. */
static void print_short(uint64_t value, unsigned base, FILE *out)
{
    static const char letters[] = " kMGTPE";
    double real = (double)value;
    unsigned i = 0;
    while (real >= 999.5 && letters[i + 1]) {
        real /= base;
        i++;
    }
    if (!value)
        fprintf(out, "%*s", MATRIX_CELL, "-");
    else if (!i)
        fprintf(out, "%*u", MATRIX_CELL, (unsigned)value);
    else
        fprintf(out, "%*.*f%c", MATRIX_CELL - 1, real < 9.95 ? 1 : 0, real, letters[i]);
}

/* What a matrix shows of a pair. */
static const struct matrix {
    const char *title;
    size_t offset;
    unsigned base;
} matrices[] = {
    {"Messages, from rank in rows to rank in columns", offsetof(struct pair, n), 1000},
    {"Bytes, from rank in rows to rank in columns", offsetof(struct pair, bytes), 1024},
    {"One-sided operations, of rank in rows on memory of rank in columns",
     offsetof(struct pair, rma), 1000},
    {"Bytes of one-sided operations, of rows on columns", offsetof(struct pair, rma_bytes), 1024},
};

static uint64_t entry_of(const struct matrix *m, const struct pair *pair)
{
    return *(const uint64_t *)((const char *)pair + m->offset);
}

static bool has_entries(const struct report *r, const struct matrix *m)
{
    for (size_t i = 0; i < r->messages.pairs.n; i++)
        if (entry_of(m, &r->messages.pairs.at[i]))
            return true;
    return false;
}

/* Some of its columns. */
static void print_part(const struct report *r, const uint32_t *who, uint32_t n, uint32_t begin,
                       uint32_t end, const struct matrix *m, FILE *out)
{
    fprintf(out, "%*s", MATRIX_NAME, "");
    for (uint32_t i = begin; i < end; i++)
        fprintf(out, "%*u", MATRIX_CELL, r->defs.processes.at[who[i]].rank);
    fputc('\n', out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%*u", MATRIX_NAME, r->defs.processes.at[who[i]].rank);
        for (uint32_t k = begin; k < end; k++) {
            uint32_t pair = map_find(&r->messages.pair_of, who[i], who[k]);
            print_short(pair == NIL ? 0 : entry_of(m, &r->messages.pairs.at[pair]), m->base, out);
        }
        fputc('\n', out);
    }
}

/* As many columns at once as lines have room for. */
static void print_matrix(const struct report *r, const uint32_t *who, uint32_t n,
                         const struct matrix *m, size_t width, FILE *out)
{
    size_t room = width > MATRIX_NAME + MATRIX_CELL ? (width - MATRIX_NAME) / MATRIX_CELL : 1;
    uint32_t step = room < n ? (uint32_t)room : n;
    fprintf(out, "\n  %s\n", m->title);
    for (uint32_t begin = 0; begin < n; begin += step)
        print_part(r, who, n, begin, begin + step < n ? begin + step : n, m, out);
}

static void matrix_of_messages(struct report *r, const struct look *look, FILE *out)
{
    uint32_t who[MATRIX_TO];
    uint32_t n = 0;
    if (r->defs.processes.n < MATRIX_FROM || r->defs.processes.n > MATRIX_TO)
        return;
    for (uint32_t rank = 0; rank < MATRIX_TO; rank++)
        for (uint32_t i = 0; i < r->defs.processes.n; i++)
            if (r->defs.processes.at[i].rank == rank && n < MATRIX_TO)
                who[n++] = i;
    if (n != r->defs.processes.n || !r->messages.pairs.n)
        return;
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        if (has_entries(r, &matrices[i]))
            print_matrix(r, who, n, &matrices[i], look->width, out);
}

SECTION(messages, "messages", "Messages", "messages between two ranks, and who waited for whom",
        .sort = "waiting", .also = matrix_of_messages)

/* ---- collective operations ---- */

static const struct column columns_collectives[] = {
    {"operation", "operation", UNIT_TEXT, EVERYWHERE, "function"},
    {"kind", "", UNIT_TEXT, DATA_ONLY, "the OTF2 name: BARRIER, ALLREDUCE, ..."},
    {"communicator", "communicator", UNIT_TEXT, EVERYWHERE, "name"},
    {"ranks", "ranks", UNIT_COUNT, EVERYWHERE, "number of ranks in the communicator"},
    {"times", "times", UNIT_COUNT, EVERYWHERE,
     "number of operations that all its ranks took part in"},
    {"calls", "", UNIT_COUNT, DATA_ONLY, "number of calls, all ranks"},
    {"sent_bytes", "", UNIT_BYTES, DATA_ONLY, "bytes of all ranks"},
    {"received_bytes", "", UNIT_BYTES, DATA_ONLY, "bytes of all ranks"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds in the operation, all ranks"},
    {"waiting", "waiting", UNIT_SECONDS, EVERYWHERE,
     "seconds of `time` until the ranks that were needed had entered"},
    {"longest", "longest", UNIT_SECONDS, EVERYWHERE, "longest wait of one rank"},
    {"last", "waits for", UNIT_TEXT, EVERYWHERE, "process that others waited for most"},
    {"last_percent", "caused %", UNIT_PERCENT, EVERYWHERE,
     "percentage of `waiting` for that process"},
};

static void put_collective(struct report *r, struct table *t, uint32_t index)
{
    const struct collective *c = &r->collectives.all.at[index];
    const struct share *culprit = c->culprit == NIL ? NULL : &r->collectives.shares.at[c->culprit];
    const char *kind = otf2_enum_name(OTF2_ENUM_CollectiveOp, c->op);
    ROW(t, collective_name(r, c), kind ? kind : "", defs_comm_name(&r->defs, c->comm),
        defs_comm_size(&r->defs, c->comm), c->instances, c->calls, c->sent, c->received, c->ticks);
    for (int i = 0; i < 2; i++)
        ROW(t,
            c->instances || c->waited ? cell(i ? place_ticks(&c->longest) : c->waited) : nothing);
    ROW(t, culprit ? defs_process_name(&r->defs, culprit->process) : "",
        culprit ? cell(percent_of(culprit->caused, c->waited)) : nothing);
}

static void fill_collectives(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->collectives.all.n; i++) {
        const struct collective *c = &r->collectives.all.at[i];
        if (c->waited || (c->calls && (c->instances || !t->wish->is_brief)))
            put_collective(r, t, i);
    }
}

SECTION(collectives, "collectives", "Collective operations",
        "by operation and communicator, with the ranks that were waited for", .sort = "waiting")
