/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The anchor file (traces.otf2): the properties of an archive that must be known before any other
 * file is opened. Pure functions over the bytes of the file.
 */
#ifndef FORMAT_ANCHOR_H
#define FORMAT_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

enum {
    OTF2_ANCHOR_FORMAT = 3, /* as written by this library; read: all from 1 on */
    OTF2_TRACE_FORMAT = 2,  /* as written, and the newest format read */
    OTF2_ANCHOR_BYTES_MAX = 262144,
    OTF2_ANCHOR_SUBSTRATE_AT = 28, /* offset of the setting in the file */
    OTF2_ANCHOR_COMPRESSION_AT = 29
};

struct otf2_property {
    const char *name; /* upper case */
    const char *value;
};

/* All texts and the properties are borrowed. */
struct otf2_anchor {
    uint64_t event_chunk_bytes;
    uint64_t def_chunk_bytes;
    uint64_t locations;
    uint64_t global_definitions;
    uint64_t trace_id;
    const char *machine;
    const char *creator;
    const char *description;
    const struct otf2_property *properties;
    uint32_t nproperties;
    uint32_t snapshots;
    uint32_t thumbnails;
    uint8_t version[3]; /* of the library that wrote the archive: major, minor, bugfix */
    uint8_t anchor_format;
    uint8_t trace_format;
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    char fault[48]; /* of otf2_anchor_fault() */
};

/* The size of the file; anchor_format and trace_format of *anchor are not used. */
size_t otf2_anchor_bytes(const struct otf2_anchor *anchor);

/* Writes an anchor file and returns its end. */
uint8_t *otf2_anchor_encode(uint8_t *p, const struct otf2_anchor *anchor);

/*
 * Decodes a file. Texts are borrowed from `bytes`, which must outlive *anchor; the array of
 * properties is new and to be given to otf2_anchor_fini(). Errors:
 *
 *     OTF2_ERROR_INVALID_DATA        cut or malformed
 *     OTF2_ERROR_INVALID_ARGUMENT    written by a later version, or with an unknown substrate or
 *                                    compression
 *     OTF2_ERROR_PROPERTY_NAME_INVALID, OTF2_ERROR_PROPERTY_VALUE_INVALID,
 *     OTF2_ERROR_PROPERTY_EXISTS
 *     OTF2_ERROR_MEM_ALLOC_FAILED
 *
 * After an error *anchor needs no release. Nothing is reported; the caller knows the file's name.
 */
OTF2_ErrorCode otf2_anchor_decode(const uint8_t *bytes, size_t n, struct otf2_anchor *anchor);

/*
 * After an error: its reason, for a message. A newer trace format is named; else the reason is
 * `otherwise`. *anchor holds the text.
 */
const char *otf2_anchor_fault(struct otf2_anchor *anchor, const char *otherwise);

void otf2_anchor_fini(struct otf2_anchor *anchor);

/* Whether a name is at least two words of [A-Za-z0-9_-] joined by "::". */
bool otf2_property_name_is_valid(const char *name);

/* The property of the given name, in upper case; NULL: no such property. */
const struct otf2_property *otf2_property_find(const struct otf2_property *properties, uint32_t n,
                                               const char *name);

/*
 * All names in the form of the public functions: a block that the program releases by free(), the
 * pointers before the texts. NULL without properties, or memory.
 */
char **otf2_property_names_new(const struct otf2_property *properties, uint32_t n);

#endif
