/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_picture.h"

#include <math.h>
#include <string.h>

#include "tools/report/report_findings.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/* So much of its length is shown before and behind it. */
static const double margin = 0.25;

/* A window around a place, in seconds with no more digits than its length needs. */
static const char *window_of(const struct report *r, const struct place *place)
{
    double start = (double)r->defs.clock.start;
    double second = (double)r->defs.clock.ticks_per_second;
    double length = (double)place_ticks(place) / second;
    double from = fmax(0.0, ((double)place->begin - start) / second - margin * length);
    double to = ((double)place->end - start) / second + margin * length;
    int digits = (int)fmin(9.0, fmax(0.0, 2.0 - floor(log10(length))));
    double step = pow(10.0, -digits);
    return make_text("%.*f..%.*f", digits, floor(from / step) * step, digits,
                     ceil(to / step) * step);
}

/* A word of a shell's command. */
static void put_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./-+,:@%=";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    const char *quoted = "";
    for (const char *c = word; *c; c++)
        quoted = make_text(*c == '\'' ? "%s'\\'%c" : "%s%c", quoted, *c);
    text_clean(make_text("'%s'", quoted), out);
}

void picture_text(struct report *r, const struct findings *found, const char *path, FILE *out)
{
    if (!found->all.n || !found->all.at[0].place.location)
        return;
    fprintf(out, "\nTo see 1. as a picture: spur view --time %s ",
            window_of(r, &found->all.at[0].place));
    put_word(path, out);
    fputc('\n', out);
}
