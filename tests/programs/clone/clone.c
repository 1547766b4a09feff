/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes files share blocks of another one by ioctl(): all of it, a part, and its rest; then calls
 * that fail. Prints what each has returned, and of each file `FILE READ WRITTEN`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8, SIZE = PAGE * PAGES };

static char data[SIZE];
static long shared; /* bytes of the source, in calls that have succeeded */

static void told(const char *name, int fd, int ret, int error, long bytes)
{
    struct stat info = {0};
    fstat(fd, &info);
    printf("%s: %d %d %ld\n", name, ret, ret < 0 ? error : 0, (long)info.st_size);
    bytes = ret < 0 ? 0 : bytes;
    shared += bytes;
    if (bytes || ret < 0)
        printf("%s 0 %ld\n", name, bytes);
}

static int made(const char *name)
{
    return open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
}

static void shares(const char *name, int source, struct file_clone_range range, long bytes)
{
    int fd = made(name);
    range.src_fd = source;
    errno = 0;
    int ret = ioctl(fd, FICLONERANGE, &range);
    told(name, fd, ret, errno, bytes);
    close(fd);
}

int main(void)
{
    int source = made("source"), whole = made("whole"), ret, width[4];
    if (write(source, data, SIZE) != SIZE)
        return 2;
    ret = ioctl(whole, FICLONE, source);
    told("whole", whole, ret, errno, SIZE);
    close(whole);
    shares("part", source, (struct file_clone_range){.src_offset = PAGE, .src_length = 2 * PAGE},
           2 * PAGE);
    shares("rest", source, (struct file_clone_range){.src_offset = 3 * PAGE, .dest_offset = PAGE},
           SIZE - 3 * PAGE);
    int vain = made("vain");
    ret = ioctl(vain, FICLONERANGE, (void *)8);
    printf("no address: %d %d\n", ret, errno);
    ret = ioctl(vain, FICLONE, -1);
    printf("no source: %d %d\n", ret, errno);
    ret = ioctl(-1, FICLONE, source);
    printf("no target: %d %d\n", ret, errno);
    ret = ioctl(vain, TIOCGWINSZ, width);
    printf("no terminal: %d %d\n", ret, errno);
    ret = ioctl(vain, FIONREAD, width);
    printf("no clone: %d %d\n", ret, width[0]);
    close(vain);
    printf("vain 0 0\nsource %ld %d\n", shared, SIZE);
    return 0;
}
