/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking of stacks. libunwind remembers per thread how each address met so far is unwound. The
 * memory makes libunwind fast, but libunwind has no way to forget. When an object used by earlier
 * stacks has been unloaded, other objects may be loaded at the same addresses. A walk by the old
 * memory could then lead anywhere. From the unload on the unwinder of libgcc_s is used, which takes
 * ten times as long and looks everything up.
 *
 * Without libunwind, stacks are followed by agent/stacks/cfi_walk.h. The same holds where libunwind
 * does not know signed return addresses, for example in version 1.6: a signed address leads
 * libunwind nowhere.
 */
#include "agent/stacks/stack_walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <unwind.h>

#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_walk.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/library_calls.h"
#include "agent/stacks/own_span.h"
#include "base/own_stack.h"
#include "base/processor.h"
#include "base/raw_call.h"
#include "base/readable.h"

typedef void (*any)(void);
typedef int (*walker)(const void **address, int room);
typedef _Unwind_Reason_Code (*slow_walker)(_Unwind_Trace_Fn each, void *data);
typedef _Unwind_Ptr (*address_getter)(struct _Unwind_Context *context);

static walker walk;
static slow_walker walk_slowly;
static address_getter address_in;
static _Atomic uint64_t checked; /* unloads << 1 | was a used object unloaded */

/* ISO C knows no cast from data to function. */
static bool find(void *library, const char *name, void *function)
{
    void *address = library ? dlsym(library, name) : NULL;
    if (address)
        memcpy(function, &address, sizeof address);
    return address != NULL;
}

/*
 * Emulation of a pipe for libunwind. libunwind asks the kernel whether an address can be read:
 * libunwind writes the bytes there to a pipe. The pipe stays open, and libunwind goes on using the
 * file numbers of the pipe after the program has closed the pipe and has opened files under the
 * same numbers: libunwind would read from the program's files, write to the files and close the
 * files. Therefore libunwind gets a pipe of file numbers that no file ever has, and the agent
 * answers the calls without a pipe.
 */
enum { NO_PIPE = -2 };

static int give_no_pipe(int ends[2])
{
    ends[0] = ends[1] = NO_PIPE;
    return 0;
}

static int give_no_pipe_of_kind(int ends[2], int flags)
{
    (void)flags;
    return give_no_pipe(ends);
}

static ssize_t fail(int error)
{
    errno = error;
    return -1;
}

static ssize_t answered(long result)
{
    return result < 0 ? fail((int)-result) : result;
}

static ssize_t read_no_pipe(int file, void *to, size_t bytes)
{
    return file == NO_PIPE
               ? fail(EAGAIN)
               : answered(spur_raw_call(SYS_read, file, (long)to, (long)bytes, 0, 0, 0));
}

static ssize_t write_no_pipe(int file, const void *from, size_t bytes)
{
    if (file != NO_PIPE)
        return answered(spur_raw_call(SYS_write, file, (long)from, (long)bytes, 0, 0, 0));
    errno = 0; /* libunwind takes an EINTR from before for an EINTR of this call */
    return spur_is_readable(from) ? (ssize_t)bytes : fail(EFAULT);
}

static long call_no_pipe(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_write)
        return write_no_pipe((int)a, (const void *)b,
                             (size_t)c); // NOLINT(performance-no-int-to-ptr)
    return answered(spur_raw_call(number, a, b, c, d, e, f));
}

/*
 * libunwind blocks all signals for each of its locks, and a frame takes several locks. On the
 * agent's own stack all signals are blocked already.
 */
static int block_what_is_blocked(int how, const sigset_t *set, sigset_t *old)
{
    if (!spur_is_on_own_stack())
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): for libunwind, of one thread */
        return sigprocmask(how, set, old);
    if (old)
        sigemptyset(old);
    return 0;
}

static bool open_walker(void *library)
{
    const struct spur_library_call calls[] = {{"sigprocmask", (any)block_what_is_blocked},
                                              {"pipe", (any)give_no_pipe},
                                              {"pipe2", (any)give_no_pipe_of_kind},
                                              {"read", (any)read_no_pipe},
                                              {"write", (any)write_no_pipe},
                                              {"syscall", (any)call_no_pipe}};
    if (!find(library, "unw_backtrace", (void *)&walk))
        return false;
    spur_library_redirect(library, calls, sizeof calls / sizeof calls[0]);
    return true;
}

/* Does libunwind find the caller of a function that has signed the return address? */
__attribute__((noinline)) SPUR_SIGNED static bool knows_signed(void)
{
    const void *frame[2];
    const void *back = __builtin_extract_return_addr(__builtin_return_address(0));
    return walk(frame, 2) == 2 && frame[1] == back;
}

bool spur_walk_open(void)
{
    static const char *const names[] = {
#define UNWIND_NAME(file) file,
#include "agent/opened_libraries.def"
    };
    enum { MODE = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE };
    bool is_there = false;
    /* libunwind's locks would be ThreadSanitizer's locks, which crash in a thread past its end. */
    bool is_wanted = !dlsym(RTLD_DEFAULT, "__tsan_init");
    for (size_t i = 0; i < sizeof names / sizeof names[0] && is_wanted && !is_there; i++)
        is_there = open_walker(dlopen(names[i], MODE));
    if (is_there && !knows_signed()) {
        walk = NULL;
        is_there = false;
    }
    void *slow = is_there ? dlopen("libgcc_s.so.1", MODE) : NULL;
    if (!find(slow, "_Unwind_Backtrace", (void *)&walk_slowly) ||
        !find(slow, "_Unwind_GetIP", (void *)&address_in))
        walk_slowly = NULL;
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    return is_there || spur_cfi_start();
}

uintptr_t spur_walk_address(void)
{
    return (uintptr_t)walk;
}

struct walking {
    const void **address;
    uint32_t n, room;
};

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *data)
{
    struct walking *walking = data;
    if (walking->n == walking->room)
        return _URC_END_OF_STACK;
    _Unwind_Ptr address = address_in(context);
    walking->address[walking->n++] = (const void *)address; // NOLINT(performance-no-int-to-ptr)
    return _URC_NO_REASON;
}

static bool has_lost(void)
{
    uint64_t state = atomic_load_explicit(&checked, memory_order_relaxed);
    uint64_t unloads = spur_code_unloads();
    if (__builtin_expect(state >> 1 == unloads, 1))
        return state & 1;
    bool lost = (state & 1) || spur_code_has_lost();
    atomic_store_explicit(&checked, unloads << 1 | lost, memory_order_relaxed);
    return lost;
}

void spur_walk_after_fork(void)
{
    atomic_store_explicit(&checked, (uint64_t)spur_code_unloads() << 1 | 1, memory_order_relaxed);
}

static uint32_t walk_by_library_here(const void **address, uint32_t room)
{
    struct walking walking = {address, 0, room};
    int saved = errno;
    if (__builtin_expect(!has_lost(), 1)) {
        int n = walk(address, (int)room);
        walking.n = n > 0 ? (uint32_t)n : 0;
    } else if (walk_slowly) {
        (void)walk_slowly(note, &walking);
    }
    errno = saved;
    return walking.n;
}
static uint32_t walk_by_library(const void **address, uint32_t room);
SPUR_DOOR(uint32_t, walk_by_library, (const void **, address), (uint32_t, room))

static uint32_t walk_alone_here(struct spur_frame from, const void **address, uint32_t room)
{
    struct spur_stack_window window = {.span = {0, 0}};
    bool is_whole;
    int saved = errno;
    if (!spur_own_stack_has(from.stack))
        window.span = spur_stack_span_from(from.stack);
    uint32_t n = spur_stack_walk_from(from, &window, address, room, &is_whole);
    errno = saved;
    return n;
}
static uint32_t walk_alone(struct spur_frame from, const void **address, uint32_t room);
SPUR_DOOR(uint32_t, walk_alone, (struct spur_frame, from), (const void **, address),
          (uint32_t, room))

uint32_t spur_walk(const void **address, uint32_t room)
{
    return walk ? walk_by_library(address, room) : walk_alone(spur_frame_here(), address, room);
}
