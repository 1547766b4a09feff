/* SPDX-License-Identifier: BSD-3-Clause */
/* links: session */
/* Which C library a program runs with: names of versions, of loaders, and what lies beside those.
 */
#include "session/glibc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/remove_folder.h"

static void newest_is(const char *names, size_t bytes, const char *version)
{
    char found[SPUR_GLIBC_VERSION_BYTES];
    spur_glibc_newest(names, bytes, found);
    cr_expect_str_eq(found, version);
}

#define NEWEST_IS(names, version) newest_is(names, sizeof(names) - 1, version)

Test(glibc, newest)
{
    NEWEST_IS("", "");
    NEWEST_IS("\0read\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.4\0", "GLIBC_2.34");
    NEWEST_IS("GLIBC_2.3.4\0GLIBC_2.3\0", "GLIBC_2.3.4");
    NEWEST_IS("GLIBC_PRIVATE\0GLIBC_ABI_DT_RELR\0XGLIBC_2.36\0", "");
    NEWEST_IS("GLIBC_2.17\0GLIBC_2.34", "GLIBC_2.17"); /* no end: not known */
    NEWEST_IS("GLIBC_2.2.5\0GLIBC_2.34.and_more_than_there_is_room\0", "GLIBC_2.2.5");
}

Test(glibc, loaders)
{
    cr_expect(spur_is_loader("/lib64/ld-linux-x86-64.so.2"));
    cr_expect(spur_is_loader("ld64.so.1"));
    cr_expect(spur_is_loader("/usr/bin/ld.so"));
    cr_expect(spur_is_loader("/lib/ld-musl-x86_64.so.1"));
    cr_expect_not(spur_is_loader("/usr/bin/ld.gold"));
    cr_expect_not(spur_is_loader("/lib/ld-linux.so.2/ldd"));
    cr_expect(spur_is_loader_of_musl("/lib/ld-musl-x86_64.so.1"));
    cr_expect_not(spur_is_loader_of_musl("/lib/ld-musl/ld-linux.so.2"));
}

static void write_library(const char *path, size_t before, const char *name)
{
    FILE *file = fopen(path, "w");
    for (size_t i = 0; i < before; i++)
        putc('x', file);
    fwrite(name, 1, strlen(name) + 1, file);
    fclose(file);
}

Test(glibc, beside)
{
    char folder[] = "glibc_XXXXXX";
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    mkdir("lib", 0700);
    mkdir("lib64", 0700);
    /* The name lies across the blocks that are read, wherever these end. */
    for (size_t before = (64 << 10) - 12; before <= 64 << 10; before++) {
        write_library("lib/libc.so.6", before, "GLIBC_2.34");
        cr_expect_not(spur_glibc_lacks("lib/ld.so.2", "GLIBC_2.34"), "%zu", before);
        cr_expect(spur_glibc_lacks("lib/ld.so.2", "GLIBC_2.3"), "%zu", before);
    }
    /* Loaders are links to the folder of the library, by one or two steps. */
    cr_assert(symlink("../lib/ld.so.2", "lib64/near.so") == 0);
    cr_assert(symlink("near.so", "lib64/far.so") == 0);
    cr_expect(spur_glibc_lacks("lib64/near.so", "GLIBC_2.35"));
    cr_expect_not(spur_glibc_lacks("lib64/near.so", "GLIBC_2.34"));
    cr_expect(spur_glibc_lacks("lib64/far.so", "GLIBC_2.35"));
    /* What is not found is not known; nor is where links lead in a circle. */
    cr_expect_not(spur_glibc_lacks("lib64/other.so", "GLIBC_2.35"));
    cr_assert(symlink("circle.so", "lib64/circle.so") == 0);
    cr_expect_not(spur_glibc_lacks("lib64/circle.so", "GLIBC_2.35"));
    cr_expect_not(spur_glibc_lacks("lib/ld.so.2", ""));
    cr_assert(chdir("..") == 0);
    remove_folder(folder);
}
