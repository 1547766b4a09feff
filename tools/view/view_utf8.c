/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_utf8.h"

uint32_t utf8_next(const char **text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)*text;
    unsigned n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t c = n < 2 ? p[0] : p[0] & (0xffu >> (n + 1));
    unsigned i = 1;
    while (i < n && (p[i] & 0xc0) == 0x80)
        c = c << 6 | (p[i++] & 0x3f);
    if (!n || i < n || p[0] >= 0xf8 || c < least[n] || c > 0x10ffff ||
        (c >= 0xd800 && c < 0xe000)) {
        ++*text;
        return UTF8_BAD;
    }
    *text += n;
    return c;
}
