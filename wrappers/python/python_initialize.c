/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter begins, of a library that is linked, or that dlopen() has loaded meanwhile.
 * dlopen() itself cannot be wrapped: what it finds depends on who calls it. But each CPython asks
 * confstr() for the version of the thread library when it makes its module sys (sys.thread_info),
 * before the first function of Python runs, and hardly anybody else does.
 */
#include <errno.h>
#include <unistd.h>

#include "wrappers/python/python_api.h"
#include "wrappers/python/python_frame.h"
#include "wrappers/python/python_initialize.h"
#include "wrappers/python/python_profile.h"

WRAPPER_FIND(confstr, size_t, (int, char *, size_t))

static void begin(const void *caller)
{
    int saved = errno;
    if (python_find_for(caller))
        python_frame_begin();
    python_profile_listen();
    errno = saved;
}

SPUR_EXPORT size_t confstr(int name, char *buf, size_t len)
{
    size_t ret = find_confstr()(name, buf, len);
    if (name == _CS_GNU_LIBPTHREAD_VERSION)
        begin(__builtin_return_address(0));
    return ret;
}

void python_initialize_find(void)
{
    (void)find_confstr();
    python_find_early();
}
