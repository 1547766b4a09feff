/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_text.h"

#include <stdlib.h>
#include <string.h>

#include "format/names.h"

#include "tools/base/plain.h"

static const char replacement[] = "\xef\xbf\xbd";

char *text_valid(const char *text)
{
    char *clean = there(malloc(3 * strlen(text) + 1));
    char *to = clean;
    while (*text) {
        size_t n;
        bool is_none = text_character(text, &n) == NO_CHARACTER && n == 1;
        const char *from = is_none ? replacement : text;
        size_t bytes = is_none ? sizeof replacement - 1 : n;
        memcpy(to, from, bytes);
        to += bytes;
        text += n;
    }
    *to = '\0';
    return clean;
}

static bool is_control(unsigned char c)
{
    return c < ' ' || c == 0x7f;
}

char *text_json(const char *text)
{
    enum { LONGEST = 6 }; /* \u001f */
    char *clean = text_valid(text);
    char *json = there(malloc(LONGEST * strlen(clean) + 3));
    char *to = json;
    *to++ = '"';
    for (const char *c = clean; *c; c++) {
        if (is_control((unsigned char)*c)) {
            to += sprintf(to, "\\u%04x", (unsigned char)*c);
            continue;
        }
        if (*c == '"' || *c == '\\')
            *to++ = '\\';
        *to++ = *c;
    }
    *to++ = '"';
    *to = '\0';
    free(clean);
    return json;
}

char *text_frame(const char *text)
{
    char *clean = text_valid(text);
    for (char *c = clean; *c; c++)
        if (is_control((unsigned char)*c))
            *c = ' ';
        else if (*c == ';')
            *c = ':';
    return clean;
}

char *text_lane(const struct export *x, uint32_t location)
{
    const struct location *l = &x->defs.locations.at[location];
    const char *name = defs_text(&x->defs, l->name);
    return *name ? copy_text(name) : make_text("location %llu", (unsigned long long)l->id);
}

static const char *value_name(enum otf2_enum which, uint32_t value)
{
    const char *name = otf2_enum_name(which, value);
    return name ? name : make_text("%u", value);
}

const char *text_region_role(uint32_t value)
{
    return value_name(OTF2_ENUM_RegionRole, value);
}

const char *text_paradigm(uint32_t value)
{
    return value_name(OTF2_ENUM_Paradigm, value);
}

const char *text_collective(uint32_t value)
{
    return value_name(OTF2_ENUM_CollectiveOp, value);
}

static const char *name(struct export *x, struct names *names, uint32_t index,
                        const char *find(const struct defs *, uint32_t), char *make(const char *))
{
    while (names->at.n <= index)
        *LIST_ADD(&names->at) = NULL;
    if (!names->at.at[index])
        names->at.at[index] = make(find(&x->defs, index));
    return names->at.at[index];
}

const char *names_region(struct export *x, struct names *names, uint32_t region,
                         char *make(const char *))
{
    return name(x, names, region, defs_region_name, make);
}

const char *names_process(struct export *x, struct names *names, uint32_t process,
                          char *make(const char *))
{
    return name(x, names, process, defs_process_name, make);
}

const char *names_comm(struct export *x, struct names *names, uint32_t comm,
                       char *make(const char *))
{
    return name(x, names, comm, defs_comm_name, make);
}
