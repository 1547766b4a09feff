/* SPDX-License-Identifier: BSD-3-Clause */
/* A loader of a version of Level Zero that nobody knows: its tables have another layout. */
#include <stdint.h>

struct table {
    uint32_t layout;
};

enum { VERSION = 2 << 16, NEW_LAYOUT = 42 };

uint32_t zeLoaderInit(void);
uint32_t zeGetGlobalProcAddrTable(uint32_t version, struct table *table);
uint32_t newer_start(void);

uint32_t zeLoaderInit(void)
{
    return 0;
}

uint32_t zeGetGlobalProcAddrTable(uint32_t version, struct table *table)
{
    table->layout = NEW_LAYOUT;
    return version == VERSION ? 0 : 1;
}

/* 0: it is as it was filled. */
uint32_t newer_start(void)
{
    struct table table = {0};
    return zeGetGlobalProcAddrTable(VERSION, &table) || table.layout != NEW_LAYOUT;
}
