/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/nearest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"

enum { LONGEST = 32, FAR = 3, LONG_WORD = 5 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters by which the words differ (optimal string alignment); FAR for long words. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1][LONGEST + 1];
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return FAR;
    for (size_t i = 0; i <= m; i++)
        row[i][0] = i;
    for (size_t k = 0; k <= n; k++)
        row[0][k] = k;
    for (size_t i = 1; i <= m; i++)
        for (size_t k = 1; k <= n; k++) {
            size_t change = row[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            row[i][k] = least(change, least(row[i - 1][k], row[i][k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[i][k] = least(row[i][k], row[i - 2][k - 2] + 1);
        }
    return row[m][n];
}

const char *names_nearest(const char *word, names_row *name, size_t n)
{
    size_t best = strlen(word) < LONG_WORD ? 2 : FAR;
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t far = distance(word, name(i));
        if (far >= best)
            continue;
        best = far;
        nearest = name(i);
    }
    return nearest;
}

static bool was_before(names_row *name, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(name(k), name(i)))
            return true;
    return false;
}

char *names_list(names_row *name, size_t n)
{
    char *list = copy_text("");
    for (size_t i = 0; i < n; i++) {
        if (was_before(name, i))
            continue;
        char *longer = make_text("%s%s%s", list, *list ? ", " : "", name(i));
        free(list);
        list = longer;
    }
    return list;
}
