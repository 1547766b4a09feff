/* SPDX-License-Identifier: BSD-3-Clause */
/* links: base */
/* What the tables say is what this C library says. */
#include "base/system_words.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MORE_THAN_ALL = 4096 };

static int differ(const char *ours, const char *theirs)
{
    return !ours != !theirs || (ours && strcmp(ours, theirs) != 0);
}

Test(system_words, errors)
{
    cr_assert_str_eq(spur_error_text(2), "No such file or directory");
    for (int error = -1; error < MORE_THAN_ALL; error++)
        cr_assert_not(differ(spur_error_text(error), strerrordesc_np(error)), "error %d", error);
}

Test(system_words, signals)
{
    cr_assert_str_eq(spur_signal_name(9), "KILL");
    for (int signal = 1; signal < MORE_THAN_ALL; signal++)
        cr_assert_not(differ(spur_signal_name(signal), sigabbrev_np(signal)), "signal %d", signal);
}
