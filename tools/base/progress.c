/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { FROM = 4 * PROGRESS_STEP, CELLS = 40 };

static bool is_shown, is_passed_on;
static uint64_t all;

void progress_is_passed_on(void)
{
    is_passed_on = true;
}

void progress_begin(uint64_t events)
{
    all = events;
    is_shown = all >= FROM && (is_passed_on || isatty(STDERR_FILENO));
    progress_show(0);
}

void progress_show(uint64_t done)
{
    if (!is_shown)
        return;
    unsigned cells = done < all ? (unsigned)((double)done / (double)all * (double)CELLS) : CELLS;
    fprintf(stderr, "\r[%.*s%*s] %3u %%  %llu M events", (int)cells,
            "########################################", (int)(CELLS - cells), "",
            cells * 100 / CELLS, (unsigned long long)(done / 1000000));
}

void progress_clear(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
}

void progress_end(void)
{
    progress_clear();
    is_shown = false;
}
