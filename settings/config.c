/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/config.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "settings/families.h"
#include "settings/selection.h"

/* One parser per TYPE: NULL when `s` is well-formed, else what was expected; *out is then kept. */
static const char *parse_TEXT(const char *s, const char **out)
{
    if (!*s)
        return "must not be empty";
    *out = s;
    return NULL;
}

static const char *parse_WORDS(const char *s, const char **out)
{
    return parse_TEXT(s, out);
}

/* The place of `s` among `n` names; n if it is none of them. */
static unsigned find_name(const char *s, const char *const *names, unsigned n)
{
    unsigned i = 0;
    while (i < n && strcmp(s, names[i]) != 0)
        i++;
    return i;
}

static const char *parse_THREADS(const char *s, const char **out)
{
    static const char *const names[] = {"auto", "all", "contended", "lifetime"};
    enum { NAMES = sizeof names / sizeof names[0] };
    if (find_name(s, names, NAMES) == NAMES)
        return "is not auto, all, contended or lifetime";
    *out = s;
    return NULL;
}

static const char *parse_FAMILIES(const char *s, const char **out)
{
    if (!spur_families_are_good(s))
        return "names a family of calls that spur does not know (see 'spur help settings')";
    *out = s;
    return NULL;
}

/* Judged by spread(), before the variables that the list stands for. */
static const char *parse_RECORD(const char *s, const char **out)
{
    return parse_TEXT(s, out);
}

const char *spur_size_take(const char *s, size_t *out)
{
    static const char units[] = "KMG";
    size_t n = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9'; p++) {
        size_t digit = (size_t)(*p - '0');
        if (n > (SIZE_MAX - digit) / 10)
            return NULL;
        n = n * 10 + digit;
    }
    const char *unit = *p ? strchr(units, *p) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (p == s || n > SIZE_MAX >> shift)
        return NULL;
    *out = n << shift;
    return p + (unit != NULL);
}

static const char *parse_SIZE(const char *s, size_t *out)
{
    size_t size;
    const char *end = spur_size_take(s, &size);
    if (!end || *end)
        return "is not a size (a number, optionally with K, M or G)";
    *out = size;
    return NULL;
}

static const char *parse_LIMIT(const char *s, struct spur_limit *out)
{
    struct spur_limit limit = {0, 0, true};
    const char *end = spur_size_take(s, &limit.process);
    if (end && *end == ',')
        end = spur_size_take(end + 1, &limit.all);
    if (!end || *end)
        return "is not a size, or two with a comma (numbers, optionally with K, M or G)";
    *out = limit;
    return NULL;
}

static const char *parse_CLOCK(const char *s, enum spur_clock_choice *out)
{
    static const char *const names[] = {[SPUR_CLOCK_AUTO] = "auto",
                                        [SPUR_CLOCK_WANT_TSC] = "tsc",
                                        [SPUR_CLOCK_WANT_MONOTONIC] = "monotonic"};
    enum { NAMES = sizeof names / sizeof names[0] };
    unsigned i = find_name(s, names, NAMES);
    if (i == NAMES)
        return "is not auto, tsc or monotonic";
    *out = (enum spur_clock_choice)i;
    return NULL;
}

static const char *parse_FLUSH(const char *s, enum spur_flush *out)
{
    static const char *const names[] = {
        [SPUR_FLUSH_WRITE] = "write", [SPUR_FLUSH_RING] = "ring", [SPUR_FLUSH_STOP] = "stop"};
    enum { NAMES = sizeof names / sizeof names[0] };
    unsigned i = find_name(s, names, NAMES);
    if (i == NAMES)
        return "is not write, ring or stop";
    *out = (enum spur_flush)i;
    return NULL;
}

const char *spur_container_parse(const char *s, unsigned *out)
{
    static const char sion[] = "sion";
    enum { MOST = 1000000, BASE = 10 };
    unsigned n = 0;
    const char *p = s + sizeof sion;
    if (strcmp(s, "none") == 0 || strcmp(s, sion) == 0) {
        *out = s[0] == 'n' ? 0 : SPUR_CONTAINER_HOSTS;
        return NULL;
    }
    if (strncmp(s, "sion:", sizeof sion) != 0)
        return "is not none, sion or sion:N";
    for (; *p >= '0' && *p <= '9' && n <= MOST; p++)
        n = n * BASE + (unsigned)(*p - '0');
    if (*p || !n || n > MOST)
        return "is not sion:N with a number N from 1 to 1000000";
    *out = n;
    return NULL;
}

static const char *parse_CONTAINER(const char *s, unsigned *out)
{
    return spur_container_parse(s, out);
}

static const char *parse_LEVEL(const char *s, unsigned *out)
{
    if (s[0] < '0' || s[0] > '9' || s[1])
        return "is not a number from 0 to 9";
    *out = (unsigned)(s[0] - '0');
    return NULL;
}

static const char *parse_SWITCH(const char *s, enum spur_start *out)
{
    bool is_off = strcmp(s, "off") == 0;
    if (!is_off && strcmp(s, "on") != 0)
        return "is neither on nor off";
    *out = is_off ? SPUR_START_OFF : SPUR_START_ON;
    return NULL;
}

static const char *parse_POLLS(const char *s, enum spur_polls_choice *out)
{
    bool is_all = strcmp(s, "all") == 0;
    if (!is_all && strcmp(s, "auto") != 0)
        return "is neither auto nor all";
    *out = is_all ? SPUR_POLLS_ALL : SPUR_POLLS_AUTO;
    return NULL;
}

static const char *parse_COUNT(const char *s, unsigned *out)
{
    enum { COUNT_MAX = 1024 };
    unsigned n = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9' && n <= COUNT_MAX; p++)
        n = n * 10 + (unsigned)(*p - '0');
    if (p == s || *p || n > COUNT_MAX)
        return "is not a number from 0 to 1024";
    *out = n;
    return NULL;
}

static const char *parse_SAMPLE(const char *s, struct spur_sample_setting *out)
{
    return spur_sample_parse(s, out);
}

static const char *parse_MEMORY(const char *s, struct spur_memory_setting *out)
{
    return spur_memory_parse(s, out);
}

static const char *parse_SIGNAL(const char *s, int *out)
{
    return spur_sample_parse_signal(s, out);
}

static const char *parse_DURATION(const char *s, uint64_t *out)
{
    static const char wrong[] = "is not a time (a number with ns, us, ms or s, such as 10us)";
    static const char *const units[] = {"ns", "us", "ms", "s"};
    enum { UNITS = sizeof units / sizeof units[0], NEXT_UNIT = 1000, DAYS = 86400 };
    const uint64_t longest = UINT64_C(1000000000) * DAYS;
    uint64_t n = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9' && n <= longest; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    unsigned unit = find_name(p, units, UNITS);
    if (p == s || n > longest || (unit == UNITS && (n || *p)))
        return wrong;
    for (; unit > 0 && unit < UNITS; unit--)
        n *= NEXT_UNIT;
    if (n > longest)
        return "is longer than a day";
    *out = n;
    return NULL;
}

static bool is_named(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* The value of an entry "NAME=value" is judged by the row of that name. */
// NOLINTNEXTLINE(readability-function-size): a statement a row
static const char *take(struct spur_config *config, const char *entry, const char *value)
{
#define CONFIG(TYPE, name, NAME, default_, help)                                                   \
    if (is_named(entry, "SPUR_" #NAME))                                                            \
        return parse_##TYPE(value, &config->name);
#include "settings/config.def"
#undef CONFIG
    return "is not a setting that spur knows (see 'spur help settings')";
}

/* SPUR_RECORD, if it is well-formed: its texts count as those of the variables that it stands for.
 */
static const char *spread(struct spur_config *config, const char *list)
{
    static struct spur_selection record; /* texts of settings are borrowed */
    const char *why = spur_selection_read(list, &record);
    for (int i = 0; i < SPUR_SELECTION_VARIABLES && !why; i++) {
        char entry[32];
        snprintf(entry, sizeof entry, "%s=", spur_selection_variables[i]);
        if (*record.text[i])
            why = take(config, entry, record.text[i]);
    }
    return why;
}

/* The variables of families go before SPUR_RECORD, wherever both stand. */
static const char *spread_any(struct spur_config *config, char *const *env)
{
    static const char name[] = "SPUR_RECORD=";
    const char *why = NULL;
    for (; env && *env; env++)
        if (strncmp(*env, name, sizeof name - 1) == 0)
            why = spread(config, *env + sizeof name - 1);
    return why;
}

int spur_config_read(struct spur_config *config, char *const *env,
                     void (*complain)(const char *variable, const char *value, const char *why))
{
    *config = (struct spur_config){
#define CONFIG(TYPE, name, NAME, default_, help) .name = default_,
#include "settings/config.def"
#undef CONFIG
    };
    int bad = 0;
    const char *why_not_spread = spread_any(config, env);
    for (; env && *env; env++) {
        const char *value = strchr(*env, '=');
        if (strncmp(*env, "SPUR_", 5) != 0 || !value)
            continue;
        const char *why = take(config, *env, value + 1);
        if (!why && is_named(*env, "SPUR_RECORD"))
            why = why_not_spread;
        if (!why)
            continue;
        bad++;
        char name[64] = "";
        size_t length = (size_t)(value - *env);
        memcpy(name, *env, length < sizeof name - 1 ? length : sizeof name - 1);
        if (complain)
            complain(name, value + 1, why);
    }
    return bad;
}

/* ---- texts ---- */

enum { KIND_VALUE, KIND_TEXT, KIND_WORDS };
enum {
#define CONFIG_TYPE(NAME, c_type, KIND, text) KIND_OF_##NAME = KIND_##KIND,
#include "settings/config_types.def"
#undef CONFIG_TYPE
};

static const struct {
    const char *name;
    size_t at;
    int kind;
} rows[] = {
#define CONFIG(TYPE, member, NAME, default_, help)                                                 \
    {#NAME, offsetof(struct spur_config, member), KIND_OF_##TYPE},
#include "settings/config.def"
#undef CONFIG
};
enum { ROWS = sizeof rows / sizeof rows[0] };

void spur_config_keep(struct spur_config *config, const char *(*keep)(const char *text))
{
    for (size_t i = 0; i < ROWS; i++) {
        const char *text;
        char *at = (char *)config + rows[i].at;
        if (rows[i].kind == KIND_VALUE)
            continue;
        memcpy(&text, at, sizeof text);
        text = keep(text);
        memcpy(at, &text, sizeof text);
    }
}

const char *spur_config_words(const struct spur_config *config, const char *name)
{
    const char *words = NULL;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind == KIND_WORDS && strcmp(rows[i].name, name) == 0)
            memcpy(&words, (const char *)config + rows[i].at, sizeof words);
    return words;
}
