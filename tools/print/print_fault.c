/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/complaint.h"
#include "tools/print/print_options.h"

OTF2_ErrorCode fault_say(void *user, const char *file, uint64_t line, const char *function,
                         OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    char *said = complaint_is_news(code) ? complaint_line(options.path, code, format, va) : NULL;
    if (said)
        (void)fwrite(said, 1, strlen(said), stderr); /* at once: others write there too */
    free(said);
    return code;
}
