/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of reads and writes, by POSIX calls and by streams, in nanoseconds a call, one line a
 * case: "NAME NS". Compiled and run by bench/io_calls, bare and traced. The file lies in the
 * working directory, or where the second argument says, which may be memory. A descriptor of no
 * file is that of a device.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/least.h"

enum { LARGE = 4096 };

static int file, device;
static char data[LARGE];

static void write_one(void)
{
    (void)!pwrite(file, data, 1, 0);
}

static void write_large(void)
{
    (void)!pwrite(file, data, sizeof data, 0);
}

static void read_one(void)
{
    (void)!pread(file, data, 1, 0);
}

static void read_large(void)
{
    (void)!pread(file, data, sizeof data, 0);
}

/* From the begin again and again, so a call more. */
static void write_here(void)
{
    lseek(file, 0, SEEK_SET);
    (void)!write(file, data, 1);
}

static void write_device(void)
{
    (void)!write(device, data, 1);
}

static FILE *stream, *device_stream;

static void put_char(void)
{
    fputc('x', stream);
}

static void put_block(void)
{
    (void)!fwrite(data, 1, sizeof data / 64, stream);
}

static void print(void)
{
    fprintf(stream, "%d\n", 5);
}

static void put_device(void)
{
    fputc('x', device_stream);
}

static const struct {
    const char *name;
    void (*round)(void);
} cases[] = {
    {"pwrite,1", write_one},      {"pwrite,4096", write_large},  {"pread,1", read_one},
    {"pread,4096", read_large},   {"lseek+write,1", write_here}, {"write,1,device", write_device},
    {"fputc", put_char},          {"fwrite,64", put_block},      {"fprintf", print},
    {"fputc,device", put_device},
};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    char path[256];
    snprintf(path, sizeof path, "%s/io_calls.%d", argc > 2 ? argv[2] : ".", (int)getpid());
    file = open(path, O_RDWR | O_CREAT, 0600);
    device = open("/dev/null", O_WRONLY);
    stream = fopen(path, "r+");
    device_stream = fopen("/dev/null", "w");
    if (file < 0 || device < 0 || !stream || !device_stream)
        return 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s %.1f\n", cases[i].name,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].round, rounds));
    unlink(path);
    return 0;
}
