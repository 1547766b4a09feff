/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that finds out by its functions' names which allocator it has, as databases do, and
 * then takes memory by these. Without an argument it prints the names that there are; with one,
 * the changes of what spur counts: a block from such a function is only seen when free() gives it
 * back.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

extern void *mallocx(size_t bytes, int flags) __attribute__((weak));
extern void dallocx(void *block, int flags) __attribute__((weak));
extern void *tc_malloc(size_t bytes) __attribute__((weak));
extern void tc_free(void *block) __attribute__((weak));

enum { BYTES = 300000, HELD = 1 << 20 };

static void *own(void)
{
    if (mallocx)
        return mallocx(BYTES, 0);
    return tc_malloc ? tc_malloc(BYTES) : NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1) {
        printf("mallocx %d dallocx %d tc_malloc %d tc_free %d\n", mallocx != NULL, dallocx != NULL,
               tc_malloc != NULL, tc_free != NULL);
        return 0;
    }
    /* The first value has what was held before as well, and no sum is below 0. */
    char *volatile kept = malloc(HELD);
    char *volatile held = malloc(HELD);
    void *block = own();
    const long most = (long)malloc_usable_size(held);
    const long bytes = block ? (long)malloc_usable_size(block) : 0;
    free(block);
    free(held);
    free(kept);
    /* Printing comes last, since it takes memory. */
    printf("%ld\n", most);
    if (bytes)
        printf("%ld\n", -bytes);
    printf("%ld\n", -most);
    return 0;
}
