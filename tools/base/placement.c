/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/placement.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"

/* What stands behind "word=" in words with blanks between them; NULL: nothing. */
static const char *find(const char *text, const char *word, size_t *length)
{
    size_t n = strlen(word);
    while (*text) {
        size_t whole = strcspn(text, " ");
        if (whole > n && text[n] == '=' && !strncmp(text, word, n)) {
            *length = whole - n - 1;
            return text + n + 1;
        }
        text += whole;
        text += strspn(text, " ");
    }
    return NULL;
}

static char *text_of(const char *text, const char *word)
{
    size_t length = 0;
    const char *at = find(text, word, &length);
    return make_text("%.*s", at ? (int)length : 0, at ? at : "");
}

static uint64_t number_of(const char *text, const char *word)
{
    size_t length = 0;
    const char *at = find(text, word, &length);
    char *end;
    uint64_t number = at ? strtoull(at, &end, 10) : PLACEMENT_UNKNOWN;
    return at && (end != at + length || !length) ? PLACEMENT_UNKNOWN : number;
}

/* Of "0-3,8": 5. */
static uint64_t count_of(const char *list)
{
    uint64_t n = 0;
    while (*list >= '0' && *list <= '9') {
        char *end;
        uint64_t first = strtoull(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoull(end + 1, &end, 10);
        n += last >= first ? last - first + 1 : 0;
        list = end + (*end == ',');
    }
    return n;
}

struct placement placement_of(const struct defs *d, uint32_t process)
{
    const char *where = defs_text(d, d->processes.at[process].placement);
    const char *used = defs_text(d, d->processes.at[process].usage);
    struct placement p = {
        .cores = text_of(where, "cores"),
        .at_start = text_of(where, "at_start"),
        .seen = text_of(where, "seen"),
        .nodes = text_of(where, "numa_nodes"),
        .peak_kib = number_of(used, "peak_kib"),
        .migrations = number_of(used, "migrations"),
    };
    p.n_cores = count_of(p.cores);
#define COUNT(NAME, word) p.count[SPUR_USAGE_##NAME] = number_of(used, word);
    SPUR_USAGE_COUNTS(COUNT)
#undef COUNT
    return p;
}

void placement_free(struct placement *p)
{
    free(p->cores);
    free(p->at_start);
    free(p->seen);
    free(p->nodes);
}

bool placement_is_known(const struct defs *d, uint32_t process)
{
    return *defs_text(d, d->processes.at[process].placement) != '\0';
}

double placement_ticks(const struct defs *d, uint64_t us)
{
    return us == PLACEMENT_UNKNOWN ? 0.0 : 1e-6 * (double)us * (double)d->clock.ticks_per_second;
}

double placement_cpu(const struct defs *d, const struct placement *p)
{
    const uint64_t user = p->count[SPUR_USAGE_USER], system = p->count[SPUR_USAGE_SYSTEM];
    if (user == PLACEMENT_UNKNOWN || system == PLACEMENT_UNKNOWN)
        return 0.0;
    return placement_ticks(d, user + system);
}
