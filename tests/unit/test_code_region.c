/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/stacks/code_map.h"
#include "session/journal.h"

static char dir[] = "/tmp/spur-test-XXXXXX";

static const struct spur_construct parallel = {"parallel", OTF2_REGION_ROLE_PARALLEL,
                                               OTF2_PARADIGM_OPENMP, NULL};
static const struct spur_construct barrier = {"barrier", OTF2_REGION_ROLE_BARRIER,
                                              OTF2_PARADIGM_OPENMP, "sync"};

static void setup(void)
{
    cr_assert(mkdtemp(dir) && spur_defs_open(dir) == 0);
}

static void teardown(void)
{
    char command[64];
    spur_defs_close();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert(system(command) == 0);
}

TestSuite(code_region, .init = setup, .fini = teardown);

/* The n-th record of a kind that this process has defined. */
static void get(uint32_t kind, int n, struct spur_cell *cells)
{
    const void *bytes;
    uint64_t size = spur_defs_bytes(&bytes, NULL), at = 0;
    struct spur_record record;
    while (spur_journal_next(bytes, size, &at, &record))
        if (record.kind == kind && n-- == 0) {
            cr_assert(spur_record_unpack(&record, NULL, cells));
            return;
        }
    cr_assert_fail("there is no such record");
}

static const char *here(size_t offset)
{
    return (const char *)(uintptr_t)&setup + offset;
}

Test(code_region, is_known_by_construct_and_address)
{
    errno = 77;
    OTF2_RegionRef first = spur_def_region_at(&parallel, here(5));
    cr_assert(first == 0 && spur_def_region_at(&parallel, here(5)) == first);
    cr_assert(spur_def_region_at(&barrier, here(5)) == 1);
    cr_assert(spur_def_region_at(&parallel, here(6)) == 2);
    cr_assert(spur_def_region_at(&parallel, NULL) == 3, "nowhere is a place, too");
    cr_assert(spur_def_region_at(&parallel, NULL) == 3);
    cr_assert(errno == 77);
}

Test(code_region, many_places)
{
    enum { PLACES = 5000 };
    static OTF2_RegionRef region[PLACES];
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < PLACES; i++) {
            OTF2_RegionRef found = spur_def_region_at(&parallel, here(i));
            cr_assert(found == (round ? region[i] : i));
            region[i] = found;
        }
}

Test(code_region, a_place_is_in_a_module)
{
    struct spur_cell code[SPUR_CELLS_MAX], module[SPUR_CELLS_MAX], file[SPUR_CELLS_MAX];
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert(n > 0);
    self[n] = '\0';
    spur_def_region_at(&parallel, here(1));
    spur_def_region_at(&parallel, (const char *)(uintptr_t)&strtoull + 1);
    get(SPUR_DEFINITION_ModuleFile, 0, file);
    cr_assert_str_eq(file[SPUR_AT_ModuleFile_path].at, self);
    get(SPUR_DEFINITION_ModuleFile, 1, file);
    cr_assert(strstr(file[SPUR_AT_ModuleFile_path].at, "libc.so"));
    get(SPUR_DEFINITION_Module, 0, module);
    cr_assert(module[SPUR_AT_Module_identity].number == 40, "SHA-1 in hexadecimal");
    get(SPUR_DEFINITION_Code, 0, code);
    extern const char __executable_start[];
    cr_assert(code[SPUR_AT_Code_offset].number ==
              (uint64_t)((uintptr_t)&setup - (uintptr_t)__executable_start));
}

Test(code_region, code_that_the_program_has_made)
{
    struct spur_cell module[SPUR_CELLS_MAX], file[SPUR_CELLS_MAX], code[SPUR_CELLS_MAX];
    char *made = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(made != MAP_FAILED);
    spur_def_region_at(&parallel, made + 9);
    get(SPUR_DEFINITION_Module, 0, module);
    cr_assert(strncmp(module[SPUR_AT_Module_identity].at, "[jit]", 5) == 0);
    get(SPUR_DEFINITION_ModuleFile, 0, file);
    cr_assert(strncmp(file[SPUR_AT_ModuleFile_path].at, "/tmp/perf-", 10) == 0);
    get(SPUR_DEFINITION_Code, 0, code);
    cr_assert(code[SPUR_AT_Code_offset].number == (uintptr_t)made + 8);
    munmap(made, 4096);
    cr_assert(spur_code_at((const void *)64) == OTF2_UNDEFINED_UINT32, "no code at all");
}

/* Two libraries that are loaded one after the other are likely to come to lie at one address. */
Test(code_region, an_address_means_what_is_loaded_there)
{
    enum { BYTES = 1 << 16 };
    char path[2][64];
    struct spur_cell file[SPUR_CELLS_MAX];
    OTF2_RegionRef region[3];
    void *at = NULL;
    for (int i = 0; i < 3; i++) {
        snprintf(path[i % 2], sizeof path[0], "%s/%d.so", dir, i % 2);
        int fd = open(path[i % 2], O_RDWR | O_CREAT, 0700);
        cr_assert(fd >= 0 && ftruncate(fd, BYTES) == 0);
        void *code =
            mmap(at, BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
        cr_assert(code != MAP_FAILED && (!at || at == code));
        close(fd);
        at = code;
        region[i] = spur_def_region_at(&parallel, (char *)at + 100);
        cr_assert(spur_def_region_at(&parallel, (char *)at + 100) == region[i]);
        munmap(at, BYTES);
        spur_code_unloaded();
    }
    cr_assert(region[0] != region[1] && region[0] == region[2]);
    get(SPUR_DEFINITION_ModuleFile, 0, file);
    cr_assert_str_eq(file[SPUR_AT_ModuleFile_path].at, path[0]);
    get(SPUR_DEFINITION_ModuleFile, 1, file);
    cr_assert_str_eq(file[SPUR_AT_ModuleFile_path].at, path[1]);
}

enum { THREADS = 4, THREAD_PLACES = 2000 };

static void *define_places(void *argument)
{
    OTF2_RegionRef *region = argument;
    for (size_t i = 0; i < THREAD_PLACES; i++) {
        if (i % 500 == 0)
            spur_code_unloaded();
        region[i] = spur_def_region_at(&parallel, here(i));
    }
    return NULL;
}

Test(code_region, threads_find_the_same)
{
    static OTF2_RegionRef region[THREADS][THREAD_PLACES];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_create(&thread[i], NULL, define_places, region[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < THREADS; i++)
        cr_assert(memcmp(region[0], region[i], sizeof region[0]) == 0);
}

Test(code_region, nothing_is_kept_while_nothing_is_recorded)
{
    spur_defs_close();
    cr_assert(spur_def_region_at(&parallel, here(5)) == OTF2_UNDEFINED_REGION);
    char path[64];
    snprintf(path, sizeof path, "%s/journal", dir);
    unlink(path);
    cr_assert(spur_defs_open(dir) == 0);
    cr_assert(spur_def_region_at(&parallel, here(5)) == 0);
}
