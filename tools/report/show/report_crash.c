/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of processes that crashed, from the property CRASH_STACK: a line for each function,
 * "NAME at FILE:LINE", "NAME in MODULE" or an address in a module.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/report/show/report_sections.h"
#include "tools/report/topics/report.h"

struct crash_frame {
    const char *function, *file; /* never freed */
    uint64_t line;               /* 0: not known, and `file` is the module */
};

static char *last_of(char *text, const char *word)
{
    char *found = NULL;
    for (char *at = strstr(text, word); at; at = strstr(at + 1, word))
        found = at;
    return found;
}

/* Divides the text at the word; what is behind that, or NULL. */
static char *cut(char *text, const char *word)
{
    char *at = last_of(text, word);
    if (!at)
        return NULL;
    *at = '\0';
    return at + strlen(word);
}

static struct crash_frame parse(char *line)
{
    struct crash_frame frame = {.function = line};
    char *file = cut(line, " at ");
    char *number = file ? cut(file, ":") : NULL;
    frame.file = file ? file : cut(line, " in ");
    frame.line = number ? strtoull(number, NULL, 10) : 0;
    return frame;
}

static const struct column columns_crashes[] = {
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "process that crashed"},
    {"thread", "", UNIT_TEXT, DATA_ONLY, "name of the thread that crashed, if it had recorded"},
    {"end", "", UNIT_TEXT, DATA_ONLY, "how the process ended"},
    {"cause", "", UNIT_TEXT, DATA_ONLY, "cause of the signal"},
    {"frame", "frame", UNIT_ID, EVERYWHERE, "0 is the innermost function"},
    {"function", "function", UNIT_TEXT, EVERYWHERE, "name of the function, or module and address"},
    {"place", "at", UNIT_TEXT, TEXT_ONLY, "file and line, or the module"},
    {"file", "", UNIT_TEXT, DATA_ONLY, "source file, or module"},
    {"line", "", UNIT_ID, DATA_ONLY, "line in the file"},
};

static struct cell known(const char *text)
{
    return text && text[0] ? cell(text) : nothing;
}

static const char *thread_of(const struct report *r, const struct process *p)
{
    uint32_t location = p->crashed == OTF2_UNDEFINED_LOCATION
                            ? NIL
                            : map_find(&r->defs.by_id, DEFS_LOCATION, p->crashed);
    return location == NIL ? "" : defs_text(&r->defs, r->defs.locations.at[location].name);
}

static void put_frame(struct report *r, uint32_t process, uint64_t number,
                      const struct crash_frame *frame, struct table *t)
{
    const struct process *p = &r->defs.processes.at[process];
    const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
    const char *name = slash ? slash + 1 : frame->file;
    ROW(t, defs_process_name(&r->defs, process), known(thread_of(r, p)),
        defs_text(&r->defs, p->end), known(defs_text(&r->defs, p->crash_cause)), number,
        frame->function,
        frame->line ? cell(make_text("%s:%llu", name, (unsigned long long)frame->line))
                    : known(name),
        known(frame->file), cell_unless(frame->line, 0));
}

static void fill_crashes(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        char *next = copy_text(defs_text(&r->defs, r->defs.processes.at[i].crash_stack));
        for (uint64_t number = 0; next && *next; number++) {
            char *line = next;
            next = strchr(line, '\n');
            if (next)
                *next++ = '\0';
            struct crash_frame frame = parse(line);
            put_frame(r, i, number, &frame, t);
        }
    }
}

static void crash_causes(struct report *r, const struct look *look, FILE *out)
{
    (void)look;
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        const char *thread = thread_of(r, p), *cause = defs_text(&r->defs, p->crash_cause);
        if (!defs_text(&r->defs, p->crash_stack)[0])
            continue;
        fputs("  ", out);
        text_clean(defs_process_name(&r->defs, i), out);
        fputs(thread[0] ? ", " : "", out);
        text_clean(thread, out);
        fprintf(out, ": %s%s%s\n", defs_text(&r->defs, p->end), cause[0] ? ": " : "", cause);
    }
}

static bool has_crashed(const struct report *r)
{
    for (uint32_t i = 0; i < r->defs.processes.n; i++)
        if (defs_text(&r->defs, r->defs.processes.at[i].crash_stack)[0])
            return true;
    return false;
}

SECTION(crashes, "crashes", "Where it crashed", "call stacks of the threads that processes died of",
        .also = crash_causes, .is_of_interest = has_crashed)
