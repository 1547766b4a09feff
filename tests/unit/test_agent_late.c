/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
/*
 * A process that begins, or ends, while another one finishes the session: at each moment that
 * decides who has to do what, which the linker's --wrap makes known.
 */
#include <signal.h>
#include <sys/wait.h>

#include "agent/state/identity.h"
#include "agent/state/session.h"
#include "base/beneath.h"
#include "base/raw_file.h"
#include "tests/unit/session_build.h"

/* More than any process may have, so that none of them runs. */
enum { PID = 5000000 };

static const struct spur_finish_options unasked = {.quiet = true, .unasked = true};
static const struct spur_config config = {.dir = "s"};
static char session[SPUR_PATH_BYTES], name[SPUR_NAME_BYTES];

TestSuite(late, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* ---- what happens in between, once ---- */

static void (*at_look)(void), (*at_unclaim)(void), (*at_open)(void);

static void happen(void (**what)(void))
{
    void (*call)(void) = *what;
    *what = NULL;
    if (call)
        call();
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), bytes = strlen(end);
    return length >= bytes && strcmp(path + length - bytes, end) == 0;
}

int __real_spur_file_list(const char *path, int (*each)(void *data, const char *name), void *data);
int __wrap_spur_file_list(const char *path, int (*each)(void *data, const char *name), void *data);
int __wrap_spur_file_list(const char *path, int (*each)(void *data, const char *name), void *data)
{
    if (ends_with(path, "s/.spur") && is_there("s/traces.otf2"))
        happen(&at_look);
    return __real_spur_file_list(path, each, data);
}

int __real_spur_beneath_unlink(const char *path);
int __wrap_spur_beneath_unlink(const char *path);
int __wrap_spur_beneath_unlink(const char *path)
{
    if (ends_with(path, "/finishing"))
        happen(&at_unclaim);
    return __real_spur_beneath_unlink(path);
}

int __real_spur_beneath_open(const char *path, int flags, mode_t mode);
int __wrap_spur_beneath_open(const char *path, int flags, mode_t mode);
int __wrap_spur_beneath_open(const char *path, int flags, mode_t mode)
{
    int fd = __real_spur_beneath_open(path, flags, mode);
    if (ends_with(path, "s/.spur") && (flags & O_PATH))
        happen(&at_open);
    return fd;
}

/* ---- a process that begins ---- */

static void begin(void)
{
    cr_assert_eq(spur_session_open(&config, START, session, name), 0, "%s", session);
}

static void finish(void)
{
    cr_assert_eq(spur_finish("s", &unasked), 0);
}

static void is_in(const char *wanted)
{
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 16];
    cr_assert_str_eq(session, wanted);
    snprintf(path, sizeof path, "%s/.spur/%s", session, name);
    cr_assert(is_there(path), "%s", path);
    cr_assert(is_there("s/traces.otf2") && !is_there("s/s"));
}

Test(late, a_session_is_finished_before_the_folder_is_made_in_it)
{
    fake_process("s", PID, -1, 0, "main", 1);
    at_open = finish;
    begin();
    is_in("s-2");
    cr_assert_not(is_there("s/.spur"));
}

static void put_anchor(void)
{
    put_file("s/traces.otf2", "", 0);
}

Test(late, a_session_is_finished_while_the_folder_is_made_in_it)
{
    fake_process("s", PID, -1, 0, "main", 1);
    at_open = put_anchor;
    begin();
    is_in("s-2");
    cr_assert_not(is_there(in("s/.spur", name)));
}

static pid_t newcomer;

static void begin_beside(void)
{
    int ends[2];
    bool all_right = false;
    cr_assert(pipe(ends) == 0 && (newcomer = fork()) >= 0);
    if (newcomer == 0) {
        spur_session_name(name, (int)getpid(), START);
        all_right = spur_session_make("s/.spur", name) == 0;
        if (write(ends[1], &all_right, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert(read(ends[0], &all_right, 1) == 1 && all_right);
    close(ends[0]);
    close(ends[1]);
}

/*
 * It has chosen the session before there was an anchor file, and has not looked again. It is there:
 * who makes the archive leaves it to the newcomer, which does nothing here.
 */
Test(late, a_folder_is_made_before_newcomers_are_looked_for)
{
    fake_process("s", PID, -1, 0, "main", 1);
    at_look = begin_beside;
    cr_expect_eq(spur_finish("s", &unasked), -EBUSY);
    cr_expect(is_there("s/.spur") && !is_there("s/traces.otf2"));
    cr_assert(kill(newcomer, SIGKILL) == 0 && waitpid(newcomer, NULL, 0) == newcomer);
    finish();
    cr_assert(is_there("s/traces.otf2") && !is_there("s/.spur"));
}

/* ---- a process that ends ---- */

static struct fake running;

static void end(void)
{
    running.head.ended = SPUR_ENDED;
    int fd = open(in(running.dir, "segment"), O_WRONLY);
    cr_assert(fd >= 0 &&
              pwrite(fd, &running.head, sizeof running.head, 0) == (ssize_t)sizeof running.head);
    close(fd);
    cr_assert_eq(spur_finish("s", &unasked), -EBUSY, "another process is at it");
}

Test(late, who_ends_while_another_one_gives_up_is_not_forgotten)
{
    fake_process("s", PID, -1, 0, "main", 1);
    fake_parent(&running, "s");
    fake_define(&running, "main");
    fake_events(&running, 0, 1);
    fake_close(&running, NULL, 0, false);
    at_unclaim = end;
    finish();
    cr_assert(is_there("s/traces.otf2") && !is_there("s/.spur"));
}
