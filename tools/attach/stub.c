/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled for itself: no call, no constant and no guard of the stack may lead out of the section.
 */
#include "tools/attach/stub.h"

#include <dlfcn.h>

#include "attach/attach.h"

#define IN_STUB __attribute__((section("spur_attach_code"), noinline, used))

IN_STUB static void *run(void *data)
{
    struct attach_order *order = data;
    order->detach(order->self());
    void *library = order->open(order->library, RTLD_NOW | RTLD_GLOBAL);
    attach_function *function = library ? order->symbol(library, order->function) : NULL;
    const char *answer = function ? function(order) : order->error();
    volatile char *out = order->answer;
    for (int i = 0; answer && answer[i] && i < ATTACH_ANSWER_BYTES - 1; i++)
        out[i] = answer[i];
    atomic_store_explicit(&order->state, ATTACH_DONE, memory_order_release);
    return NULL;
}

extern const char stub_start[] __asm__("__start_spur_attach_code");
extern const char stub_end[] __asm__("__stop_spur_attach_code");

const void *attach_stub(size_t *bytes)
{
    *bytes = (size_t)(stub_end - stub_start);
    (void)run;
    return stub_start;
}
