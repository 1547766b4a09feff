/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/state/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/state/identity.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "base/beneath.h"
#include "base/raw_file.h"
#include "session/local_place.h"

/*
 * Who has started the session, or a part of it on this host: in a folder of an earlier one, whose
 * directory had the same name, nothing must be recorded.
 */
static const char *find_starter(const struct spur_config *config, char *room, size_t size)
{
    if (config->launcher)
        return config->launcher;
    if (config->root)
        return config->root;
    if (config->job)
        return config->job;
    if (!spur_session_job(room, size))
        snprintf(room, size, "sid-%d", (int)getsid(0));
    return room;
}

static int find_place(const struct spur_config *config, char *place)
{
    char starter[64];
    return spur_local_place(config->local, find_starter(config, starter, sizeof starter),
                            config->dir, place);
}

/* Take the place into use. -ESTALE: the session is over. */
static int settle(const char *place, const char *dir)
{
    int err = spur_local_settle(place, dir);
    if (err || !spur_session_is_over(dir))
        return err;
    err = spur_local_leave(place, dir);
    return err ? err : -ESTALE;
}

/* Held. *is_local: what went wrong is about the place, and not about `dir`. */
static int open_held(const struct spur_config *config, const char *place, const char *name,
                     char *dir, bool *is_local)
{
    enum { TRIES = 4 };
    char session[SPUR_FILE_PATH_BYTES];
    *is_local = true;
    int err = spur_local_home(place, dir);
    for (int i = 0; (err == -ENOENT || err == -ESTALE) && i < TRIES; i++) {
        err = spur_session_begin(config, dir);
        *is_local = err == 0;
        if (!err)
            err = settle(place, dir);
    }
    snprintf(session, sizeof session, "%s/.spur", place);
    return err ? err : spur_session_make(session, name);
}

static int open_local(const struct spur_config *config, const char *name, char *dir, char *place,
                      bool *is_local)
{
    *is_local = true;
    int err = config->local[0] == '/' ? find_place(config, place) : -EINVAL;
    if (err)
        return err;
    int held = spur_local_hold(place, true, geteuid());
    if (held < 0)
        return held;
    err = open_held(config, place, name, dir, is_local);
    if (err)
        (void)rmdir(place); /* unless others use it */
    spur_file_close(held);
    return err;
}

static const char *complain(const struct spur_config *config, int err)
{
    static char line[SPUR_PATH_BYTES];
    snprintf(line, sizeof line,
             "SPUR_LOCAL=%.512s cannot be used: %s; processes of this host record in SPUR_DIR "
             "itself; give a directory that each host has and that you may write to",
             config->local,
             err == -EINVAL ? "its name does not begin with /" : spur_beneath_reason(-err));
    return line;
}

int spur_place_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *place,
                    char *name, const char **complaint)
{
    bool is_local = false;
    *complaint = NULL;
    if (config->local && *config->local) {
        spur_session_name(name, (int)getpid(), start_ns);
        int err = open_local(config, name, dir, place, &is_local);
        if (!err)
            return 0;
        name[0] = '\0'; /* nothing of it is ours to be removed */
        memcpy(place, dir, SPUR_PATH_BYTES);
        if (!is_local)
            return err;
        *complaint = complain(config, err);
    }
    int err = spur_session_open(config, start_ns, dir, name);
    memcpy(place, dir, SPUR_PATH_BYTES);
    return err;
}

bool spur_place_is_local(void)
{
    return strcmp(spur_process.place, spur_process.dir) != 0;
}

const char *spur_place_here(char *room)
{
    if (spur_process.name[0])
        return spur_process.place;
    const struct spur_config *config = &spur_settings;
    if (config->local && config->local[0] == '/' && find_place(config, room) == 0)
        return room;
    return config->dir;
}
