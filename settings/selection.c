/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/selection.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/word_list.h"
#include "settings/config.h"
#include "settings/families.h"

#define VARIABLES(ROW)                                                                             \
    ROW(WRAP)                                                                                      \
    ROW(MPI) ROW(CUDA) ROW(HIP) ROW(LEVELZERO) ROW(PTHREAD) ROW(IO) ROW(MEMORY) ROW(PYTHON)
#define ID(VARIABLE) VARIABLE,
#define NAME(VARIABLE) "SPUR_" #VARIABLE,
enum { VARIABLES(ID) };
const char *const spur_selection_variables[SPUR_SELECTION_VARIABLES] = {VARIABLES(NAME)};

struct extent {
    int variable;
    const char *alone, *base;
};

static const struct extent extents[SPUR_FAMILIES] = {
#define RECORD(FAMILY, VARIABLE, alone, base) [SPUR_FAMILY_##FAMILY] = {VARIABLE, alone, base},
#include "settings/selection.def"
#undef RECORD
};

static const char *fault; /* of the list under way; NULL: none yet */

__attribute__((format(printf, 1, 2))) static void refuse(const char *format, ...)
{
    static char text[SPUR_SELECTION_BYTES];
    va_list args;
    va_start(args, format);
    if (!fault)
        vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fault = text;
}

static void append(char *text, const char *sign, const char *word, size_t length)
{
    size_t used = strlen(text);
    int n = snprintf(text + used, SPUR_SELECTION_BYTES - used, "%s%s%.*s", used ? "," : "", sign,
                     (int)length, word);
    if (n < 0 || (size_t)n >= SPUR_SELECTION_BYTES - used)
        refuse("is too long");
}

/* ---- a word ---- */

struct word {
    const char *name;
    int length;
    bool is_off;
    const char *groups; /* NULL: none */
    size_t groups_length;
};

static struct word word_of(struct word_list *list)
{
    struct word w = {.is_off = word_list_unsign(list)};
    w.name = list->word;
    size_t name = strcspn(w.name, ":=");
    w.length = (int)(name < list->length ? name : list->length);
    if (name < list->length) {
        w.groups = w.name + name + 1;
        w.groups_length = list->length - name - 1;
    }
    return w;
}

static void take_groups(const struct word *w, const struct extent *extent, char *text)
{
    const char *end = w->groups + w->groups_length;
    if (!extent->alone || !w->groups_length)
        refuse("has nothing to choose among the calls of \"%.*s\"", w->length, w->name);
    else if (w->is_off && !extent->base)
        refuse("can take no group from \"%.*s\": name those to record", w->length, w->name);
    else if (w->is_off && !*text)
        append(text, "", extent->base, strlen(extent->base));
    for (const char *at = w->groups; !fault && at <= end;) {
        size_t length = strcspn(at, ":,");
        append(text, w->is_off ? "-" : "", at, length);
        at += length + 1;
    }
}

static uint64_t take_default(const struct word *w, struct spur_selection *out)
{
    if (w->is_off || w->groups)
        refuse("has a word \"default\" with a sign or a group");
    for (int i = 0; i < SPUR_FAMILIES; i++)
        if (extents[i].base && !*out->text[extents[i].variable])
            append(out->text[extents[i].variable], "", extents[i].base, strlen(extents[i].base));
    return spur_families_listed("default");
}

static uint64_t take_family(const struct word *w, uint64_t set, struct spur_selection *out)
{
    enum spur_family family = spur_family_find(w->name, (size_t)w->length);
    if (family == SPUR_FAMILIES) {
        refuse("names no family of calls by \"%.*s\" (see 'spur help settings')", w->length,
               w->name);
        return set;
    }
    const struct extent *extent = &extents[family];
    char *text = out->text[extent->variable];
    uint64_t bit = (uint64_t)1 << family;
    if (w->groups)
        take_groups(w, extent, text);
    else if (!w->is_off && extent->alone)
        append(text, "", extent->alone, strlen(extent->alone));
    return w->is_off && !w->groups ? set & ~bit : set | bit;
}

/* ---- the list ---- */

const char *spur_selection_read(const char *list, struct spur_selection *out)
{
    uint64_t set = 0;
    fault = NULL;
    memset(out, 0, sizeof *out);
    for (struct word_list words = {.rest = list}; !fault && word_list_next(&words);) {
        struct word w = word_of(&words);
        if (w.length == 7 && memcmp(w.name, "default", 7) == 0)
            set |= take_default(&w, out);
        else
            set = take_family(&w, set, out);
    }
    if (!set)
        refuse("names no family of calls to record");
    if (set != spur_families_listed("default"))
        for (unsigned i = 0; i < SPUR_FAMILIES; i++)
            if (set >> i & 1)
                append(out->text[WRAP], "", spur_family_name(i), strlen(spur_family_name(i)));
    return fault;
}

/* ---- what the settings came to ---- */

static size_t put_variable(char *text, size_t room, const char *variable, const char *value,
                           const char *standard)
{
    if (!value || strcmp(value, standard) == 0)
        return 0;
    int n = snprintf(text, room, "%s=%s ", variable, value);
    return n < 0 || (size_t)n >= room ? 0 : (size_t)n;
}

void spur_selection_say(const struct spur_config *config, char *text, size_t room)
{
    struct spur_config standard;
    char memory[24] = "off";
    size_t used = 0;
    spur_config_read(&standard, NULL, NULL);
    if (config->session && strcmp(config->session, "mixed") == 0)
        standard.wrap = "default,process"; /* agent/process/follow.c */
    if (config->memory.is_on)
        snprintf(memory, sizeof memory, config->memory.from ? "%zu" : "on", config->memory.from);
    const struct {
        const char *value, *standard;
    } rows[SPUR_SELECTION_VARIABLES] = {
        [WRAP] = {config->wrap, standard.wrap},
        [MPI] = {config->mpi, standard.mpi},
        [CUDA] = {config->cuda, standard.cuda},
        [HIP] = {config->hip, standard.hip},
        [LEVELZERO] = {config->levelzero, standard.levelzero},
        [PTHREAD] = {config->pthread, standard.pthread},
        [IO] = {config->io, standard.io},
        [MEMORY] = {memory, "off"},
        [PYTHON] = {config->python == SPUR_START_ON ? "on" : "off", "off"},
    };
    for (int i = 0; i < SPUR_SELECTION_VARIABLES; i++)
        used += put_variable(text + used, room - used, spur_selection_variables[i], rows[i].value,
                             rows[i].standard);
    text[used - (used > 0)] = '\0';
}
