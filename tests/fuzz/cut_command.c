/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into a command, makes the command read an archive with a file cut at many lengths. Each
 * run is a child that goes on from main(): a new start of the program for each run would take most
 * of the time.
 *
 *     LD_PRELOAD=cut_command.so CUT_FILE=FILE CUT_AT=LENGTH,... [CUT_IS_REFUSED=] COMMAND ARCHIVE
 *
 * A run must end by itself, with a status of 1 or 2 and a single line with the name of the file;
 * spur check may name the file in a finding. Or the run's output equals the output for the whole
 * archive, since the command needs no more of the file. With CUT_IS_REFUSED an equal output is a
 * fault, and the command never runs on the whole archive, because the command would change the
 * archive. The file is whole again at the end. Prints faults, and the number of runs with the same
 * output as for the whole archive.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 16, PATIENCE_S = 60, STATUS_MAX = 2 };

typedef int main_function(int, char **, char **);

/* The output of a run, and its end. */
struct run {
    int status;
    char out[TEXT_BYTES], err[TEXT_BYTES];
};

static main_function *real_main;
static char **arguments;
static int out_fd, err_fd;
static bool is_refused;
static struct run whole, now;
static unsigned n_faults, n_same;

static void read_back(int fd, char *text)
{
    ssize_t n = pread(fd, text, TEXT_BYTES, 0);
    if (n < 0 || n == TEXT_BYTES || ftruncate(fd, 0))
        abort();
    text[n] = '\0';
}

static void go_on(void)
{
    int n = 0;
    alarm(PATIENCE_S);
    lseek(out_fd, 0, SEEK_SET);
    lseek(err_fd, 0, SEEK_SET);
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
    while (arguments[n])
        n++;
    exit(real_main(n, arguments, environ));
}

static void run(struct run *r)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        go_on();
    if (child < 0 || waitpid(child, &r->status, 0) != child)
        abort();
    read_back(out_fd, r->out);
    read_back(err_fd, r->err);
}

static unsigned lines_of(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* The fault of the run, or NULL. */
static const char *trouble(const char *name)
{
    if (!WIFEXITED(now.status) || WEXITSTATUS(now.status) > STATUS_MAX)
        return "no status of 0 to 2";
    if (!is_refused && now.status == whole.status && strcmp(now.out, whole.out) == 0) {
        n_same++;
        return lines_of(now.err) ? "a line about nothing" : NULL;
    }
    if (WEXITSTATUS(now.status) == 0)
        return "status 0";
    if (!strstr(now.err, name) && !strstr(now.out, name))
        return "the file is not named";
    return lines_of(now.err) > 1 ? "more than one line" : NULL;
}

static void tell(const char *text, long length)
{
    n_faults++;
    printf("cut at %ld: %s: status %#x, %s\n", length, text, (unsigned)now.status, now.err);
}

static int cut(const char *path, const char *at)
{
    static char bytes[TEXT_BYTES];
    int fd = open(path, O_RDWR);
    ssize_t size = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    if (size < 1 || (size_t)size == sizeof bytes)
        return STATUS_MAX;
    if (!is_refused)
        run(&whole);
    if (whole.status || whole.err[0])
        n_faults += printf("the whole archive: %d %s\n", whole.status, whole.err) > 0;
    for (char *end; *at; at = *end ? end + 1 : end) {
        long length = strtol(at, &end, 10);
        if (end == at || length >= size || ftruncate(fd, length))
            return STATUS_MAX;
        run(&now);
        const char *text = trouble(strrchr(path, '/') + 1);
        if (text)
            tell(text, length);
        if (pwrite(fd, bytes, (size_t)size, 0) != size)
            return STATUS_MAX;
    }
    printf("same %u\n", n_same);
    return n_faults != 0;
}

static int cut_main(int argc, char **argv, char **environment)
{
    const char *path = getenv("CUT_FILE"), *at = getenv("CUT_AT");
    (void)environment;
    if (!path || !strchr(path, '/') || !at || argc < 1)
        return STATUS_MAX;
    is_refused = getenv("CUT_IS_REFUSED") != NULL;
    unsetenv("LD_PRELOAD");
    arguments = argv;
    out_fd = memfd_create("out", 0);
    err_fd = memfd_create("err", 0);
    return cut(path, at);
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*begin)(void),
                      void (*end)(void), void (*unload)(void), void *stack);

int __libc_start_main(main_function *program, int argc, char **argv, void (*begin)(void),
                      void (*end)(void), void (*unload)(void), void *stack)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *) = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(cut_main, argc, argv, begin, end, unload, stack);
}
