/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/memory_setting.h"

#include <string.h>

#include "settings/config.h"

/* The end of a number that follows `name`; NULL: there is none, or it is not from 1 on. */
static const char *take_number(const char *word, const char *name, size_t *out)
{
    size_t length = strlen(name);
    size_t number;
    const char *end =
        strncmp(word, name, length) == 0 ? spur_size_take(word + length, &number) : NULL;
    if (!end || !number || number > INT64_MAX)
        return NULL;
    *out = number;
    return end;
}

static const char *take_word(const char *word, struct spur_memory_setting *setting)
{
    const char *end = take_number(word, "step=", &setting->step);
    if (!end)
        end = take_number(word, "seed=", &setting->seed);
    if (!end)
        end = take_number(word, "frames=", &setting->frames);
    return end ? end : take_number(word, "", &setting->from);
}

const char *spur_memory_parse(const char *text, struct spur_memory_setting *out)
{
    struct spur_memory_setting setting = {.is_on = strcmp(text, "off") != 0,
                                          .frames = SPUR_MEMORY_FRAMES};
    const char *at = text;
    if (strcmp(text, "on") != 0 && setting.is_on)
        while ((at = take_word(at, &setting)) && *at == ',')
            at++;
    if (!at || (at != text && *at))
        return "is not on, off or a comma list of SIZE, step=SIZE, seed=NUMBER and frames=NUMBER "
               "(a SIZE is a number of bytes from 1 on, optionally with K, M or G)";
    *out = setting;
    return NULL;
}
