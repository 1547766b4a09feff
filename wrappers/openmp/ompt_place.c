/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where constructs stand that a runtime reports. OMPT tells where a call returns to. That is no
 * place of the program's if the runtime calls a function of its own on the way, or if a function of
 * the program ends in the call and jumps there: then it is the runtime's code.
 */
#include <link.h>

#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

/* The runtime's code; none if the program contains the runtime. */
static struct {
    uintptr_t start, end;
} runtime_code;

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t function = (uintptr_t)data;
    (void)size;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || function - start >= info->dlpi_phdr[i].p_memsz)
            continue;
        if (info->dlpi_name && info->dlpi_name[0]) {
            runtime_code.start = start;
            runtime_code.end = start + info->dlpi_phdr[i].p_memsz;
        }
        return 1;
    }
    return 0;
}

void ompt_place_start(void *runtime)
{
    (void)dl_iterate_phdr(find_code, runtime);
}

static bool is_of_runtime(const void *code)
{
    return (uintptr_t)code - runtime_code.start < runtime_code.end - runtime_code.start;
}

void ompt_calls_outside(const void *address)
{
    if (!is_of_runtime(address))
        ompt_calls(address, 0);
}

const void *ompt_place(const void *code, bool begins)
{
    const struct ompt_thread *self = &ompt_thread;
    const struct ompt_member *member = self->member;
    if (is_of_runtime(code)) {
        const void *place = openmp_place_of(OPENMP_TASKLOOP);
        return place || !begins ? place : self->place;
    }
    if (code == self->call)
        return self->place;
    return member && code == member->parallel->code ? member->parallel->records.address : code;
}
