/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The findings about an archive: a line each on stdout, or an object of JSON. The number of lines
 * for each rule is limited. A single worker prints at once and keeps nothing; each of several
 * workers keeps the findings that may have to be printed (findings.h).
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

enum severity { SILENT, REMARK, FAULT, PROGRAM /* a remark: an act of the program */ };

/* The place of a finding. */
struct place {
    const char *file; /* NULL: not about one file */
    uint64_t offset;
    uint64_t location;
    uint64_t event; /* from 0 */
    uint64_t time;
    bool has_offset;
    bool has_location;
    bool has_event;
};

/* An event of a location, after the file of its events was read. */
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
    bool is_foreign;    /* --foreign: judge the archive as if not recorded by spur */
    bool shows_remarks; /* --remarks, --strict */
    bool is_strict;     /* a remark is a fault */
    uint64_t limit;     /* lines of one rule; 0: no limit */
    bool is_disabled[RULES];
    uint64_t counts[RULES];
    uint64_t printed;

    /*
     * Does the archive itself explain a finding of the rule: does the archive say that the missing
     * events were not recorded? Or NULL.
     */
    bool (*explains)(const void *context, enum rule rule, struct place where);
    const void *context;

    /* Of a worker among several: the kept findings, and the order of the current finding. */
    struct findings *kept;
    void (*position)(void *finder, struct position *position);
    void *finder;
};

/* The numbers of the summary. */
struct summary {
    uint64_t events;
    uint64_t locations;
    uint64_t definitions;
    double seconds; /* 0: not printed */
};

/* RULES: no rule has that name. */
enum rule rule_find(const char *name);
const char *rule_name(enum rule rule);

void rules_list(void);

/*
 * `is_cut` tells whether the rule may be broken only because the archive, as it says itself, lacks
 * events.
 */
void rules_markdown(bool (*is_cut)(enum rule rule));

void verdict_begin(struct verdict *v);

/* Report a finding: something in the archive breaks a rule. */
__attribute__((format(printf, 4, 5))) void found(struct verdict *v, enum rule rule,
                                                 struct place where, const char *format, ...);

/* Count a finding, and show the finding if its rule and severity are to be shown. */
void verdict_show(struct verdict *v, enum rule rule, struct place where, const char *text);

/* The last lines. Returns the number of faults. */
uint64_t verdict_end(struct verdict *v, const struct summary *sum);

#endif
