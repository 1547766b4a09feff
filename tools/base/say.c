/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/say.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_control(unsigned char c)
{
    return c < ' ' || c == 0x7f;
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsay(format, args);
    va_end(args);
}

void vsay(const char *format, va_list args)
{
    char *text = NULL;
    char *line = NULL;
    size_t bytes = 0;
    int n = vasprintf(&text, format, args);
    FILE *out = n >= 0 ? open_memstream(&line, &bytes) : NULL;
    if (!out) {
        fputs("spur: no memory\n", stderr);
    } else {
        fputs("spur: ", out);
        for (const char *c = text; *c; c++) {
            if (*c == '\n')
                fputs("\\n", out);
            else if (is_control((unsigned char)*c))
                fprintf(out, "\\%03o", (unsigned char)*c);
            else
                putc(*c, out);
        }
        putc('\n', out);
        fclose(out);
        fwrite(line, 1, bytes, stderr); /* at once: others write there too */
    }
    free(line);
    if (n >= 0)
        free(text);
}
