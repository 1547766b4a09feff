/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <signal.h>
#include <sys/wait.h>

#include "agent/definitions/definitions.h"
#include "agent/spur_agent.h"
#include "agent/stacks/code_map.h"
#include "base/helper.h"
#include "base/said_to.h"
#include "code/code_state.h"
#include "tests/unit/session_build.h"

/* PID is larger than any system's last pid, so that no process has the number. */
enum { PID = 5000000 };

static const struct spur_finish_options quiet = {.quiet = true};
static const struct spur_construct parallel = {"parallel", OTF2_REGION_ROLE_PARALLEL,
                                               OTF2_PARADIGM_OPENMP, NULL};
static const struct spur_construct barrier = {"barrier", OTF2_REGION_ROLE_BARRIER,
                                              OTF2_PARADIGM_OPENMP, "sync"};
static char text[1 << 20];

TestSuite(finish_code, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

static __attribute__((noinline)) const void *here(void)
{
    __asm__ volatile(""); /* every call is made */
    return __builtin_return_address(0);
}

/* A process whose journal the agent writes. The process has entered its region 0. */
static struct fake *begin(uint32_t pid)
{
    static struct fake p;
    fake_open(&p, "s", pid, -1, 0);
    cr_assert(spur_defs_open(p.dir) == 0);
    return &p;
}

static void end(struct fake *p)
{
    spur_def_location(0, NULL, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
    cr_assert(spur_defs_copy(&p->journal));
    spur_defs_close();
    fake_events(p, 0, 1);
    unlink(in(p->dir, "journal"));
    fake_close(p, NULL, 0, true);
}

static void finish(void)
{
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
}

static void wants(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void wants(const char *format, ...)
{
    char wanted[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    cr_assert(strstr(text, wanted), "%s is missing in\n%s", wanted, text);
}

static int count(const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

Test(finish_code, a_place_has_file_and_line)
{
    struct fake *p = begin(PID);
    const void *address = here();
    const int line = __LINE__ - 1;
    cr_assert(spur_def_region_at(&parallel, address) == 0);
    cr_assert(spur_def_region_at(&barrier, address) == 1);
    cr_assert(spur_def_region_at(&parallel, NULL) == 2);
    end(p);
    finish();
    wants("Name: \"!$omp parallel @test_finish_code.c:%d\"", line);
    wants("(Aka. \"omp parallel\"");
    wants("Descr.: \"parallel\"");
    wants("Name: \"!$omp barrier @test_finish_code.c:%d\"", line);
    wants("Descr.: \"sync\"");
    wants("Begin: %d", line);
    wants("tests/unit/test_finish_code.c\"");
    wants("Name: \"!$omp parallel\"");
    wants("File: \"OPENMP\"");
}

/* Two addresses of a line, as in an unrolled loop, are the same place. */
Test(finish_code, one_line_is_one_region)
{
    struct fake *p = begin(PID);
    // clang-format off
    const void *one = here(), *two = here(); const int line = __LINE__;
    // clang-format on
    cr_assert(one != two);
    cr_assert(spur_def_region_at(&parallel, one) == 0);
    cr_assert(spur_def_region_at(&parallel, two) == 1);
    end(p);
    finish();
    char name[64];
    snprintf(name, sizeof name, "Name: \"!$omp parallel @test_finish_code.c:%d\"", line);
    cr_assert(count(name) == 1, "%s", text);
    cr_assert(count("\nREGION ") == 1, "%s", text);
}

static int plain_lock;
struct test_pool {
    long before[4];
    int lock;
} test_pool;
int in_critical __asm__(".gomp_critical_user_queue.var");
int in_reduction __asm__(".gomp_critical_user_.reduction.var");

static void wants_lock(uint32_t lock, const char *name)
{
    wants("Name: \"SPUR::LOCK::%u\" ", lock);
    const char *at = strstr(text, "LOCATION_GROUP_PROPERTY");
    char key[64];
    snprintf(key, sizeof key, "Name: \"SPUR::LOCK::%u\" ", lock);
    at = at ? strstr(at, key) : NULL;
    char value[128];
    snprintf(value, sizeof value, "Value: \"%s\" ", name);
    const char *end = at ? strchr(at, '\n') : NULL;
    const char *found = at ? strstr(at, value) : NULL;
    cr_assert(found && found < end, "lock %u is not %s in\n%s", lock, name, text);
}

Test(finish_code, a_lock_has_the_name_of_its_variable)
{
    static int inner;
    const void *const locks[] = {&plain_lock, &test_pool.lock, &in_critical, &in_reduction, &inner};
    struct fake *p = begin(PID);
    plain_lock = inner = 1; /* keeps the compiler from taking constants */
    for (uint32_t i = 0; i < sizeof locks / sizeof locks[0]; i++) {
        uint32_t data = spur_data_at(locks[i]);
        cr_assert(data == i);
        spur_def_lock(3 * i, data);
    }
    int on_stack = 0;
    void *on_heap = malloc(64);
    cr_assert(spur_data_at(&on_stack) == OTF2_UNDEFINED_UINT32);
    cr_assert(spur_data_at(on_heap) == OTF2_UNDEFINED_UINT32);
    cr_assert(spur_data_at((const void *)(uintptr_t)&here) == OTF2_UNDEFINED_UINT32, "code");
    cr_assert(spur_data_at((const void *)64) == OTF2_UNDEFINED_UINT32, "nothing");
    free(on_heap);
    end(p);
    finish();
    wants_lock(0, "plain_lock");
    wants_lock(3, "test_pool+0x20");
    wants_lock(6, "critical(queue)");
    wants_lock(9, "reduction");
    wants_lock(12, "inner");
}

static struct spur_cell cell(const char *words)
{
    return (struct spur_cell){strlen(words), words};
}

/* The journal of a process with places in a module; `path` does not lead to the module. */
static void fake_places(struct spur_words *journal, const char *identity, const char *path)
{
    BUILD(journal, Module, cell(identity));
    BUILD(journal, ModuleFile, {0}, cell(path), {0}, {0});
    BUILD(journal, Code, {0}, {0x1234});
    BUILD(journal, Data, {0}, {0x5678});
    BUILD(journal, LockAt, {7}, {0});
    BUILD(journal, RegionAt, cell("parallel"), cell("parallel"), {OTF2_REGION_ROLE_PARALLEL},
          {OTF2_PARADIGM_OPENMP}, {0}, {OTF2_UNDEFINED_UINT32});
    BUILD(journal, Location, {0}, {OTF2_UNDEFINED_STRING}, {1}, {0});
}

static void fake_other(uint32_t pid, const char *identity, const char *path)
{
    struct fake p;
    fake_open(&p, "s", pid, -1, 0);
    fake_places(&p.journal, identity, path);
    fake_events(&p, 0, 1);
    fake_close(&p, NULL, 0, true);
}

Test(finish_code, what_is_gone_is_named_by_module_and_offset)
{
    fake_other(PID, "00112233", "/nowhere/libgone.so");
    fake_other(PID + 1, "00112233", "/elsewhere/copy.so");
    fake_other(PID + 2, "445566", "/nowhere/libgone2.so");
    finish();
    cr_assert(count("Name: \"!$omp parallel @libgone.so+0x1234\"") == 1, "%s", text);
    wants("@libgone2.so+0x1234");
    cr_assert(count("\nREGION ") == 2, "%s", text);
}

Test(finish_code, a_file_that_has_changed_is_not_used)
{
    char self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert(n > 0);
    self[n] = '\0';
    fake_other(PID, "00112233", self);
    cr_redirect_stderr();
    char none[64];
    spur_said_to_start(NULL, false, none, sizeof none); /* stderr: the place for messages */
    finish();
    wants("Name: \"!$omp parallel @test_finish_code+0x1234\"");
    char line[1024], wanted[1024];
    FILE *said = cr_get_redirected_stderr();
    cr_assert(fgets(line, sizeof line, said));
    snprintf(wanted, sizeof wanted,
             "spur: %s is not the file that was run: places in it have no names\n", self);
    cr_assert_str_eq(line, wanted);
}

/* A number that no process has: `pid` and the test's own pid behind. */
static const char *map_path(uint32_t pid)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%u%d.map", pid, (int)getpid());
    return path;
}

static void fake_map(uint32_t pid, const char *lines)
{
    put_file(map_path(pid), lines, strlen(lines));
}

Test(finish_code, code_that_the_program_has_made)
{
    static const char map[] = "1000 100 first\n1200 80 second version\n1200 80 last\n";
    fake_map(PID, map);
    fake_other(PID, "[jit] host.1.1", map_path(PID));
    fake_other(PID + 1, "[jit] host.2.1", "/tmp/perf-0.map");
    finish();
    unlink(map_path(PID));
    wants("Name: \"!$omp parallel @last\"");
    wants("Name: \"!$omp parallel @[jit]\"");
}

/* Lines are in the order in which functions were made; each function lies where room was. */
Test(finish_code, maps_in_any_order)
{
    static const char *const maps[] = {
        "1200 80 wanted\n1000 100 below\n1300 100 above\n100 10 lowest\n",
        "9000 10 a\n1200 80 wanted\n1100 10 b\n1280 10 c\n1000 10 d\n",
        "1000 1000 old and large\n1230 10 wanted\n",                /* replaced in a part */
        "1230 10 old and small\n1200 20 other\n1000 1000 wanted\n", /* as a whole */
        "1234 1 wanted\n1235 1 other\n1000 100 another\n",
    };
    for (uint32_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        fake_map(PID + i, maps[i]);
        fake_other(PID + i, i ? "[jit] host.2.1" : "[jit] host.1.1", map_path(PID + i));
        finish();
        unlink(map_path(PID + i));
        wants("Name: \"!$omp parallel @wanted\"");
        cr_assert(system("rm -rf s") == 0); /* NOLINT(concurrency-mt-unsafe): one thread */
    }
}

/* A line about replaced code tells nothing any more. */
Test(finish_code, replaced_code_has_no_name)
{
    fake_map(PID, "1000 1000 old and large\n1230 2 new and small\n");
    fake_other(PID, "[jit] host.1.1", map_path(PID));
    finish();
    unlink(map_path(PID));
    wants("Name: \"!$omp parallel @[jit]\"");
}

/* Anybody can make a map in /tmp, and a journal can name any file. */
Test(finish_code, maps_of_others_are_not_read)
{
    static const char map[] = "1200 80 foreign\n";
    char elsewhere[512], here_is[400];
    snprintf(elsewhere, sizeof elsewhere, "%s/perf-1.map", getcwd(here_is, sizeof here_is));
    put_file("perf-1.map", map, sizeof map - 1);
    fake_other(PID, "[jit] host.1.1", elsewhere);
    fake_other(PID + 1, "[jit] host.2.1", "/tmp/perf-../../etc/passwd.map");
    (void)unlink(map_path(PID + 2));
    cr_assert(symlink(elsewhere, map_path(PID + 2)) == 0);
    fake_other(PID + 2, "[jit] host.3.1", map_path(PID + 2));
    fake_map(PID + 3, map);
    if (geteuid() == 0) { /* otherwise no second user for the map */
        cr_assert(chown(map_path(PID + 3), 65534, 65534) == 0);
        fake_other(PID + 3, "[jit] host.4.1", map_path(PID + 3));
    }
    finish();
    unlink(map_path(PID + 2));
    unlink(map_path(PID + 3));
    cr_assert(strstr(text, "foreign") == NULL, "%s", text);
    wants("Name: \"!$omp parallel @[jit]\"");
}

/* Whatever a journal says of code, finishing comes to an end. */
Test(finish_code, hostile_journals)
{
    uint64_t seed = 1;
    cr_redirect_stderr();
    for (int round = 0; round < 60; round++) {
        struct fake p;
        char session[16];
        snprintf(session, sizeof session, "s%d", round);
        fake_open(&p, session, PID, -1, 0);
        fake_places(&p.journal, "00112233", "/proc/self/exe");
        fake_places(&p.journal, "[jit]", "/dev/zero");
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            ((char *)p.journal.at)[(seed >> 33) % journal_bytes(&p.journal)] = (char)(seed >> 25);
        }
        fake_events(&p, 0, 1);
        fake_close(&p, NULL, 0, true);
        (void)spur_finish(session, &quiet);
    }
}

/* ---- the program spur-code ---- */

static int run_code(const void *request, size_t size)
{
    put_file("request", request, size);
    int in_fd = open("request", O_RDONLY | O_CLOEXEC);
    int out_fd = open("answer", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int err = spur_helper_run("spur-code", in_fd, out_fd);
    close(in_fd);
    close(out_fd);
    return err;
}

/* Whatever the request, the program ends in order, and its answers can be read. */
Test(finish_code, hostile_requests)
{
    static char request[1 << 14], answer[1 << 16];
    struct spur_words journal = {0};
    uint64_t seed = 1;
    fake_places(&journal, "00112233", "/proc/self/exe");
    fake_places(&journal, "[jit]", "/dev/zero");
    fake_places(&journal, "/proc/self/mem", "/proc/self/mem");
    size_t size = journal_bytes(&journal);
    cr_assert(size < sizeof request && run_code(journal.at, size) == 0);
    for (int round = 0; round < 40; round++) {
        memcpy(request, journal.at, size);
        for (int i = 0; i < 4; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            request[(seed >> 33) % size] = (char)(seed >> 25);
        }
        cr_assert(run_code(request, size - (size_t)round * 8) == 0, "round %d", round);
        size_t n = get_file("answer", answer, sizeof answer);
        struct spur_record record;
        uint64_t at = 0;
        while (spur_journal_next(answer, n, &at, &record))
            cr_assert(record.kind == SPUR_DEFINITION_ModuleState ||
                      record.kind == SPUR_DEFINITION_CodeFrame ||
                      record.kind == SPUR_DEFINITION_DataName);
        cr_assert(at == n);
    }
    spur_words_free(&journal);
}

static volatile sig_atomic_t children;

static void count_child(int number)
{
    children += number == SIGCHLD;
}

/* A host that waits for its children, or counts children, does not meet the helper. */
Test(finish_code, a_helper_is_nobody_elses_child)
{
    cr_assert(signal(SIGCHLD, count_child) != SIG_ERR);
    put_file("empty", "", 0);
    int fd = open("empty", O_RDWR | O_CLOEXEC);
    cr_assert(spur_helper_run("spur-code", fd, fd) == 0);
    cr_assert(spur_helper_run("spur-no-such", fd, fd) == -ENOENT);
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD && children == 0);
    close(fd);
}
