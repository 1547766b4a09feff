/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzz targets have in common: an archive in memory of which an input is one file.
 *
 * Chunks are at least 256 KiB long, inputs should be short: in an input a chunk ends at the bytes
 * of `separator`, and is filled with zeros up to its size. corpus.py writes files in that form.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

enum { FUZZ_CHUNK = 262144, FUZZ_LOCATIONS = 2, FUZZ_INPUT_MAX = 1 << 18 };

/*
 * Makes the archive with empty files, once; `compression` is what its anchor file says. Later calls
 * only empty the files again.
 */
void fuzz_begin(OTF2_Compression compression);

/* The same where the files of locations lie in containers, which have no location yet. */
void fuzz_begin_containers(void);

/* Makes an input a file of the archive, in chunks or as it is. False: it is too long. */
bool fuzz_put(const char *name, const uint8_t *data, size_t n, bool is_chunked);

/* Opens the archive; NULL when that fails. All its locations are selected. */
OTF2_Reader *fuzz_open(void);

/* No target reads on for ever: so many records are more than any input can have. */
enum { FUZZ_RECORDS_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
