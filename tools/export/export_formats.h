/* SPDX-License-Identifier: BSD-3-Clause */
/* What an archive can be written as. */
#ifndef TOOLS_EXPORT_FORMATS_H
#define TOOLS_EXPORT_FORMATS_H

#include "tools/export/export.h"

/*
 * A format is told, in this order: `open`; what happens, in the order of time but for the halves of
 * messages and what `end` brings together; `close`. Any of them may be NULL.
 */
struct format {
    const char *name;
    const char *help;
    double bytes; /* that an event takes, about */
    double limit; /* bytes, when the user names none */
    bool is_file; /* cannot go to standard output */
    bool is_text;

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
