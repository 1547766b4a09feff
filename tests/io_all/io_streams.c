/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io_streams: streams of ISO C, used in many ways, with a line of three words for each file: the
 * file's name, and the bytes read and written by the program's own count. The compiler does not
 * know the sizes, so that a fortified build calls the checked functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum { LINES = 200, THREADS = 4, ROOM = 300 };

static volatile int room_bytes = ROOM;

static void say(const char *name, long read_bytes, long written)
{
    dprintf(STDERR_FILENO, "%s %ld %ld\n", name, read_bytes, written);
}

static int with_list(FILE *stream, const char *form, ...)
{
    va_list list;
    va_start(list, form);
    int n = vfprintf(stream, form, list);
    va_end(list);
    return n;
}

/* Written by every kind of call, and read back likewise. */
static void texts(void)
{
    static char data[ROOM];
    char *line = NULL;
    size_t size = 0;
    long read_bytes = 0, written = 0, n;
    int number;
    /* Of a newer C library, or the agent's for an old library. */
    int (*newer)(FILE *, const char *, ...);
    *(void **)&newer = dlsym(RTLD_DEFAULT, "__isoc23_fscanf");
    FILE *stream = fopen("texts", "w+");
    for (int i = 0; i < LINES; i++) {
        written += fprintf(stream, "%d\n", i);
        written += with_list(stream, "%s\n", "list");
        written += fputs("a text\n", stream) < 0 ? 0 : (long)strlen("a text\n");
        written += fputc('c', stream) == EOF ? 0 : 1;
        written += putc('\n', stream) == EOF ? 0 : 1;
        written += (long)fwrite("block\n", 1, 6, stream);
    }
    fflush(stream);
    rewind(stream);
    for (int i = 0; i < LINES; i++) {
        n = ftell(stream);
        if ((newer && i % 2 ? newer : fscanf)(stream, "%d\n", &number) != 1 || number != i)
            abort();
        read_bytes += ftell(stream) - n;
        read_bytes += getline(&line, &size, stream);
        read_bytes += (long)strlen(fgets(data, room_bytes, stream));
        read_bytes += fgetc(stream) != EOF;
        read_bytes += getc(stream) != EOF;
        read_bytes += (long)fread(data, 1, (size_t)room_bytes / 50, stream);
    }
    if (fgetc(stream) != EOF || fgets(data, room_bytes, stream) ||
        getline(&line, &size, stream) >= 0)
        abort();
    free(line);
    fclose(stream);
    say("texts", read_bytes, written);
}

static void wide(void)
{
    wchar_t text[ROOM];
    FILE *stream = fopen("wide", "w+");
    for (int i = 0; i < LINES; i++) {
        fwprintf(stream, L"%ls %d\n", L"\u00fcber", i);
        fputws(L"\u20ac\n", stream);
        fputwc(L'\u00e4', stream);
    }
    fflush(stream);
    long size = ftell(stream);
    rewind(stream);
    long read_bytes = 0;
    while (fgetws(text, room_bytes, stream))
        read_bytes += (long)wcstombs(NULL, text, 0);
    fclose(stream);
    say("wide", read_bytes, size);
}

static FILE *shared;

static void *write_lines(void *unused)
{
    for (int i = 0; i < LINES; i++)
        fprintf(shared, "%03d\n", THREADS); /* the same line, whatever the turn */
    return unused;
}

/* All threads write to the same stream. */
static void threads(void)
{
    pthread_t thread[THREADS];
    shared = fopen("shared", "a");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, write_lines, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    fclose(shared);
    say("shared", 0, THREADS * LINES * 4);
}

/* The child writes to the inherited stream, and to a new stream of the child. */
static void forks(void)
{
    FILE *stream = fopen("inherited", "w");
    setvbuf(stream, NULL, _IONBF, 0);
    fputs("parent\n", stream);
    pid_t pid = fork();
    if (pid == 0) {
        fputs("child\n", stream);
        stream = freopen("own", "w", stream);
        fputs("own\n", stream);
        fclose(stream);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    fclose(stream);
    say("inherited", 0, 13);
    say("own", 0, 4);
}

/*
 * Standard output is closed, and the next file gets the number and the stream of standard output.
 */
static void standard(void)
{
    fclose(stdout);
    errno = 0;
    int n = printf("lost\n");
    dprintf(STDERR_FILENO, "closed: %d %d\n", n < 0, errno);
    stdout = fopen("standard", "w");
    long written = printf("%s\n", "found");
    written += puts("again") < 0 ? 0 : 6;
    written += putchar('x') == EOF ? 0 : 1;
    int kept = dup(fileno(stdout));
    fclose(stdout);
    stdout = fdopen(kept, "a");
    written += printf("more\n");
    fclose(stdout);
    say("standard", 0, written);
}

/* Streams without a file, and a stream that cannot be written to. */
static void others(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "%d", 5);
    fclose(stream);
    free(text);
    stream = popen("cat >/dev/null", "w");
    fputs("to a pipe\n", stream);
    int status = pclose(stream);
    stream = fopen("/dev/full", "w");
    fputs("x", stream);
    errno = 0;
    int flushed = fflush(stream);
    dprintf(STDERR_FILENO, "others: %d %d %d\n", status, flushed, errno);
    fclose(stream);
    stream = fopen("refused", "w");
    errno = 0;
    int c = fgetc(stream);
    dprintf(STDERR_FILENO, "refused: %d %d\n", c, errno);
    fclose(stream);
    dprintf(STDERR_FILENO, "missing: %d\n", fopen("no/such/file", "r") != NULL);
    say("refused", 0, 0);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    texts();
    wide();
    threads();
    forks();
    others();
    standard();
    return 0;
}
