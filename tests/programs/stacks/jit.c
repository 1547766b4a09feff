/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a function and tells of it in /tmp/perf-PID.map, as compilers at run time do. */
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sem_t semaphore;

/* push %rbp; mov %rsp,%rbp; movabs $semaphore,%rdi; movabs $sem_post,%rax; call *%rax; pop %rbp;
 * ret */
static unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xbf, 0,    0,   0, 0,
                               0,    0,    0,    0,    0x48, 0xb8, 0,    0,   0, 0,
                               0,    0,    0,    0,    0xff, 0xd0, 0x5d, 0xc3};

int main(void)
{
    enum { DATA_AT = 6, CALL_AT = 16 };
    char path[64];
    void *data = &semaphore;
    int (*call)(sem_t *) = sem_post;
    void (*made)(void);
    void *room = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sem_init(&semaphore, 0, 0);
    memcpy(code + DATA_AT, &data, sizeof data);
    memcpy(code + CALL_AT, &call, sizeof call);
    memcpy(room, code, sizeof code);
    memcpy(&made, &room, sizeof made);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w");
    if (!map)
        return 1;
    fprintf(map, "%lx %zx made_function\n", (unsigned long)room, sizeof code);
    fclose(map);
    made();
    return 0;
}
