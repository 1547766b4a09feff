/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is found wrong with an archive: a line each on stdout, or an object of JSON; of each rule
 * only so many. One worker prints as it finds, so that nothing is kept; several keep what they may
 * have to print (findings.h).
 */
#ifndef CHECK_VERDICT_H
#define CHECK_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum rule {
#define GROUP(title)
#define RULE(NAME, name, foreign, own, text) RULE_##NAME,
#include "tools/check/rules.def"
#undef GROUP
#undef RULE
    RULES
};

enum severity { SILENT, REMARK, FAULT, PROGRAM /* a remark: the program did so */ };

/* Where something was found. */
struct place {
    const char *file; /* NULL: not of one file */
    uint64_t offset;
    uint64_t location;
    uint64_t event; /* from 0 */
    uint64_t time;
    bool has_offset;
    bool has_location;
    bool has_event;
};

/* An event of a location, when the file that it stands in has been read. */
static inline struct place place_at(uint64_t location, uint64_t event, uint64_t time)
{
    return (struct place){.location = location,
                          .event = event,
                          .time = time,
                          .has_location = true,
                          .has_event = true};
}

struct findings;
struct position;

struct verdict {
    const char *archive;
    bool is_json;
    bool is_quiet;
    bool is_own;        /* the archive was recorded by spur, or --own */
    bool is_foreign;    /* --foreign: judge it as if not */
    bool shows_remarks; /* --remarks, --strict */
    bool is_strict;     /* a remark is a fault */
    uint64_t limit;     /* lines of one rule; 0: no limit */
    bool is_disabled[RULES];
    uint64_t counts[RULES];
    uint64_t printed;

    /* Whether the archive itself says that what would break the rule was not recorded; or NULL. */
    bool (*explains)(const void *context, enum rule rule, struct place where);
    const void *context;

    /* Of one worker of several: where findings are kept, and the order of the current one. */
    struct findings *kept;
    void (*position)(void *finder, struct position *position);
    void *finder;
};

/* What the numbers of the summary mean. */
struct summary {
    uint64_t events;
    uint64_t locations;
    uint64_t definitions;
    double seconds; /* 0: not to be told */
};

/* RULES if there is no rule of that name. */
enum rule rule_find(const char *name);
const char *rule_name(enum rule rule);

void rules_list(void);

/* `is_cut` tells whether an archive that says what it does not hold may break the rule by that. */
void rules_markdown(bool (*is_cut)(enum rule rule));

void verdict_begin(struct verdict *v);

/* Found something that breaks a rule. */
__attribute__((format(printf, 4, 5))) void found(struct verdict *v, enum rule rule,
                                                 struct place where, const char *format, ...);

/* A finding that was made: shows it if it is one to be shown, and counts it. */
void verdict_show(struct verdict *v, enum rule rule, struct place where, const char *text);

/* The last lines. Returns the number of faults. */
uint64_t verdict_end(struct verdict *v, const struct summary *sum);

#endif
