/* SPDX-License-Identifier: BSD-3-Clause */
/* The flags of open(2) as OTF2 has them. Pure functions. */
#ifndef IO_FLAGS_H
#define IO_FLAGS_H

#include <otf2/otf2.h>

OTF2_IoAccessMode io_access_of(int flags);
OTF2_IoCreationFlag io_creation_of(int flags);
/* Also of F_GETFL, which does not tell O_CLOEXEC. */
OTF2_IoStatusFlag io_status_of(int flags);
OTF2_IoSeekOption io_whence_of(int whence);

#endif
