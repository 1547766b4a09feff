/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPUs of the host the process sees, by the rules of CUDA_VISIBLE_DEVICES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/metrics/sources/metric_nvml.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Numbers of CUDA are those of NVML if both count along the bus, or if it cannot matter. */
static bool is_numbered_alike(const struct spur_nvml_gpus *gpus, const char *order)
{
    if (order && strcmp(order, "PCI_BUS_ID") == 0)
        return true;
    for (unsigned i = 1; i < gpus->n; i++)
        if (strcmp(gpus->gpu[i].name, gpus->gpu[0].name) != 0)
            return false;
    return true;
}

/* The one whose UUID begins with `text`; -1: none, or several. */
static int by_uuid(const struct spur_nvml_gpus *gpus, const char *text)
{
    int found = -1;
    for (unsigned i = 0; i < gpus->n; i++) {
        if (!begins(gpus->gpu[i].uuid, text))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* "MIG-GPU-UUID/1/0" tells the GPU; "MIG-UUID" has to be asked for. */
static int by_part(const struct spur_nvml_gpus *gpus, char *text, spur_nvml_whole_of *whole_of)
{
    char *whole = text + strlen("MIG-");
    if (!begins(whole, "GPU-"))
        return whole_of(text);
    whole[strcspn(whole, "/")] = '\0';
    return by_uuid(gpus, whole);
}

/* -1: CUDA takes neither this word, nor those behind it. */
static int by_word(const struct spur_nvml_gpus *gpus, char *word, spur_nvml_whole_of *whole_of)
{
    char *end;
    if (begins(word, "GPU-"))
        return by_uuid(gpus, word);
    if (begins(word, "MIG-"))
        return by_part(gpus, word, whole_of);
    if (word[0] < '0' || word[0] > '9')
        return -1;
    unsigned long number = strtoul(word, &end, 10);
    return *end == '\0' && number < gpus->n ? (int)number : -1;
}

bool spur_nvml_see(struct spur_nvml_gpus *gpus, const char *list, const char *order,
                   spur_nvml_whole_of *whole_of)
{
    char word[SPUR_NVML_TEXT + 16];
    for (unsigned i = 0; i < gpus->n; i++)
        gpus->gpu[i].is_visible = !list;
    while (list) {
        list += strspn(list, " ");
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), list);
        word[strcspn(word, " ")] = '\0';
        if (word[0] >= '0' && word[0] <= '9' && !is_numbered_alike(gpus, order))
            return false;
        int number = by_word(gpus, word, whole_of);
        if (number < 0)
            break;
        gpus->gpu[number].is_visible = true;
        list = list[length] ? list + length + 1 : NULL;
    }
    return true;
}
