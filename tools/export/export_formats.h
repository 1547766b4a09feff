/* SPDX-License-Identifier: BSD-3-Clause */
/* The output formats for an archive. */
#ifndef TOOLS_EXPORT_FORMATS_H
#define TOOLS_EXPORT_FORMATS_H

#include "tools/export/export.h"

/*
 * A format is called in this order: `open`; the events, in the order of time except for the halves
 * of messages and the items completed at an `end`; `last`; `again`; `close`. Any function may be
 * NULL.
 *
 * Each of several workers has a struct export. All workers see all events. Each worker passes the
 * events of its own slices to the format, whose bytes go to sinks, and the events of all other
 * slices to `elsewhere`. The worker with the output calls `open`, writes the bytes in their order,
 * and calls `again` and `close`; `last` comes behind the last slice. A format that only sums up by
 * location has `give` and `join` instead: each worker sees the events of its own locations.
 */
struct format {
    const char *name;
    const char *help;
    double bytes; /* of an event, about */
    double limit; /* bytes, when the user names no limit */
    bool is_file; /* cannot go to standard output */
    bool is_text;
    bool is_slow_to_write; /* more than half of the work: the writing worker does nothing else */
    unsigned workers;      /* more are of little use */
    const struct format *elsewhere; /* NULL: a worker may ignore the slices of other workers */

    void (*open)(struct export *x);
    /* A call begins: after its caller, and before the calls inside. */
    void (*begin)(struct export *x, const struct lane *lane, const struct call *call);
    /* A call is over, as are all calls inside. `caller`: NULL, or the call around the call. */
    void (*end)(struct export *x, const struct lane *lane, const struct call *call,
                const struct call *caller);
    /* A message is sent, or was received: the half of `lane` has become known. */
    void (*half)(struct export *x, const struct message *message, bool is_receive);
    /* Both halves are known, or only one half exists. */
    void (*message)(struct export *x, const struct message *message);
    void (*collective)(struct export *x, const struct lane *lane, const struct collective *c);
    void (*sample)(struct export *x, const struct lane *lane, const struct sample *sample);
    void (*metric)(struct export *x, const struct lane *lane, const struct metric *metric);
    /* Any other event. */
    void (*point)(struct export *x, const struct lane *lane, uint64_t time, const char *name);
    void (*last)(struct export *x);

    /* Bytes of a stream from another worker's sinks. NULL: the bytes are written unchanged. */
    void (*put)(struct export *x, const char *bytes, size_t n);
    void (*give)(struct export *x, struct engine_bytes *bytes);
    void (*join)(struct export *x, const char *bytes, size_t n);
    /* After all events, the worker with the output may read the archive once more. */
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
