/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/say.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *say_line(const char *format, va_list args)
{
    char *text = NULL;
    char *line = NULL;
    size_t bytes = 0;
    int n = vasprintf(&text, format, args);
    FILE *out = n >= 0 ? open_memstream(&line, &bytes) : NULL;
    if (out) {
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
    }
    if (n >= 0)
        free(text);
    return line;
}

void vsay(const char *format, va_list args)
{
    char *line = say_line(format, args);
    if (line)
        fwrite(line, 1, strlen(line), stderr); /* at once: others write there too */
    else
        fputs("spur: no memory\n", stderr);
    free(line);
}
