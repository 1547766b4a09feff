/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_enums.h"

#include <stdio.h>

#include "tools/print/print_options.h"

/* Values below that are formatted once. */
enum { CACHED = 256, LONGEST = 1024 };

static size_t format_flags(char *text, const struct otf2_enum_info *info, uint32_t value)
{
    size_t n = 0;
    for (size_t i = 0; i < info->nvalues; i++) {
        const struct otf2_enum_value *flag = &info->values[i];
        if (!flag->printed || !(flag->number & value))
            continue;
        n += (size_t)snprintf(text + n, LONGEST - n, "%s%s", n ? ", " : "{", flag->printed);
        value &= ~flag->number;
    }
    if (value)
        n += (size_t)snprintf(text + n, LONGEST - n, "%sINVALID <0x%x>", n ? ", " : "{", value);
    return n + (size_t)snprintf(text + n, LONGEST - n, "}");
}

/* NULL: not known, or not in the version that is printed. */
static const char *name_of(enum otf2_enum which, uint32_t value)
{
    const struct otf2_enum_info *info = &otf2_enums[which];
    for (size_t i = 0; options.as_3_0 && i < info->nvalues; i++)
        if (info->values[i].number == value && *info->values[i].since)
            return NULL;
    return otf2_enum_name(which, value);
}

static size_t format_value(char *text, enum otf2_enum which, uint32_t value)
{
    const char *name = name_of(which, value);
    if (otf2_enums[which].is_flags && value)
        return format_flags(text, &otf2_enums[which], value);
    if (name)
        return (size_t)snprintf(text, LONGEST, "%s", name);
    return (size_t)snprintf(text, LONGEST, "INVALID <%u>", value);
}

static struct text cache[OTF2_ENUMS][CACHED];

static void fill(enum otf2_enum which, uint32_t value)
{
    char text[LONGEST];
    if (!cache[which][value].bytes)
        cache[which][value] = text_copy(text, format_value(text, which, value));
}

void enums_fill(void)
{
    for (unsigned which = 0; which < OTF2_ENUMS; which++)
        for (uint32_t value = 0; value < CACHED; value++)
            fill((enum otf2_enum)which, value);
}

void put_enum(enum otf2_enum which, uint32_t value)
{
    if (value < CACHED) {
        fill(which, value);
        put_text(cache[which][value]);
        return;
    }
    char text[LONGEST];
    put_bytes(text, format_value(text, which, value));
}
