/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/find/finish_find.h"
#include "finish/finish.h"
#include "finish/finish_archive.h"
#include "finish/finish_tidy.h"
#include "finish/state/finish_team.h"
#include "finish/state/finish_trouble.h"

static const struct finish_step *const steps[] = {&finish_hosts_step,  &finish_see_step,
                                                  &finish_judge_step,  &finish_read_step,
                                                  &finish_events_step, &finish_local_step,
                                                  &finish_tidy_step};

static const struct finish_step *step_of(uint64_t number)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i]->number == number)
            return steps[i];
    return NULL;
}

/* All see one directory, or nothing would come of what the others do. */
static int check_session(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct utsname host;
    struct stat info;
    if (lstat(finish_path(f, NULL, NULL, path), &info) == 0)
        return 0;
    int err = -errno;
    return finish_blame(f, err, "%s on %s", path,
                        uname(&host) < 0 ? "another host" : host.nodename);
}

/* The files of the archive are open as far as the step writes them. */
static int do_open(struct finish *f, const struct finish_step *step, uint64_t *at)
{
    const bool are_definitions = step->number == FINISH_STEP_LOCALS;
    if (!step->writes)
        return finish_each_here(f, step, at);
    OTF2_ErrorCode error = finish_open_archive(f);
    if (!error && are_definitions)
        error = OTF2_Archive_OpenDefFiles(f->archive);
    int err = finish_check(f, error, "traces");
    if (!err)
        err = finish_each_here(f, step, at);
    if (err)
        return err;
    error = are_definitions ? OTF2_Archive_CloseDefFiles(f->archive)
                            : OTF2_Archive_CloseEvtFiles(f->archive);
    return finish_check(f, error, "traces");
}

static int take_processes(struct finish *f, struct finish_reading_words *from, uint64_t n,
                          unsigned columns)
{
    int err = 0;
    for (uint64_t i = 0; i < n && !err; i++) {
        struct finish_process *p = finish_add(f);
        err = p ? finish_get_process(from, p, columns) : -ENOMEM;
    }
    return err;
}

static void serve(struct finish *f, const struct finish_step *step, struct spur_words *answer)
{
    uint64_t at = 0;
    f->is_helping = true;
    finish_place_archive(f);
    int err = check_session(f);
    if (!err && step->number == FINISH_STEP_HOSTS)
        err = finish_hosts_scan(f);
    else if (!err)
        err = do_open(f, step, &at);
    finish_put_result(answer, f, err, at);
    finish_put(answer, &f->n_processes, sizeof f->n_processes);
    finish_team_put(answer, f->process, f->n_processes, step->takes);
}

int spur_finish_serve(const char *dir, const uint64_t *message, uint64_t n,
                      const struct spur_finish_crew *crew, struct spur_words *answer)
{
    enum { DIGEST, STEP, PROCESSES, HEAD };
    struct finish_reading_words from = {message, n};
    uint64_t head[HEAD];
    int err = finish_get(&from, head, sizeof head);
    const struct finish_step *step = err ? NULL : step_of(head[STEP]);
    if (!step || head[DIGEST] != finish_team_digest())
        return -EPROTO;
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->dir = dir;
    err = finish_get_session(&from, f, step->gives);
    f->options.crew = *crew;
    if (!err)
        err = take_processes(f, &from, head[PROCESSES], step->gives | FINISH_COLUMN(WHO));
    if (!err)
        serve(f, step, answer);
    finish_free(f);
    spur_mem_free(f, sizeof *f);
    return err ? err : answer->failed ? -ENOMEM : 0;
}
