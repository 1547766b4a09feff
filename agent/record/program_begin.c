/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/program_begin.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/record/event_ways.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "base/mem.h"
#include "base/procfs.h"
#include "session/batch.h"
#include "session/properties.h"
#include "settings/selection.h"

enum { COMMAND_BYTES = 32 << 10, ARGUMENTS = 1024 };

/* The command line, from the properties to ProgramBegin: a process reads it once. */
static struct {
    char *text; /* zero-separated, as the kernel keeps it; long ones are cut */
    long bytes;
} words;

static bool read_words(void)
{
    if (!words.text)
        words.text = spur_mem_new(COMMAND_BYTES);
    if (!words.text)
        return false;
    long n = spur_procfs_read("/proc/self/cmdline", words.text, COMMAND_BYTES);
    words.bytes = n < 0 ? 0 : n;
    return true;
}

static void forget_words(void)
{
    spur_mem_free(words.text, COMMAND_BYTES);
    words.text = NULL;
    words.bytes = 0;
}

void spur_program_begin(struct spur_loc *loc)
{
    OTF2_StringRef *arguments = spur_mem_new(ARGUMENTS * sizeof *arguments);
    uint32_t n = 0;
    if (arguments && (words.text || read_words())) {
        const char *p = words.text + strlen(words.text) + 1; /* behind the name */
        for (; p < words.text + words.bytes && n < ARGUMENTS; p += strlen(p) + 1)
            arguments[n++] = spur_def_text(p);
    }
    OTF2_StringRef name = spur_def_text(spur_session_program());
    spur_def_program(name, n,
                     arguments); /* the event may be lost: see finish/events/finish_ring.h */
    if (name != OTF2_UNDEFINED_STRING)
        (void)is_written(loc, otf2_evt_put_ProgramBegin(&loc->slot->cursor, NULL, loc->now, name, n,
                                                        arguments));
    spur_mem_free(arguments, ARGUMENTS * sizeof *arguments);
    forget_words();
}

static void batch_properties(void)
{
    const struct spur_batch batch = spur_batch_find();
    const struct {
        const char *name, *value;
    } properties[] = {
        {SPUR_PROPERTY_BATCH, batch.system},    {SPUR_PROPERTY_JOB, batch.job},
        {SPUR_PROPERTY_JOB_TASK, batch.task},   {SPUR_PROPERTY_JOB_RESTART, batch.restart},
        {SPUR_PROPERTY_JOB_NODES, batch.nodes}, {SPUR_PROPERTY_JOB_PARTITION, batch.partition},
    };
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (properties[i].value)
            spur_def_property(properties[i].name, properties[i].value);
}

void spur_program_properties(void)
{
    char *text = spur_mem_new(COMMAND_BYTES);
    if (!text)
        return;
    if (read_words())
        memcpy(text, words.text, (size_t)words.bytes + 1);
    for (long i = 0; i + 1 < words.bytes; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    spur_def_property(SPUR_PROPERTY_COMMAND, text);
    if (syscall(SYS_getcwd, text, (unsigned long)COMMAND_BYTES) > 0)
        spur_def_property(SPUR_PROPERTY_DIRECTORY, text);
    ssize_t n = readlink("/proc/self/exe", text, COMMAND_BYTES - 1);
    text[n > 0 ? n : 0] = '\0';
    if (n > 0)
        spur_def_property(SPUR_PROPERTY_EXECUTABLE, text);
    batch_properties();
    spur_selection_say(&spur_settings, text, COMMAND_BYTES);
    if (*text)
        spur_def_property(SPUR_PROPERTY_RECORD, text);
    if (strcmp(spur_settings.mpi, "default") != 0)
        spur_def_property(SPUR_PROPERTY_MPI_GROUPS, spur_settings.mpi);
    if (strcmp(spur_settings.pthread, "contended") == 0)
        spur_def_property(SPUR_PROPERTY_LOCKS, spur_settings.pthread);
    spur_mem_free(text, COMMAND_BYTES);
}
