/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of the fuzz targets: an archive in memory. The input is one file of the archive.
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
 * Makes the archive with empty files, once. The anchor file names `compression`. Later calls only
 * empty the files again.
 */
void fuzz_begin(OTF2_Compression compression);

/* The same with the files of locations in containers that have no location yet. */
void fuzz_begin_containers(void);

/* Makes an input a file of the archive, in chunks or unchanged. False: the input is too long. */
bool fuzz_put(const char *name, const uint8_t *data, size_t n, bool is_chunked);

/* Opens the archive and selects all locations; NULL on failure. */
OTF2_Reader *fuzz_open(void);

/* No target reads on for ever: so many records are more than any input can have. */
enum { FUZZ_RECORDS_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
