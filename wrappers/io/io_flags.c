/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_flags.h"

#include <fcntl.h>
#include <unistd.h>

struct flag {
    int flag;
    uint32_t value;
};

#define CREATION(flag, NAME) {flag, OTF2_IO_CREATION_FLAG_##NAME},
#define STATUS(flag, NAME)
static const struct flag creation[] = {
#define IO_FLAG(KIND, flag, NAME) KIND(flag, NAME)
#include "wrappers/io/io_flags.def"
#undef IO_FLAG
};
#undef CREATION
#undef STATUS

#define CREATION(flag, NAME)
#define STATUS(flag, NAME) {flag, OTF2_IO_STATUS_FLAG_##NAME},
static const struct flag status[] = {
#define IO_FLAG(KIND, flag, NAME) KIND(flag, NAME)
#include "wrappers/io/io_flags.def"
#undef IO_FLAG
};
#undef CREATION
#undef STATUS

/* Some flags have the bits of others and more. */
static uint32_t translate(const struct flag *rows, size_t n, int flags)
{
    uint32_t set = 0;
    for (size_t i = 0; i < n; i++)
        if ((flags & rows[i].flag) == rows[i].flag)
            set |= rows[i].value;
    return set;
}

OTF2_IoAccessMode io_access_of(int flags)
{
    switch (flags & O_ACCMODE) {
    case O_RDONLY:
        return OTF2_IO_ACCESS_MODE_READ_ONLY;
    case O_WRONLY:
        return OTF2_IO_ACCESS_MODE_WRITE_ONLY;
    default:
        return OTF2_IO_ACCESS_MODE_READ_WRITE;
    }
}

OTF2_IoCreationFlag io_creation_of(int flags)
{
    return translate(creation, sizeof creation / sizeof creation[0], flags);
}

OTF2_IoStatusFlag io_status_of(int flags)
{
    return translate(status, sizeof status / sizeof status[0], flags);
}

OTF2_IoSeekOption io_whence_of(int whence)
{
    switch (whence) {
    case SEEK_CUR:
        return OTF2_IO_SEEK_FROM_CURRENT;
    case SEEK_END:
        return OTF2_IO_SEEK_FROM_END;
    case SEEK_DATA:
        return OTF2_IO_SEEK_DATA;
    case SEEK_HOLE:
        return OTF2_IO_SEEK_HOLE;
    default:
        return OTF2_IO_SEEK_FROM_START;
    }
}
