/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for thread_chains.c whose functions have no names: it is stripped, and exports none. */
#define APART __attribute__((noinline, noclone))
#define COME_BACK() __asm__ volatile("" ::: "memory")

static APART void nearer(void (*call)(void))
{
    call();
    COME_BACK();
}

static APART void farther(void (*call)(void))
{
    nearer(call);
    COME_BACK();
}

void (*const chains_library)(void (*call)(void)) = farther;
