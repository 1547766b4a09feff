/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"
#include "agent/metrics/metrics.h"
#include "agent/process/attached.h"
#include "agent/process/crash.h"
#include "agent/process/environment.h"
#include "agent/process/follow.h"
#include "agent/process/left_out.h"
#include "agent/process/process_files.h"
#include "agent/process/snapshot_signal.h"
#include "agent/record/activity.h"
#include "agent/record/control.h"
#include "agent/record/location.h"
#include "agent/record/object.h"
#include "agent/record/program_begin.h"
#include "agent/record/short_calls.h"
#include "agent/sampling/sample.h"
#include "agent/segment/budget.h"
#include "agent/segment/buffer.h"
#include "agent/segment/disk.h"
#include "agent/segment/gathered.h"
#include "agent/segment/lock_cells.h"
#include "agent/segment/moved.h"
#include "agent/segment/stop.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/context.h"
#include "agent/stacks/script.h"
#include "agent/stacks/site.h"
#include "agent/stacks/stack.h"
#include "agent/stacks/stack_walk.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/file_map.h"
#include "base/helper.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/procfs.h"
#include "base/said_to.h"
#include "session/batch.h"

struct spur_process spur_process;
struct spur_config spur_settings;
uint64_t spur_families;

/* Complaints to be written with the first record, not before. */
static struct {
    uint32_t n;
    const char *line[64];
} complaints;

static struct spur_lock opening;

/* ---- the start ---- */

static bool has_spoken; /* this process, or the process of which this is a copy */

/* One process of a session speaks for all processes: the process that makes this file. */
static bool is_speaker(void)
{
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur/complained", spur_process.place);
    const bool is_first = spur_may_say() && spur_file_mark(path) == 0;
    has_spoken = has_spoken || is_first;
    return is_first;
}

static void forking(void)
{
    if (spur_state_now() == SPUR_ON)
        spur_clock_look(0, 0);
}

/*
 * The fork of a child that comes through here. Other forks are seen by the wiped state. A wrapped
 * call of the parent is left by the child as well, and the child must not write the Leave.
 */
void spur_process_forked(void)
{
    const uint32_t state = spur_state_now();
    if (state == SPUR_UNBORN)
        return;
    /* The child itself has recorded something by now, as in a handler at fork(). */
    if (state != SPUR_CHILD && spur_process.pid == (int)getpid())
        return;
    spur_thread_forked();
    spur_own_stack_after_fork();
    struct spur_loc *loc = spur_self.loc;
    if (loc && atomic_load_explicit(&loc->busy, memory_order_relaxed))
        spur_buffer_part();
    if (loc)
        spur_loc_shut(loc);
    if (!spur_process.has_forked) {
        spur_process.start = spur_clock_moment();
        spur_mem_after_fork();
    }
    spur_process.has_forked = true;
    spur_state_set(SPUR_CHILD);
    spur_walk_after_fork();
    spur_sample_after_fork();
    spur_sample_thread();
}

/* Hosts overwrite their environment (as setproctitle does), so texts are copied. */
static const char *kept(const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *copy = text ? spur_mem_new(bytes) : NULL;
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static void complain(const char *variable, const char *value, const char *why)
{
    char line[1024];
    snprintf(line, sizeof line, "%s=%.768s %s%s", variable, value, why,
             spur_is_attached() ? "" : "; ignored");
    const char *copy = kept(line);
    if (copy)
        spur_complain(copy);
}

/*
 * Chooses the output of messages. Called before main(), while the environment may still be changed.
 * An agent that is attached later must not change the environment.
 */
static void choose_said_to(const struct spur_config *config)
{
    char text[64];
    spur_said_to_start(config->said_to, spur_process.is_rank, text, sizeof text);
    if (!config->said_to && text[0] && !spur_is_attached())
        setenv("SPUR_STDERR", text, 1); // NOLINT(concurrency-mt-unsafe): before main()
}

/* setenv() may move the environment. */
static char *const *settings_now(void)
{
    return spur_is_attached() ? spur_attached_environment() : environ;
}

static struct spur_clock_choice_made clock_choice;

/* A measurement of the kernel's clock counts for all processes of the session. */
static void choose_clock(struct spur_process *p)
{
    const char *measured = spur_settings.clock_measured;
    clock_choice = spur_clock_init(spur_settings.clock, measured);
    p->clock = spur_clock_kind();
    p->start = spur_clock_moment();
    const char *now = clock_choice.measured;
    if (*now && !(measured && strcmp(measured, now) == 0) && !spur_is_attached())
        setenv("SPUR_CLOCK_MEASURED", now, 1); // NOLINT(concurrency-mt-unsafe): before main()
}

static void start_process_here(void)
{
    if (getauxval(AT_SECURE) || !spur_state_map())
        return;
    struct spur_process *p = &spur_process;
    spur_attached_start();
    p->pid = (int)getpid();
    spur_config_read(&spur_settings, settings_now(), complain);
    p->is_launcher = spur_session_is_launcher();
    p->is_rank = spur_session_is_rank();
    choose_clock(p);
    spur_loc_init();
    choose_said_to(&spur_settings);
    if (!spur_is_attached())
        spur_session_announce(&spur_settings);
    spur_config_read(&spur_settings, settings_now(),
                     NULL); /* announced settings count for this process too */
    spur_settings.wrap = spur_follow_families(&spur_settings);
    spur_config_keep(&spur_settings, kept);
    spur_batch_keep(kept);
    spur_helper_keep(kept);
    spur_left_out_start();
    spur_environment_keep(environ);
    spur_session_name(p->own_name, p->pid, p->start.realtime);
    snprintf(p->parent, sizeof p->parent, "%s", spur_settings.creator ? spur_settings.creator : "");
    spur_families = spur_families_listed(spur_settings.wrap);
    pthread_atfork(forking, NULL, spur_process_forked);
    if (!p->is_launcher && !spur_stack_start(spur_sample_depth(), !spur_settings.unwind))
        spur_complain("SPUR_UNWIND: neither libunwind.so.8 nor process_vm_readv(2) can be used, "
                      "calls are recorded without their stacks; install libunwind8");
    if (!p->is_launcher)
        spur_site_start(spur_settings.sites == SPUR_START_ON || spur_settings.memory.from);
    spur_state_set(p->is_launcher || !spur_follow_wants() ? SPUR_OFF : SPUR_ARMED);
    if (spur_state_now() == SPUR_ARMED && !spur_attached_only_judges())
        spur_sample_start();
}
static void start_process(void);
SPUR_DOOR_VOID_ALONE(start_process)

/*
 * Starts the process's recording, once. The libraries loaded with the agent may be started first,
 * and reach the agent only by wrapped calls. Each constructor of the agent comes here: changing
 * stacks is two system calls.
 */
void spur_process_start(void)
{
    static _Atomic bool has_started;
    if (!atomic_exchange(&has_started, true))
        start_process();
}

bool spur_wraps(enum spur_family family)
{
    spur_process_start();
    return spur_families >> family & 1;
}

/*
 * The clock's id is made at the first question: at the start the need is unknown. All threads get
 * the same id.
 */
uint64_t spur_clock_id(void)
{
    struct spur_process *p = &spur_process;
    uint64_t id = atomic_load(&p->clock_id);
    if (!id) {
        int saved = errno;
        id = spur_clock_identify(p->clock);
        atomic_store(&p->clock_id, id);
        errno = saved;
    }
    return id;
}

const char *spur_setting(const char *name)
{
    spur_process_start();
    return spur_config_words(&spur_settings, name);
}

struct spur_memory_setting spur_memory_wanted(void)
{
    spur_process_start();
    return spur_settings.memory;
}

bool spur_python_wanted(void)
{
    return spur_wraps(SPUR_FAMILY_PYTHON) && spur_settings.python == SPUR_START_ON;
}

static void say_late(void *line)
{
    if (has_spoken || is_speaker())
        spur_log("%s", *(const char **)line);
}

/* A constructor may complain after the constructor that opens the process. */
void spur_complain(const char *line)
{
    if (spur_is_open())
        spur_on_own_stack(say_late, &line);
    if (complaints.n < sizeof complaints.line / sizeof complaints.line[0])
        complaints.line[complaints.n++] = line;
}

/* ---- armed, and on ---- */

static void become_child(void)
{
    struct spur_process *p = &spur_process;
    char creators[sizeof p->parent];
    if (!p->has_forked)
        spur_mem_after_fork();
    spur_clock_after_fork(); /* before the clock is read */
    spur_lock_reset(&opening);
    spur_environment_creators(p, creators, sizeof creators);
    memcpy(p->parent, creators, sizeof p->parent);
    spur_moved_follow(&spur_settings);
    p->name[0] = '\0';
    p->archive = NULL;
    p->generation++;
    p->pid = (int)getpid();
    atomic_store(&p->clock_id, 0); /* perhaps another time namespace */
    if (!p->has_forked)
        p->start = spur_clock_moment();
    p->has_forked = false;
    spur_session_name(p->own_name, p->pid, p->start.realtime);
#define FORKED(anew) anew();
#include "agent/process/fork.def"
#undef FORKED
    bool is_wanted = !p->is_launcher && !spur_process_is_over() && spur_follow_wants();
    spur_state_set(is_wanted ? SPUR_ARMED : SPUR_OFF);
}

static const char *remedy(int err)
{
    return err == -EEXIST ? "it holds an archive already, give another directory with -o"
                          : spur_stop_remedy(-err);
}

static int open_files(void *unused)
{
    (void)unused;
    return spur_process_files_open();
}

static bool has_complaints(void)
{
    const char *complaint = spur_settings.filter ? spur_filter_load(spur_settings.filter) : NULL;
    if (complaint)
        spur_complain(complaint);
    return complaints.n || spur_metric_has_complaints();
}

static void say_clock(void)
{
    char text[256];
    spur_clock_describe(text, sizeof text, &clock_choice);
    spur_log("clock: %s", text);
}

static void say_complaints(void)
{
    for (uint32_t i = 0; i < complaints.n; i++)
        spur_log("%s", complaints.line[i]);
    spur_metric_complain();
}

bool spur_process_judge(void)
{
    bool is_wrong = has_complaints();
    if (is_wrong)
        say_complaints();
    return !is_wrong;
}

static bool open_once(void)
{
    struct spur_process *p = &spur_process;
    if (spur_state_now() != SPUR_ARMED)
        return spur_state_now() == SPUR_ON;
    int err = spur_apart(open_files, NULL);
    if (err) {
        spur_process_files_abandon();
        if (spur_left_out_failed(err)) {
            spur_off_silently();
            return false;
        }
        spur_off("nothing is recorded: cannot write to %s: %s; %s", p->dir,
                 spur_beneath_reason(-err), remedy(err));
        return false;
    }
    enum { TELLING = 2 }; /* level of SPUR_VERBOSE */
    bool is_telling = spur_settings.verbose >= TELLING;
    if ((has_complaints() || is_telling) && is_speaker()) {
        if (is_telling)
            say_clock();
        say_complaints();
    }
    spur_metric_define();
    spur_short_define();
    spur_program_properties();
    if (spur_settings.flush == SPUR_FLUSH_RING)
        spur_snapshot_signal();
    spur_sample_tell();
    spur_crash_arm();
    bool is_off = spur_control_starts_off(p->place);
    return spur_state_begin(is_off) && !is_off;
}

/*
 * Opens the process. Two threads of a child cannot meet here: a child of fork() has one thread
 * until the child makes more threads.
 */
static bool spur_process_open_here(void)
{
    if (spur_state_now() == SPUR_CHILD)
        become_child();
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    spur_lock_take(&opening);
    bool on = open_once();
    spur_lock_give(&opening);
    pthread_setcancelstate(cancel, NULL);
    return on;
}
SPUR_DOOR_ALONE(bool, spur_process_open)

/* ---- where processes are recorded ---- */

static void open_now(void)
{
    int saved = errno;
    if (spur_inside())
        return;
    spur_inside_begin();
    if (spur_process_open())
        (void)spur_loc_self();
    spur_inside_end();
    errno = saved;
}

void spur_process_show(void)
{
    if (spur_families >> SPUR_FAMILY_PROCESS & 1)
        open_now();
}

static void spur_process_prepare_here(void)
{
    spur_process_show();
    if (!spur_is_open() || spur_inside())
        return;
    int saved = errno;
    spur_inside_begin();
    (void)spur_loc_self();
    spur_buffer_prepare();
    spur_defs_prepare();
    spur_inside_end();
    errno = saved;
}
SPUR_DOOR_VOID_ALONE(spur_process_prepare)

bool spur_process_is_shown(void)
{
    return spur_is_open();
}

void spur_process_rank(uint32_t rank, uint32_t size)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (!spur_is_open() || !segment)
        return;
    segment->rank = (int32_t)rank;
    segment->size = size;
    segment->identity = spur_segment_identity(segment, segment->pid);
}

void spur_process_finalized(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment)
        segment->finalized = 1;
}

/* ---- entry points of the loader ---- */

static void on_process_exit(int status, void *unused)
{
    (void)unused;
    spur_process_end(status);
}

/*
 * The start by the loader. Handlers run in reverse order of registration. The destructors of all
 * libraries are a single handler, registered after the constructors ran. So the agent's handler is
 * the very last action of the process, and the only place that learns the exit status.
 */
static void start(void *unused)
{
    (void)unused;
    spur_process_start();
    on_exit(on_process_exit, NULL);
    spur_metric_start();
    if (spur_state_now() != SPUR_ARMED || spur_attached_only_judges())
        return;
    if (spur_follow_is_shown())
        spur_process_show();
    if (spur_sample_needs_location() || spur_settings.memory.is_on)
        open_now();
    spur_gauge_open(); /* if the gauge's own constructor has run before this constructor */
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}

/*
 * Runs after the program's own exit handlers and destructors, and before the destructors of the
 * libraries. Libraries tidy up in ways not asked for by the program: MPI transports take thousands
 * of locks.
 */
static void stop_here(void)
{
    uint32_t state = spur_state_now();
    if (spur_is_open() || state == SPUR_ARMED) {
        spur_process_begins_to_end();
        spur_sample_catch_up();
        spur_state_set(SPUR_OFF);
    }
}
__attribute__((destructor)) static void stop(void);
SPUR_DOOR_VOID_ALONE(stop)
