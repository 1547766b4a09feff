/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/progress.h"
#include "tools/check/findings.h"

struct rule_info {
    const char *group; /* of the first rule of a group, else NULL */
    char name[28];
    unsigned char foreign, own; /* enum severity */
    const char *text;
};

/* One row too many in front of each group: its title, which the functions below skip over. */
static const struct rule_info rows[] = {
#define GROUP(title) {title, "", 0, 0, ""},
#define RULE(NAME, name, foreign, own, text) {NULL, #name, foreign, own, text},
#include "tools/check/rules.def"
#undef GROUP
#undef RULE
};

static const char *const severity_names[] = {"silent", "remark", "fault", "remark"};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Whom a rule blames. What is no fault in spur's own archives either, a program may have done. */
static const char *blamed(const struct rule_info *row, bool is_cut)
{
    if (row->own == PROGRAM)
        return is_cut ? "the program, or the cut" : "the program";
    if (row->own == REMARK)
        return is_cut ? "the agent, the program, or the cut" : "the agent or the program";
    return is_cut ? "the agent, or the cut" : "the agent";
}

static const struct rule_info *row_of(enum rule rule)
{
    unsigned left = rule;
    for (unsigned i = 0; i < ROWS; i++)
        if (!rows[i].group && left-- == 0)
            return &rows[i];
    return NULL;
}

const char *rule_name(enum rule rule)
{
    static char names[RULES][sizeof rows[0].name];
    char *name = names[rule];
    if (!*name) {
        memcpy(name, row_of(rule)->name, sizeof rows[0].name);
        for (char *c = name; *c; c++)
            if (*c == '_')
                *c = '-';
    }
    return name;
}

enum rule rule_find(const char *name)
{
    for (unsigned rule = 0; rule < RULES; rule++)
        if (strcmp(rule_name((enum rule)rule), name) == 0)
            return (enum rule)rule;
    return RULES;
}

void rules_list(void)
{
    unsigned rule = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        if (rows[i].group)
            printf("%s%s\n", i ? "\n" : "", rows[i].group);
        else
            printf("  %-22s %-6s %-6s %s\n", rule_name((enum rule)rule++),
                   severity_names[rows[i].foreign], severity_names[rows[i].own], rows[i].text);
    }
}

static void judged_markdown(void)
{
    static const struct {
        const char *record, *fault;
        enum rule rule;
    } judged[] = {
#define JUDGED(record, fault, RULE) {record, fault, RULE_##RULE},
#include "tools/check/judged.def"
#undef JUDGED
    };
    puts("\n## What is judged of records of I/O and memory\n\n"
         "Of any record an undefined reference (`reference`, `event-reference`), an unknown value "
         "of an\n"
         "enumeration or a flag (`enum-unknown`), a place outside of calls (`event-outside`) and a "
         "wrong attribute\n"
         "(`attribute`) are found as well. `IoDeleteFile` has no more rules: other names and other "
         "processes may\n"
         "make a file anew.\n\n"
         "| record | what may be wrong | rule |\n|---|---|---|");
    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++)
        printf("| `%s` | %s | `%s` |\n", judged[i].record, judged[i].fault,
               rule_name(judged[i].rule));
}

static void object_markdown(void)
{
    puts("\n## The object that --json prints\n\n"
         "| member | what it is |\n|---|---|\n"
         "| `spur_check` | 1, the version of this format; "
         "[check.schema.json](check.schema.json) is its JSON Schema |\n"
         "| `archive` | what was given on the command line |\n"
         "| `findings` | an array of objects with `rule`, `severity` and `text`; if known, also "
         "`file`, `offset`, `location`, `event` (from 0) and `time`; `blames` if the program did "
         "this. Remarks only with `--remarks`; `--limit` bounds the findings of each rule |\n"
         "| `rules` | an array of objects with `rule`, `severity` and `count`, one per broken rule "
         "|\n"
         "| `faults`, `remarks` | their number, including those that are not shown |\n"
         "| `events`, `locations`, `definitions` | how much was read |");
}

void rules_markdown(bool (*is_cut)(enum rule rule))
{
    unsigned rule = 0;
    puts("# Rules of spur check\n\n"
         "`spur check` applies these rules to any archive. Archives that spur itself has recorded "
         "must\n"
         "meet more of them.\n\n"
         "- A *fault* means that the archive is wrong; the exit status is 1.\n"
         "- A *remark* means that the archive is unusual but legal.\n"
         "- *blames* says who can break the rule. *The program*: the archive is true, the program "
         "did\n"
         "  this, and the remark ends with \"(the program did)\". *The agent*: only the recording "
         "tool\n"
         "  can be wrong. A remark about one of spur's own archives may also have either cause.\n"
         "- *The cut*: an archive may say that something is missing (a process was killed, a "
         "buffer was\n"
         "  a ring, the disk was full, recording was paused or filtered). What this explains is "
         "not\n"
         "  reported.\n\n"
         "`spur check --markdown` prints this page.");
    for (unsigned i = 0; i < ROWS; i++) {
        if (rows[i].group)
            printf("\n## %s\n\n| rule | any archive | spur's own | blames | what holds of a good "
                   "archive |\n"
                   "|---|---|---|---|---|\n",
                   rows[i].group);
        else
            printf("| `%s` | %s | %s | %s | %s |\n", rule_name((enum rule)rule),
                   severity_names[rows[i].foreign], severity_names[rows[i].own],
                   blamed(&rows[i], is_cut((enum rule)rule)), rows[i].text);
        rule += !rows[i].group;
    }
    judged_markdown();
    object_markdown();
}

/* ---- text and JSON ---- */

static void print_json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const void *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f) /* bytes of any character set stay valid JSON */
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void print_place(struct place at)
{
    if (at.file)
        printf("%s", at.file);
    if (at.has_offset)
        printf(" offset %" PRIu64, at.offset);
    if (at.has_location)
        printf("%slocation %" PRIu64, at.file ? " " : "", at.location);
    if (at.has_event)
        printf(" event %" PRIu64 " at %" PRIu64, at.event, at.time);
    if (at.file || at.has_location)
        fputs(": ", stdout);
}

static void print_json_place(struct place at)
{
    if (at.file) {
        fputs(", \"file\": ", stdout);
        print_json_text(at.file);
    }
    if (at.has_offset)
        printf(", \"offset\": %" PRIu64, at.offset);
    if (at.has_location)
        printf(", \"location\": %" PRIu64, at.location);
    if (at.has_event)
        printf(", \"event\": %" PRIu64 ", \"time\": %" PRIu64, at.event, at.time);
}

static bool is_program(enum rule rule)
{
    const struct rule_info *row = row_of(rule);
    return row && row->own == PROGRAM;
}

static enum severity severity_of(const struct verdict *v, enum rule rule)
{
    const struct rule_info *row = row_of(rule);
    unsigned severity = v->is_own && !v->is_foreign ? row->own : row->foreign;
    return severity == PROGRAM ? REMARK : (enum severity)severity;
}

void verdict_begin(struct verdict *v)
{
    if (!v->is_json)
        return;
    fputs("{\"spur_check\": 1,\n \"archive\": ", stdout);
    print_json_text(v->archive);
    fputs(",\n \"findings\": [", stdout);
}

static void print_finding(struct verdict *v, enum rule rule, struct place where, const char *text)
{
    enum severity severity = severity_of(v, rule);
    progress_clear();
    if (v->is_json) {
        printf("%s\n  {\"rule\": \"%s\", \"severity\": \"%s\"", v->printed++ ? "," : "",
               rule_name(rule), severity_names[severity]);
        print_json_place(where);
        fputs(", \"text\": ", stdout);
        print_json_text(text);
        fputs(is_program(rule) ? ", \"blames\": \"program\"}" : "}", stdout);
    } else if (!v->is_quiet) {
        printf("%s %s: ", severity_names[severity], rule_name(rule));
        print_place(where);
        for (const char *c = text; *c; c++) /* a finding is one line, whatever is in its texts */
            putchar((unsigned char)*c < 0x20 ? '?' : *c);
        puts(is_program(rule) ? " (the program did)" : "");
    }
}

static bool is_shown(const struct verdict *v, enum rule rule)
{
    return severity_of(v, rule) != REMARK || v->shows_remarks;
}

void verdict_show(struct verdict *v, enum rule rule, struct place where, const char *text)
{
    if (v->counts[rule]++ >= v->limit && v->limit)
        return;
    if (is_shown(v, rule))
        print_finding(v, rule, where, text);
}

void found(struct verdict *v, enum rule rule, struct place where, const char *format, ...)
{
    char text[600] = "";
    va_list arguments;

    if (severity_of(v, rule) == SILENT || v->is_disabled[rule] ||
        (v->explains && v->explains(v->context, rule, where)))
        return;
    bool has_text = is_shown(v, rule) && (v->kept || !v->limit || v->counts[rule] < v->limit);
    if (has_text) {
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
    }
    if (!v->kept) {
        verdict_show(v, rule, where, text);
        return;
    }
    struct position position;
    v->position(v->finder, &position);
    findings_keep(v->kept, v, rule, &position, where, has_text ? text : NULL);
}

static void print_more(const struct verdict *v, enum rule rule)
{
    enum severity severity = severity_of(v, rule);
    if (v->limit && v->counts[rule] > v->limit && (severity == FAULT || v->shows_remarks))
        printf("%s %s: %" PRIu64 " more\n", severity_names[severity], rule_name(rule),
               v->counts[rule] - v->limit);
}

static void print_json_end(const struct verdict *v, const uint64_t *total,
                           const struct summary *sum)
{
    const char *comma = "";
    fputs("],\n \"rules\": [", stdout);
    for (unsigned rule = 0; rule < RULES; rule++) {
        if (!v->counts[rule])
            continue;
        printf("%s\n  {\"rule\": \"%s\", \"severity\": \"%s\", \"count\": %" PRIu64 "}", comma,
               rule_name((enum rule)rule), severity_names[severity_of(v, (enum rule)rule)],
               v->counts[rule]);
        comma = ",";
    }
    printf("],\n \"faults\": %" PRIu64 ", \"remarks\": %" PRIu64 ", \"events\": %" PRIu64
           ", \"locations\": %" PRIu64 ", \"definitions\": %" PRIu64 "}\n",
           total[FAULT], total[REMARK], sum->events, sum->locations, sum->definitions);
}

uint64_t verdict_end(struct verdict *v, const struct summary *sum)
{
    uint64_t total[FAULT + 1] = {0};
    for (unsigned rule = 0; rule < RULES; rule++)
        total[severity_of(v, (enum rule)rule)] += v->counts[rule];
    if (v->is_json) {
        print_json_end(v, total, sum);
    } else if (!v->is_quiet) {
        for (unsigned rule = 0; rule < RULES; rule++)
            print_more(v, (enum rule)rule);
        printf("%" PRIu64 " faults, %" PRIu64 " remarks in %" PRIu64 " events of %" PRIu64
               " locations",
               total[FAULT], total[REMARK], sum->events, sum->locations);
        if (sum->seconds > 0)
            printf(" (%.1f million events/s)", (double)sum->events / sum->seconds / 1e6);
        putchar('\n');
    }
    return total[FAULT] + (v->is_strict ? total[REMARK] : 0);
}
