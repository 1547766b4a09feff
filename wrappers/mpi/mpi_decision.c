/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_decision.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/spur_agent.h"
#include "wrappers/mpi/mpi_world.h"

enum { NAP_MAX_MS = 50 };

/* ---- notes ---- */

void mpi_note_name(char *name, const char *kind, const char *key)
{
    snprintf(name, MPI_NOTE_NAME_BYTES, "%s-%s", kind, key);
}

bool mpi_note_is_there(const char *kind, const char *key)
{
    char name[MPI_NOTE_NAME_BYTES];
    mpi_note_name(name, kind, key);
    return spur_note_is_there(name);
}

bool mpi_note_put(const char *kind, const char *key, const char *text)
{
    char name[MPI_NOTE_NAME_BYTES];
    mpi_note_name(name, kind, key);
    return spur_note_put(name, text) == 0;
}

char *mpi_note_get(const char *kind, const char *key, size_t *room)
{
    char name[MPI_NOTE_NAME_BYTES];
    mpi_note_name(name, kind, key);
    return spur_note_get(name, room);
}

void mpi_note_nap(int *ms)
{
    const struct timespec time = {0, *ms * 1000000L};
    syscall(SYS_nanosleep, &time, NULL); /* that of libc is a cancellation point */
    *ms = *ms < NAP_MAX_MS ? *ms + MPI_NOTE_NAP_MS : NAP_MAX_MS;
}

void mpi_note_key(char *key, const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t n = strlen(text);
    if (n < MPI_NOTE_KEY_BYTES / 2) {
        for (size_t i = 0; i <= n; i++)
            key[i] = (char)(text[i] == '/' ? '_' : text[i] == ':' ? '-' : text[i]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    snprintf(key, MPI_NOTE_KEY_BYTES, "%.64s.%zu.%016llx", "port", n, (unsigned long long)hash);
}

/* ---- decisions ---- */

char *mpi_decision_compose(const struct mpi_library *lib, mpi_word comm, int size, const char *word,
                           size_t *room)
{
    mpi_word group = 0;
    size_t roster_room = 0;
    char *text = NULL;
    if (lib->Comm_group(comm, &group) != 0)
        return NULL;
    char *roster = mpi_world_roster(lib, group, size, &roster_room);
    lib->Group_free(&group);
    if (!roster)
        return NULL;
    *room = roster_room + MPI_NOTE_NAME_BYTES;
    text = spur_mem_new(*room);
    if (text)
        snprintf(text, *room, "go %s\n%s", word, roster);
    spur_mem_free(roster, roster_room);
    return text;
}

const char *mpi_decision_word(const char *text, char *word)
{
    const char *end = strncmp(text, "go ", 3) == 0 ? strchr(text, '\n') : NULL;
    snprintf(word, MPI_NOTE_KEY_BYTES, "%.*s", end ? (int)(end - text - 3) : 0, text + 3);
    return word;
}

const char *mpi_decision_roster(const char *decision)
{
    const char *line = strncmp(decision, "go ", 3) == 0 ? strchr(decision, '\n') : NULL;
    return line ? line + 1 : NULL;
}

bool mpi_decision_make(const char *key, const char *text)
{
    return mpi_note_put("go", key, text);
}

char *mpi_decision_await(const char *key, const char *poison, size_t *room)
{
    uint64_t end = spur_now_ms() + MPI_NOTE_PATIENCE_MS;
    int ms = MPI_NOTE_NAP_MS;
    char *text;
    while (!(text = mpi_note_get("go", key, room))) {
        if (spur_now_ms() > end || (poison && mpi_note_is_there("poison", poison))) {
            if (mpi_decision_make(key, "no"))
                return NULL;
            text = mpi_note_get("go", key, room);
            break;
        }
        mpi_note_nap(&ms);
    }
    if (text && !mpi_decision_roster(text)) {
        spur_mem_free(text, *room);
        text = NULL;
    }
    return text;
}
