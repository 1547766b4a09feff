/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/batch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *job, *array, *task, *alone, *restart, *nodes, *partition;
} systems[] = {
#define BATCH_SYSTEM(name, ...) {name, __VA_ARGS__},
#include "session/batch_systems.def"
#undef BATCH_SYSTEM
};

static const char *told(const char *variable)
{
    const char *value = *variable ? secure_getenv(variable) : NULL;
    return value && *value ? value : NULL;
}

static const char *told_restart(const char *variable)
{
    const char *value = told(variable);
    return value && strcmp(value, "0") != 0 ? value : NULL;
}

static struct spur_batch job_kept;
static bool is_kept;

struct spur_batch spur_batch_find(void)
{
    if (is_kept)
        return job_kept;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        const char *job = told(systems[i].job);
        const char *array = told(systems[i].array), *task = told(systems[i].task);
        if (task && strcmp(task, systems[i].alone) == 0)
            task = NULL;
        if (job)
            return (struct spur_batch){systems[i].name,
                                       array ? array : job,
                                       task,
                                       told(systems[i].nodes),
                                       told(systems[i].partition),
                                       told_restart(systems[i].restart)};
    }
    return (struct spur_batch){0};
}

void spur_batch_keep(const char *(*keep)(const char *text))
{
    job_kept = spur_batch_find();
    const char **const texts[] = {&job_kept.job, &job_kept.task, &job_kept.nodes,
                                  &job_kept.partition, &job_kept.restart};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = keep(*texts[i]);
    if (!job_kept.job)
        job_kept = (struct spur_batch){0};
    is_kept = true;
}

/* How many bytes of a job's identity come before its host. */
static int plain(const char *text)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    enum { LONGEST = 24 };
    size_t n = strspn(text, kept);
    return n < LONGEST ? (int)n : LONGEST;
}

/* In a language with UTF-8 Flux begins its numbers with an f that has a hook; it reads both. */
static const char hooked_f[] = "\xc6\x92";

void spur_batch_tag(char tag[SPUR_BATCH_TAG_BYTES])
{
    const struct spur_batch batch = spur_batch_find();
    const size_t hook = sizeof hooked_f - 1;
    tag[0] = '\0';
    if (!batch.system)
        return;
    bool is_hooked = strncmp(batch.job, hooked_f, hook) == 0;
    const char *job = batch.job + (is_hooked ? hook : 0);
    if (plain(job) == 0)
        return;
    int n = snprintf(tag, SPUR_BATCH_TAG_BYTES, "-%s%.*s", is_hooked ? "f" : "", plain(job), job);
    if (batch.task && plain(batch.task) > 0)
        snprintf(tag + n, SPUR_BATCH_TAG_BYTES - (size_t)n, "_%.*s", plain(batch.task), batch.task);
}

void spur_batch_restart(char tag[SPUR_BATCH_RESTART_BYTES])
{
    enum { DIGITS = 10 };
    const char *restart = spur_batch_find().restart;
    size_t n = restart ? strspn(restart, "0123456789") : 0;
    bool is_number = n > 0 && restart[n] == '\0';
    tag[0] = '\0';
    if (restart)
        snprintf(tag, SPUR_BATCH_RESTART_BYTES, "-restart%.*s", is_number ? DIGITS : 0, restart);
}
