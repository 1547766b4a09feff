/* SPDX-License-Identifier: BSD-3-Clause */
/* What an archive can be written as. */
#ifndef TOOLS_EXPORT_FORMATS_H
#define TOOLS_EXPORT_FORMATS_H

#include "tools/export/export.h"

/*
 * A format is told, in this order: `open`; what happens, in the order of time but for the halves of
 * messages and what `end` brings together; `last`; `again`; `close`. Any of them may be NULL.
 *
 * Several workers each have a struct export. All see all events; each tells the format those of its
 * own slices, whose bytes go to sinks, and `elsewhere` those of others' slices. One of them, which
 * has the output, is told `open`, the bytes in their order, `again` and `close`; `last` comes
 * behind the last slice. What only sums up what each location does has `give` and `join` instead:
 * each worker sees the events of its own locations.
 */
struct format {
    const char *name;
    const char *help;
    double bytes; /* that an event takes, about */
    double limit; /* bytes, when the user names none */
    bool is_file; /* cannot go to standard output */
    bool is_text;
    bool is_slow_to_write;          /* more than half of the work: who writes does nothing else */
    unsigned workers;               /* more are of little use */
    const struct format *elsewhere; /* NULL: nothing has to be known */

    void (*open)(struct export *x);
    /* A call begins: its caller has begun, and what it calls has not. */
    void (*begin)(struct export *x, const struct lane *lane, const struct call *call);
    /* It is over, and what it called is. `caller`: NULL, or the call around it. */
    void (*end)(struct export *x, const struct lane *lane, const struct call *call,
                const struct call *caller);
    /* A message is sent, or was received: the half of `lane` has become known. */
    void (*half)(struct export *x, const struct message *message, bool is_receive);
    /* Both halves are known, or there is only one. */
    void (*message)(struct export *x, const struct message *message);
    void (*collective)(struct export *x, const struct lane *lane, const struct collective *c);
    void (*sample)(struct export *x, const struct lane *lane, const struct sample *sample);
    void (*metric)(struct export *x, const struct lane *lane, const struct metric *metric);
    /* Any other event. */
    void (*point)(struct export *x, const struct lane *lane, uint64_t time, const char *name);
    void (*last)(struct export *x);

    /* Bytes of a stream of another worker's sinks. NULL: they are written as they are. */
    void (*put)(struct export *x, const char *bytes, size_t n);
    void (*give)(struct export *x, struct engine_bytes *bytes);
    void (*join)(struct export *x, const char *bytes, size_t n);
    /* When all events are told, who has the output may read the archive once more. */
    void (*again)(struct export *x);
    void (*close)(struct export *x);
};

extern const struct format format_folded;
extern const struct format format_chrome;
extern const struct format format_csv;
extern const struct format format_sqlite;
extern const struct format format_perfetto;

extern const struct format *const formats[];
extern const size_t n_formats;

#endif
