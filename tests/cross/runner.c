/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the tests of a program one after the other, each in a child; see criterion/criterion.h. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/redirect.h>

enum { TIMEOUT_S = 300, SKIPPED = 77, FAILED = 99 };
enum verdict { PASS, FAIL, SKIP, LEAVE_OUT, VERDICTS };

static struct cross_test *tests;
static bool has_failed;
static int stderr_file = -1;

void cross_register(struct cross_test *test)
{
    test->next = tests;
    tests = test;
}

static void say(const char *file, int line, const char *format, va_list values)
{
    printf("%s:%d: failed: ", file, line);
    vprintf(format, values);
    printf("\n");
    fflush(stdout);
    has_failed = true;
}

void cross_note(const char *file, int line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(file, line, format, values);
    va_end(values);
}

void cross_die(const char *file, int line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(file, line, format, values);
    va_end(values);
    _exit(FAILED);
}

void cross_skip(void)
{
    _exit(SKIPPED);
}

void cr_redirect_stderr(void)
{
    char name[] = "/tmp/spur-stderr-XXXXXX";
    stderr_file = mkstemp(name);
    unlink(name);
    dup2(stderr_file, STDERR_FILENO);
}

FILE *cr_get_redirected_stderr(void)
{
    char name[64];
    fflush(stderr);
    snprintf(name, sizeof name, "/proc/self/fd/%d", stderr_file);
    return fopen(name, "r");
}

const char *cross_stderr(void)
{
    static char text[1 << 16];
    fflush(stderr);
    ssize_t n = pread(stderr_file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static struct cross_options options_of(const struct cross_test *test)
{
    struct cross_options options = test->options;
    for (const struct cross_test *suite = tests; suite; suite = suite->next) {
        if (suite->name || strcmp(suite->suite, test->suite) != 0)
            continue;
        options.init = options.init ? options.init : suite->options.init;
        options.fini = options.fini ? options.fini : suite->options.fini;
        options.timeout = options.timeout > 0 ? options.timeout : suite->options.timeout;
    }
    return options;
}

static _Noreturn void run(const struct cross_test *test, const struct cross_options *options)
{
    alarm(options->timeout > 0 ? (unsigned)options->timeout : TIMEOUT_S);
    if (options->init)
        options->init();
    test->run();
    if (options->fini)
        options->fini();
    fflush(NULL);
    _exit(has_failed ? FAILED : 0);
}

/* CROSS_SKIP: SUITE::NAME of tests that are left out, a space behind each. */
static bool is_left_out(const struct cross_test *test)
{
    const char *all = getenv("CROSS_SKIP");
    char name[256];
    snprintf(name, sizeof name, "%s::%s ", test->suite, test->name);
    return all && strstr(all, name);
}

static enum verdict verdict_on(const struct cross_test *test)
{
    const struct cross_options options = options_of(test);
    int status;
    if (is_left_out(test))
        return LEAVE_OUT;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        run(test, &options);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return FAIL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        return SKIP;
    if (options.signal)
        return WIFSIGNALED(status) && WTERMSIG(status) == options.signal ? PASS : FAIL;
    return WIFEXITED(status) && WEXITSTATUS(status) == options.exit_code ? PASS : FAIL;
}

/* Names each test that did not pass. A program none of whose tests ran has failed. */
int main(void)
{
    static const char *const words[VERDICTS] = {"PASSED", "FAILED", "SKIPPED", "LEFT OUT"};
    unsigned n[VERDICTS] = {0};
    for (const struct cross_test *test = tests; test; test = test->next) {
        if (!test->name)
            continue;
        enum verdict verdict = verdict_on(test);
        n[verdict]++;
        if (verdict != PASS)
            printf("%s %s::%s\n", words[verdict], test->suite, test->name);
    }
    printf("Passing: %u | Failing: %u | Skipped: %u | Left out: %u\n", n[PASS], n[FAIL], n[SKIP],
           n[LEAVE_OUT]);
    return n[FAIL] > 0 || n[PASS] == 0;
}
