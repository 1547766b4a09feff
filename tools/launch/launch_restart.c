/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job of a batch system that is started again: requeued, or after a node has failed. It has the
 * number that it had, but is another run, and what the earlier one has recorded stays as it is.
 */
#include "session/batch.h"
#include "tools/base/fail.h"
#include "tools/base/say.h"
#include "tools/launch/launch.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A directory that has been recorded in, and of which no archive was made. */
static bool is_left(const char *dir)
{
    char *session = make_text("%s/.spur", dir);
    char *archive = make_text("%s/traces.otf2", dir);
    bool is_so = access(session, F_OK) == 0 && access(archive, F_OK) != 0;

    free(session);
    free(archive);
    return is_so;
}

/* The last such directory of this program that the job has left here before; NULL: none. */
static char *find_left(const char *program, const char *restart)
{
    char *stem = launch_stem(program);
    char *earlier = make_text("%s-", stem), *own = make_text("%s%s-", stem, restart);
    char *last = NULL;
    DIR *folder = opendir(".");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (begins_with(entry->d_name, earlier) && !begins_with(entry->d_name, own) &&
            (!last || strcmp(entry->d_name, last) > 0) && is_left(entry->d_name)) {
            free(last);
            last = copy_text(entry->d_name);
        }
    if (folder)
        closedir(folder);
    free(stem);
    free(earlier);
    free(own);
    return last;
}

static void tell(const char *left, const char *output)
{
    const char *job = spur_batch_find().job;

    if (left)
        say("job %s was started again%s%s; 'spur recover %s' makes the archive of the earlier "
            "start",
            job, output ? ": this start is recorded in " : "", output ? output : "", left);
    else if (output)
        say("job %s was started again: this start is recorded in %s", job, output);
}

const char *launch_restarted(const char *output, const char *program, bool speaks)
{
    char restart[SPUR_BATCH_RESTART_BYTES];

    spur_batch_restart(restart);
    if (!restart[0])
        return output;
    char *given = output ? copy_path(output) : NULL;
    char *own = given ? make_text("%s%s", given, restart) : NULL;
    if (speaks && !launch_is_silent()) {
        char *left = given ? NULL : find_left(program, restart);

        tell(given && is_left(given) ? given : left, own);
        free(left);
    }
    free(given);
    return own;
}
