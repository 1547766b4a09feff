/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of archives within a session, as the library is to find them: see base/beneath.h. */
#ifndef SPUR_ARCHIVE_FILES_H
#define SPUR_ARCHIVE_FILES_H

#include <otf2x/otf2x.h>

extern const OTF2X_FileCallbacks spur_archive_files;

/* The same, and the archive's folder is made with the first file in it: most processes need none.
 */
extern const OTF2X_FileCallbacks spur_archive_files_late;

/* The same, and others may have made the archive's folder already. */
extern const OTF2X_FileCallbacks spur_archive_files_shared;

#endif
