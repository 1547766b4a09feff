/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes memory until its limit (RLIMIT_AS) is reached: what fails then takes nothing. Prints how
 * many MiB it had at once, and whether the others have failed as they must.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    MIB = 1 << 20,
    ROOM = 64 * MIB,
    MOST = 2 * ROOM / MIB,
    PAGE = 4096,
    SMALL = 3000,
    CALLS = 20000
};

int main(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        return 1;
    fclose(file);
    const struct rlimit limit = {pages * PAGE + ROOM, pages * PAGE + ROOM};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    char *held[MOST];
    int n = 0;
    while (n < MOST && (held[n] = malloc(MIB)) != NULL)
        memset(held[n++], 1, MIB);
    void *mapped = mmap(NULL, ROOM / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *more = realloc(held[0], ROOM / 2);
    printf("%d %d %d\n", n, mapped == MAP_FAILED, more == NULL);
    for (int i = 0; i < n; i++)
        free(held[i]);
    for (int i = 0; i < CALLS; i++)
        free(malloc((size_t)(i % SMALL)));
    puts("end");
    return 0;
}
