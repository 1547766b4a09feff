/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {{"", 1.0},    {"s", 1.0},   {"ms", 1e-3},
                                    {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}};
static const struct unit sizes[] = {
    {"", 1.0}, {"K", 0x1p10}, {"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}};

static double number(const char *text, const char *end, const struct unit *units, size_t n)
{
    char word[32] = ""; /* alone: "0..1" begins with "0." */
    char *rest;
    if (text == end || (size_t)(end - text) >= sizeof word)
        return -1.0;
    memcpy(word, text, (size_t)(end - text));
    double value = strtod(word, &rest);
    if (rest == word || !(value >= 0.0) || !isfinite(value))
        return -1.0;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(units[i].name, rest))
            return value * units[i].factor;
    return -1.0;
}

double quantity_seconds(const char *text, const char *end)
{
    return number(text, end, times, sizeof times / sizeof times[0]);
}

double quantity_bytes(const char *text, const char *end)
{
    return number(text, end, sizes, sizeof sizes / sizeof sizes[0]);
}

bool quantity_window(const char *text, double *from, double *to)
{
    const char *dots = strstr(text, "..");
    const char *end = text + strlen(text);
    *from = dots == text ? 0.0 : dots ? quantity_seconds(text, dots) : -1.0;
    *to = !dots ? -1.0 : dots + 2 == end ? INFINITY : quantity_seconds(dots + 2, end);
    return *from >= 0.0 && *to >= *from;
}

uint64_t quantity_whole(double value)
{
    const double beyond = 18446744073709551616.0;
    return !(value > 0.0) ? 0 : value < beyond ? (uint64_t)value : UINT64_MAX;
}

__extension__ typedef unsigned __int128 wide;

uint64_t quantity_share(uint64_t all, uint64_t part, uint64_t whole)
{
    return (uint64_t)((wide)all * part / whole);
}
