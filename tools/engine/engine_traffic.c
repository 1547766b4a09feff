/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/engine_traffic.h"

#include "tools/base/say.h"

void traffic_exchange(struct engine_traffic *t, const struct worker *worker,
                      const struct engine_bytes *out)
{
    t->exchanges++;
    for (unsigned i = 0; i < worker->size; i++) {
        if (i == worker->rank || !out[i].n)
            continue;
        t->note_messages++;
        t->note_bytes += out[i].n;
    }
}

void traffic_say(struct worker *worker, const struct engine_traffic *t)
{
    enum { NOTE_BYTES, NOTES, RESULT_BYTES, RESULTS, SUMS };
    uint64_t sums[SUMS] = {t->note_bytes, t->note_messages, t->result_bytes, t->result_messages};
    /* The least of what is not sent is the most that is. */
    uint64_t least = UINT64_MAX - t->note_bytes - t->result_bytes;
    worker->how->reduce(worker, &least, sums, SUMS);
    if (worker->rank)
        return;
    say("%u workers (%s) have sent notes: %llu bytes in %llu messages; results: %llu bytes in %llu "
        "messages; the busiest worker: %llu bytes; all have met %llu times and exchanged %llu "
        "times",
        worker->size, worker->how->name, (unsigned long long)sums[NOTE_BYTES],
        (unsigned long long)sums[NOTES], (unsigned long long)sums[RESULT_BYTES],
        (unsigned long long)sums[RESULTS], (unsigned long long)(UINT64_MAX - least),
        (unsigned long long)t->meetings, (unsigned long long)t->exchanges);
}
