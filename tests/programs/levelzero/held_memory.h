/* SPDX-License-Identifier: BSD-3-Clause */
/* The mode `memory`. Part of levelzero_all.c. */
#ifndef TESTS_HELD_MEMORY_H
#define TESTS_HELD_MEMORY_H

static size_t held[2], peak[2];

static void *take(ze_memory_type_t type)
{
    const int kind = type == ZE_MEMORY_TYPE_SHARED;
    void *at = memory(type);
    if (type != ZE_MEMORY_TYPE_HOST) {
        held[kind] += BYTES;
        peak[kind] = held[kind] > peak[kind] ? held[kind] : peak[kind];
    }
    return at;
}

static void give_back(void *at, ze_memory_type_t type)
{
    DO(zeMemFree(context, at));
    if (type != ZE_MEMORY_TYPE_HOST)
        held[type == ZE_MEMORY_TYPE_SHARED] -= BYTES;
}

static void hold(void)
{
    enum { BLOCKS = 9, KINDS = 3 };
    static const ze_memory_type_t types[KINDS] = {ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_SHARED,
                                                  ZE_MEMORY_TYPE_HOST};
    void *at[BLOCKS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++)
            at[i] = take(types[i % KINDS]);
        some(devices[0], "uses_memory");
        if (round == 1)
            spur_user_off();
        for (int i = 0; i < BLOCKS; i++)
            if (round != ROUNDS - 1 || i > 4)
                give_back(at[i], types[i % KINDS]);
        spur_user_on();
    }
    printf("memory %zu %zu %zu %zu\n", held[0], held[1], peak[0], peak[1]);
}

#endif
