/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/memory_setting.h"

#include <stdint.h>
#include <string.h>

#include "settings/config.h"

static const char step_is[] = "step=";
enum { STEP_IS = sizeof step_is - 1 };

const char *spur_memory_parse(const char *text, struct spur_memory_setting *out)
{
    struct spur_memory_setting setting = {.is_on = true};
    const char *end = text;
    if (strcmp(text, "off") == 0)
        setting.is_on = false;
    else if (strncmp(text, step_is, STEP_IS) == 0)
        end = spur_size_take(text + STEP_IS, &setting.step);
    else if (strcmp(text, "on") != 0)
        end = NULL;
    if (!end || (end != text && (*end || !setting.step || setting.step > INT64_MAX)))
        return "is not on, off or step=SIZE (a number of bytes, optionally with K, M or G)";
    *out = setting;
    return NULL;
}
