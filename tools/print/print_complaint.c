/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_complaint.h"

#include <stdatomic.h>
#include <stdio.h>

#include "format/error.h"

bool complaint_is_news(OTF2_ErrorCode code)
{
    static atomic_bool was_said;
    return (int)code < 0 || !atomic_exchange(&was_said, true);
}

OTF2_ErrorCode complaint_say(void *user, const char *file, uint64_t line, const char *function,
                             OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user, (void)function;
    if (complaint_is_news(code))
        otf2_error_print(stderr, code, file, line, format, va);
    return code;
}
