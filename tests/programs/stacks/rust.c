/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with names as Rust's compiler gives them, of the older kind and of the newer one. */
#include <semaphore.h>

static sem_t semaphore;
static volatile int sink;

void older(void) __asm__("_ZN7mycrate3foo17h0123456789abcdefE");
void newer(void) __asm__("_RNvNtCs1234_7mycrate3foo3bar");
void generic(void) __asm__("_RINvNtC3std3mem8align_ofdE");

__attribute__((noinline)) void older(void)
{
    sem_post(&semaphore);
    sink++;
}

__attribute__((noinline)) void newer(void)
{
    older();
    sink++;
}

__attribute__((noinline)) void generic(void)
{
    newer();
    sink++;
}

int main(void)
{
    sem_init(&semaphore, 0, 0);
    generic();
    return 0;
}
