/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/plain.h"

#include <string.h>

uint32_t text_character(const char *text, size_t *bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    uint32_t code = n == 1 ? c[0] : n ? c[0] & (0x7fu >> n) : 0;
    *bytes = 1;
    for (size_t i = 1; i < n; i++) {
        if (c[i] >> 6 != 2)
            return NO_CHARACTER;
        code = code << 6 | (c[i] & 0x3fu);
    }
    if (!n || code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return NO_CHARACTER;
    *bytes = n;
    return code;
}

bool text_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

void json_text(const char *text, FILE *out)
{
    size_t bytes;
    fputc('"', out);
    for (; *text; text += bytes) {
        uint32_t code = text_character(text, &bytes);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (text_is_control(code) || (code == NO_CHARACTER && bytes == 1))
            fprintf(out, "\\u%04x", code);
        else
            fwrite(text, 1, bytes, out);
    }
    fputc('"', out);
}

void csv_text(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
