/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent-finish */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "agent/mem.h"

static bool is_zero(const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return false;
    return true;
}

Test(mem, is_zeroed_aligned_and_disjoint)
{
    enum { BLOCKS = 64 };
    char *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t bytes = 1 + i * 977;
        block[i] = spur_mem_new(bytes);
        cr_assert_not_null(block[i]);
        cr_expect_eq((uintptr_t)block[i] % 16, 0);
        cr_expect(is_zero(block[i], bytes));
        memset(block[i], (int)i + 1, bytes);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t bytes = 1 + i * 977;
        cr_expect_eq(block[i][0], (char)(i + 1));
        cr_expect_eq(block[i][bytes - 1], (char)(i + 1));
        spur_mem_free(block[i], bytes);
    }
}

Test(mem, what_was_freed_comes_back_zeroed)
{
    char *first = spur_mem_new(100);
    memset(first, 1, 100);
    spur_mem_free(first, 100);
    char *second = spur_mem_new(100);
    cr_expect_eq(first, second, "small blocks are recycled");
    cr_expect(is_zero(second, 100));
    spur_mem_free(NULL, 100);
}
