/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fake agent notes for the tests of wrappers/mpi: what it is called with. */
#ifndef TESTS_MPI_AGENT_H
#define TESTS_MPI_AGENT_H

#include <criterion/criterion.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_host_notes.h"
#include "tests/unit/fake_agent.h"
#include "tests/unit/polls_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* There is no barrier for all threads. */
static bool agent_cannot_fence;

bool spur_fence_threads(void)
{
    if (agent_cannot_fence)
        return false;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return true;
}

/* ---- the agent: the last records, as text ---- */

enum { LOG_BYTES = 1 << 16 };
static char agent_log[LOG_BYTES];
static size_t agent_log_length;

static void agent_log_clear(void)
{
    agent_log_length = 0;
    agent_log[0] = '\0';
}

__attribute__((format(printf, 1, 2))) static void agent_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(agent_log + agent_log_length, LOG_BYTES - agent_log_length, format, args);
    va_end(args);
    if (n > 0 && agent_log_length + (size_t)n < LOG_BYTES)
        agent_log_length += (size_t)n;
}

static void agent_note_cell(const void *value, size_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, value, bytes);
    agent_note(" %llu", (unsigned long long)number);
}

/* The location that drops what is put to it; any other one is recorded. */
#define AGENT_SILENT ((struct spur_loc *)8)

bool spur_is_dropped(const struct spur_loc *loc)
{
    return loc == AGENT_SILENT;
}

#define NOTE(Row, kind, name) agent_note_cell(&name, sizeof(name));
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    void spur_put_##Name(struct spur_loc *loc OTF2_SEQ(AGENT_PARAM, Name, __VA_ARGS__))            \
    {                                                                                              \
        if (loc == AGENT_SILENT)                                                                   \
            return;                                                                                \
        agent_note(#Name);                                                                         \
        OTF2_SEQ(NOTE, Name, __VA_ARGS__)                                                          \
        agent_note("\n");                                                                          \
    }
#include <otf2/otf2_events.def>
#undef EVENT
#undef NOTE

/* Nothing is entered unless the test wants it. */
static bool agent_records;
static bool agent_is_paused;
#define AGENT_LOC ((struct spur_loc *)16)

struct spur_loc *spur_enter_from(struct spur_call *call, struct spur_caller caller)
{
    (void)caller;
    if (!agent_records || agent_is_paused || agent_depth || *call->is_off)
        return NULL;
    agent_depth = 1;
    agent_note("Enter %s\n", call->name);
    return AGENT_LOC;
}
struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded)
{
    (void)call;
    if (!agent_records || agent_depth)
        return NULL;
    agent_depth = 1;
    return is_recorded && !agent_is_paused ? AGENT_LOC : AGENT_SILENT;
}
struct spur_loc *spur_within(void)
{
    if (!agent_records || !agent_depth)
        return NULL;
    return agent_is_paused ? AGENT_SILENT : AGENT_LOC;
}
void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    agent_depth = 0;
    if (loc == AGENT_LOC && !*call->is_off)
        agent_note("Leave %s\n", call->name);
}
void spur_recording(bool on)
{
    if (on == agent_is_paused)
        agent_note("recording goes %s\n", on ? "on" : "off");
    agent_is_paused = !on;
}
void spur_complain(const char *line)
{
    agent_note("complaint: %s\n", line);
}
bool spur_wraps(enum spur_family family)
{
    (void)family;
    return true;
}
void spur_process_rank(uint32_t rank, uint32_t size)
{
    agent_note("rank %u of %u\n", rank, size);
}
void spur_process_mpi_aborts(int code)
{
    agent_note("aborts with %d\n", code);
}
void spur_process_creator(const char *name)
{
    agent_note("started by %s\n", name);
}
const char *spur_process_name(void)
{
    return "me";
}

/* Notes by name, as pairs of texts. */
enum { AGENT_NOTES = 64 };
static char agent_notes[AGENT_NOTES][2][512];

static char *agent_note_find(const char *name)
{
    for (int i = 0; i < AGENT_NOTES; i++)
        if (strcmp(agent_notes[i][0], name) == 0)
            return agent_notes[i][1];
    return NULL;
}
int spur_note_put(const char *name, const char *text)
{
    if (agent_note_find(name))
        return -17;
    for (int i = 0; i < AGENT_NOTES; i++)
        if (!agent_notes[i][0][0]) {
            snprintf(agent_notes[i][0], sizeof agent_notes[i][0], "%s", name);
            snprintf(agent_notes[i][1], sizeof agent_notes[i][1], "%s", text);
            return 0;
        }
    return -28;
}
static bool agent_notes_are_apart;

bool spur_host_notes_are_apart(void)
{
    return agent_notes_are_apart;
}
bool spur_note_is_there(const char *name)
{
    return agent_note_find(name) != NULL;
}
char *spur_note_get(const char *name, size_t *room)
{
    const char *text = agent_note_find(name);
    *room = sizeof agent_notes[0][1];
    return text ? memcpy(spur_mem_new(*room), text, *room) : NULL;
}
void spur_note_remove(const char *name)
{
    char *text = agent_note_find(name);
    if (text)
        memset(text - sizeof agent_notes[0][0], 0, sizeof agent_notes[0]);
}
void spur_note_each(const char *prefix, void *data, void (*each)(void *data, const char *name))
{
    for (int i = 0; i < AGENT_NOTES; i++)
        if (agent_notes[i][0][0] && strncmp(agent_notes[i][0], prefix, strlen(prefix)) == 0)
            each(data, agent_notes[i][0]);
}
uint64_t spur_clock_id(void)
{
    return 1;
}
/* ---- definitions: groups are noted with their members and found again by them ---- */

static char agent_groups[256][128];
static uint32_t agent_group_count;
static uint32_t agent_comm_count;

OTF2_GroupRef spur_def_group(const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                             OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    char text[128];
    int length = snprintf(text, sizeof text, "%d:", (int)type);
    for (uint32_t i = 0; i < n; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %d", (int)members[i]);
    (void)name;
    (void)paradigm;
    (void)flags;
    for (uint32_t i = 0; i < agent_group_count; i++)
        if (strcmp(agent_groups[i], text) == 0)
            return i;
    memcpy(agent_groups[agent_group_count], text, sizeof text);
    return agent_group_count++;
}
void spur_def_world(uint32_t number, const char *process)
{
    agent_note("world %u of %s\n", number, process);
}
OTF2_CommRef spur_def_comm(const char *name, OTF2_GroupRef group, OTF2_CommRef parent,
                           OTF2_CommFlag flags)
{
    agent_note("comm %u '%s' {%s} of %d flags %u\n", agent_comm_count, name ? name : "",
               agent_groups[group], (int)parent, (unsigned)flags);
    return agent_comm_count++;
}
OTF2_CommRef spur_def_intercomm(const char *name, OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                OTF2_CommRef common, OTF2_CommFlag flags)
{
    agent_note("intercomm %u '%s' {%s} {%s} of %d flags %u\n", agent_comm_count, name ? name : "",
               agent_groups[group_a], agent_groups[group_b], (int)common, (unsigned)flags);
    return agent_comm_count++;
}
void spur_def_comm_name(OTF2_CommRef comm, const char *name)
{
    agent_note("name of %u '%s'\n", comm, name);
}
void spur_def_cartesian(OTF2_CommRef comm, uint32_t rank, uint8_t n,
                        const struct spur_dimension *dimension)
{
    agent_note("grid of %u, rank %u:", comm, rank);
    for (uint8_t i = 0; i < n; i++)
        agent_note(" %u of %u%s", dimension[i].coordinate, dimension[i].size,
                   dimension[i].is_periodic ? " periodic" : "");
    agent_note("\n");
}

OTF2_RmaWinRef spur_def_rma_win(const char *name, OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    static uint32_t count;
    agent_note("window %u '%s' on %u flags %u\n", count, name ? name : "", comm, (unsigned)flags);
    return count++;
}
void spur_def_rma_win_name(OTF2_RmaWinRef win, const char *name)
{
    agent_note("name of window %u '%s'\n", win, name);
}

OTF2_IoFileRef spur_def_io_file(const char *path)
{
    static uint32_t count;
    agent_note("file %u '%s'\n", count, path);
    return count++;
}
OTF2_IoHandleRef spur_above(OTF2_CommRef comm)
{
    (void)comm;
    return OTF2_UNDEFINED_IO_HANDLE;
}

void spur_above_comm_by(OTF2_CommRef (*find)(intptr_t handle))
{
    (void)find;
}

OTF2_IoHandleRef spur_def_io_handle(const char *name, OTF2_IoFileRef file,
                                    OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                    OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    static uint32_t count;
    agent_note("handle %u '%s' to %u paradigm %u flags %u comm %d of %d\n", count, name, file,
               paradigm, (unsigned)flags, (int)comm, (int)parent);
    return count++;
}

#endif
