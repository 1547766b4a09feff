/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that a program maps by itself. Two modes print the sum of the process's own mappings, a
 * value a line: anonymous, with any permission. A value equal to the line before is left out.
 *
 * maps steps        every call, failing calls too; the sum as in the kernel's /proc/self/maps
 * maps drawn SEED   random calls on an area of its own, on several threads in turn, and in a child:
 *                   the sum as in a model of the calls; the kernel must agree
 * maps trusted SEED the same without asking the kernel, where strangers map memory as well
 * maps sites        prints "LINE TAKEN MOST END BLOCKS" for each line that maps memory
 * maps threads      8 threads map and unmap at once; at the end 8 * 3 MiB are left. Prints nothing
 * maps leak         maps 60 MiB, one by one
 * maps handler      a handler of a timer maps and unmaps, in between the program's own calls
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

enum { PAGE = 4096, MIB = 1 << 20, LINES = 100000 };

static char *end_of_break;

static void must(int is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "maps: %s failed: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the kernel's sum ---- */

static char smaps[4 << 20];

/* Lines "begin-end perms offset device inode path": the anonymous lines of the program's making. */
static long kernels_sum(void)
{
    long sum = 0;
    size_t used = 0;
    ssize_t got;
    int fd = open("/proc/self/maps", O_RDONLY);
    while ((got = read(fd, smaps + used, sizeof smaps - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    smaps[used] = 0;
    for (char *line = smaps; *line; line = strchr(line, '\n') + 1) {
        char *at;
        unsigned long begin = strtoul(line, &at, 16);
        unsigned long end = strtoul(at + 1, &at, 16);
        const char *permissions = at + 1;
        const char *stop = strchr(line, '\n');
        const char *path = memchr(line, '/', (size_t)(stop - line));
        const char *bracket = memchr(line, '[', (size_t)(stop - line));
        int is_shared = path && !strncmp(path, "/dev/zero", 9);
        if (bracket && !strncmp(bracket, "[heap]", 6))
            end = begin; /* the program's part of the heap: */
        if (strncmp(permissions, "---", 3) != 0 && (is_shared || !(path || bracket)))
            sum += (long)(end - begin);
    }
    return sum + ((char *)sbrk(0) - end_of_break);
}

static long values[LINES], base;
static int n_values;

static void note(long value)
{
    if (n_values < LINES && (!n_values || values[n_values - 1] != value))
        values[n_values++] = value;
}

static void look(void)
{
    note(kernels_sum() - base);
}

static void begin(void)
{
    end_of_break = sbrk(0);
    base = kernels_sum();
}

static void print_values(void)
{
    for (int i = 0; i < n_values; i++)
        printf("%ld\n", values[i]);
    fflush(stdout);
}

/* ---- steps ---- */

static char *map(size_t bytes, int protection)
{
    char *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(p != MAP_FAILED, "mmap");
    look();
    return p;
}

static void unmap(char *p, size_t bytes)
{
    must(munmap(p, bytes) == 0, "munmap");
    look();
}

static char *fixed(char *p, size_t bytes, int protection)
{
    must(mmap(p, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p, "mmap");
    look();
    return p;
}

static void protect(char *p, size_t bytes, int protection)
{
    must(mprotect(p, bytes, protection) == 0, "mprotect");
    look();
}

static void steps_of_files(char *p)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    must(mmap(p, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == p, "mmap of a file");
    look();
    char *file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    must(file != MAP_FAILED, "mmap of a file");
    look();
    protect(file, PAGE, PROT_NONE);
    protect(file, PAGE, PROT_READ);
    unmap(file, PAGE);
    must(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED, "no file");
    close(fd);
}

static void steps_of_mremap(void)
{
    char *p = map(64 * PAGE, PROT_READ | PROT_WRITE);
    char *stop = fixed(p + 32 * PAGE, PAGE, PROT_READ);
    must(mremap(p, 32 * PAGE, 48 * PAGE, 0) == MAP_FAILED, "no room");
    look();
    p = mremap(p, 32 * PAGE, 48 * PAGE, MREMAP_MAYMOVE);
    must(p != MAP_FAILED, "mremap");
    look();
    must(mremap(p, 48 * PAGE, 5 * PAGE, 0) == p, "shrink");
    look();
    char *to = map(100 * PAGE, PROT_NONE);
    must(mremap(p, 5 * PAGE, 7 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + 3 * PAGE) ==
             to + 3 * PAGE,
         "mremap to a place");
    look();
    must(mremap(to, 3 * PAGE, 2 * PAGE, 0) == to, "shrink what is closed");
    look();
    char *again =
        mremap(to + 3 * PAGE, 7 * PAGE, 7 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
    look();
    if (again != MAP_FAILED)
        unmap(again, 7 * PAGE);
    unmap(to, 100 * PAGE);
    unmap(stop, 32 * PAGE);
    char *shared = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    look();
    char *other = mremap(shared, 0, 3 * PAGE, MREMAP_MAYMOVE);
    must(other != MAP_FAILED, "mremap of a shared one");
    look();
    unmap(other, 3 * PAGE);
    unmap(shared, 3 * PAGE);
}

static void steps_of_break(void)
{
    char *before = sbrk(3 * PAGE);
    must(before != (void *)-1, "sbrk");
    look();
    must(sbrk(-PAGE) != (void *)-1, "sbrk");
    look();
    must(brk(before + 10 * PAGE) == 0, "brk");
    look();
    must(sbrk(0) == before + 10 * PAGE, "sbrk(0)");
    must(brk(before) == 0, "brk");
    look();
    must(sbrk(INTPTR_MAX) == (void *)-1 && errno == ENOMEM, "too much");
    look();
}

/* A search for the functions in order to patch them, as in MPI transports, finds none of spur's. */
static void look_for_functions(void)
{
    static const char *const names[] = {"mmap", "munmap", "mremap", "mprotect", "brk", "sbrk"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Dl_info info = {0};
        const void *found = dlsym(RTLD_DEFAULT, names[i]);
        must(found && dladdr(found, &info) && !strstr(info.dli_fname, "spur"), names[i]);
    }
}

static void steps(const char *unused)
{
    (void)unused;
    look_for_functions();
    begin();
    char *p = map(100 * PAGE - 5, PROT_READ | PROT_WRITE);
    unmap(p + 10 * PAGE, 5 * PAGE - 1);
    unmap(p + 10 * PAGE, 10 * PAGE);
    fixed(p + 12 * PAGE, PAGE, PROT_READ);
    protect(p + 30 * PAGE, 10 * PAGE, PROT_NONE);
    protect(p + 20 * PAGE, 30 * PAGE, PROT_READ);
    must(munmap(p + 1, PAGE) != 0 && errno == EINVAL, "no page");
    must(munmap(p, 0) != 0 && munmap(p, SIZE_MAX) != 0, "no size");
    must(mprotect(p + 1, PAGE, PROT_NONE) != 0, "no page");
    must(mmap(NULL, SIZE_MAX / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED,
         "too much");
    look();
    steps_of_files(p + 60 * PAGE);
    unmap(p, 100 * PAGE);
    p = map(1000 * PAGE, PROT_NONE);
    protect(p + 100 * PAGE, 500 * PAGE, PROT_READ | PROT_WRITE);
    fixed(p + 300 * PAGE, 100 * PAGE, PROT_NONE);
    unmap(p, 1000 * PAGE);
    steps_of_mremap();
    steps_of_break();
    print_values();
}

/* ---- drawn ---- */

enum { AREA = 512, CALLS = 400, ROUNDS = 3 };

static int is_trusted;
static uint64_t seed;
static char *area;
static enum state { NONE, CLOSED, OPEN, FILED } model[AREA];

static size_t draw(size_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (size_t)(seed >> 16) % below;
}

static void fill(size_t from, size_t n, enum state state)
{
    for (size_t i = from; i < from + n; i++)
        model[i] = state;
}

static long models_sum(void)
{
    long sum = 0;
    for (size_t i = 0; i < AREA; i++)
        sum += model[i] == OPEN ? PAGE : 0;
    return sum;
}

static int is_one(size_t from, size_t n, enum state state)
{
    for (size_t i = from; i < from + n; i++)
        if (model[i] != state)
            return 0;
    return 1;
}

/* A move within the area: of a single mapping to an empty place. */
static void drawn_move(size_t from, size_t n)
{
    size_t m = 1 + draw(2 * n), to = draw(AREA - 2 * n);
    if (model[from] == NONE || !is_one(from, n, model[from]) || !is_one(to, m, NONE) ||
        n > AREA / 4)
        return;
    if (mremap(area + from * PAGE, n * PAGE, m * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
               area + to * PAGE) == MAP_FAILED)
        return; /* the kernel has more mappings than one there */
    enum state state = model[from];
    fill(from, n, NONE);
    fill(to, m, state);
}

static void drawn_call(int file)
{
    size_t from = draw(AREA - 1), n = 1 + draw(AREA - from < 64 ? AREA - from : 64);
    char *p = area + from * PAGE;
    int is_open = draw(3) != 0, protection = is_open ? PROT_READ | PROT_WRITE : PROT_NONE;
    int fixed_anonymous = MAP_FIXED | MAP_ANONYMOUS | (draw(4) ? MAP_PRIVATE : MAP_SHARED);
    switch (draw(6)) {
    case 0:
        munmap(p, n * PAGE);
        fill(from, n, NONE);
        break;
    case 1:
        if (n < 8 && mmap(p, n * PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE, file, 0) == p)
            fill(from, n, FILED);
        break;
    case 2:
        if (is_one(from, n, CLOSED) || is_one(from, n, OPEN))
            if (mprotect(p, n * PAGE, protection) == 0)
                fill(from, n, is_open ? OPEN : CLOSED);
        break;
    case 3:
        drawn_move(from, n < AREA - 1 - from ? n : 1);
        break;
    default:
        if (mmap(p, n * PAGE, protection, fixed_anonymous, -1, 0) == p)
            fill(from, n, is_open ? OPEN : CLOSED);
    }
}

/* A file holds the area, since the C library maps memory as well, for stacks of threads. */
static void reserve(int file)
{
    area = mmap(area, AREA * PAGE, PROT_NONE, MAP_PRIVATE | (area ? MAP_FIXED : 0), file, 0);
    must(area != MAP_FAILED, "mmap of a file");
    fill(0, AREA, FILED);
}

/* Of the break the model knows the bytes. */
static void *drawn_calls(void *unused)
{
    long of_break = 0;
    int file = open("/proc/self/exe", O_RDONLY);
    reserve(file);
    begin(); /* the thread has a stack */
    for (int i = 0; i < CALLS; i++) {
        long more = (long)draw(9) * PAGE;
        if (draw(8)) {
            drawn_call(file);
        } else if (draw(2) || more > of_break) {
            of_break += sbrk(more) == (void *)-1 ? 0 : more;
        } else {
            of_break -= sbrk(-more) == (void *)-1 ? 0 : more;
        }
        note(models_sum() + of_break);
        if (!is_trusted && kernels_sum() - base != models_sum() + of_break) {
            fprintf(stderr, "maps: call %d: kernel %ld, model %ld + %ld\n", i, kernels_sum() - base,
                    models_sum(), of_break);
            exit(1);
        }
    }
    sbrk(-of_break);
    note(models_sum());
    reserve(file);
    close(file);
    note(0);
    return unused;
}

/* The threads of a round run in turn: the kernel's sum is the sum of the process. */
static void drawn(const char *text)
{
    seed = strtoull(text ? text : "1", NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    drawn_calls(NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        must(pthread_create(&thread, NULL, drawn_calls, NULL) == 0, "pthread_create");
        pthread_join(thread, NULL);
    }
    print_values();
    n_values = 0;
    pid_t child = fork();
    if (child == 0) {
        seed += 77;
        drawn_calls(NULL);
        printf("child\n");
        print_values();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    must(status == 0, "the child");
}

static void trusted(const char *text)
{
    is_trusted = 1;
    drawn(text);
}

/* ---- sites ---- */

static void sites(const char *unused)
{
    enum { RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };
    (void)unused;
    char *p[4];
    int line[4];
    for (int i = 0; i < 4; i++) {
        line[0] = __LINE__ + 1;
        p[i] = mmap(NULL, 300000, RW, ANON, -1, 0);
    }
    munmap(p[1], 300000);
    munmap(p[2] + 40 * PAGE, 10 * PAGE);
    munmap(p[0], 50 * PAGE);
    line[1] = __LINE__ + 1;
    p[1] = mremap(p[3], 300000, 600000, MREMAP_MAYMOVE);
    char *closed = mmap(NULL, 4 * MIB, PROT_NONE, ANON, -1, 0);
    line[2] = __LINE__ + 1;
    mprotect(closed + MIB, 2 * MIB, RW);
    mprotect(closed + MIB, MIB, PROT_NONE);
    line[3] = __LINE__ + 1;
    char *more = sbrk(200 * PAGE);
    must(more != (void *)-1 && sbrk(-(150 * PAGE)) != (void *)-1, "sbrk");
    /* In pages: a rest counts as another block when taken again. */
    printf("%d %d %d %d\n", line[0], 4 * 74 + 64 + 24, 4 * 74, 64 + 24);
    printf("%d %d %d %d\n", line[1], 147, 147, 147);
    printf("%d %d %d %d\n", line[2], 512 + 256, 512, 256);
    printf("%d %d %d %d\n", line[3], 200 + 50, 200, 50);
}

/* ---- threads and handlers ---- */

static void *churn(void *unused)
{
    char *kept = NULL;
    for (int i = 0; i < 2000; i++) {
        size_t bytes = (size_t)(1 + i % 9) * PAGE;
        char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (i == 1000)
            kept = mmap(NULL, 3 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (i % 3 == 0)
            p = mremap(p, bytes, bytes + PAGE, MREMAP_MAYMOVE);
        munmap(p, i % 3 == 0 ? bytes + PAGE : bytes);
    }
    must(kept && kept != MAP_FAILED, "mmap");
    return unused;
}

static void threads(const char *unused)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    (void)unused;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, churn, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static volatile sig_atomic_t n_handled;

static void handle(int number)
{
    int saved = errno;
    (void)number;
    char *p = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p, PAGE);
    munmap(p + PAGE, 2 * PAGE);
    n_handled++;
    errno = saved;
}

static void handler(const char *unused)
{
    struct itimerval each = {{0, 100}, {0, 100}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &each, NULL);
    while (n_handled < 500)
        churn((void *)unused);
    each = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &each, NULL);
}

/* ---- leak ---- */

static void leak(const char *unused)
{
    enum { MAPS = 60 };
    (void)unused;
    for (int i = 0; i < MAPS; i++) {
        char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(p != MAP_FAILED, "mmap");
        usleep(5000);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *argument);
    } modes[] = {{"steps", steps},     {"drawn", drawn},     {"trusted", trusted}, {"sites", sites},
                 {"threads", threads}, {"handler", handler}, {"leak", leak}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (argc > 1 && !strcmp(argv[1], modes[i].name))
            modes[i].run(argc > 2 ? argv[2] : NULL);
    return 0;
}
