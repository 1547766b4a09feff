/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a location while it is made. In a plain archive it lies where it stays. For an
 * archive in containers (f->container) nothing is made on the disk that goes into a container
 * afterwards: a file that the process has left is completed where it is, and what has none is made
 * in memory. The library asks for both by the path in the plain archive, see finish_out_files.
 *
 * Functions return a descriptor (for spur_file_close) or 0, or -errno; -ENOENT: there is no file.
 */
#ifndef SPUR_FINISH_OUT_H
#define SPUR_FINISH_OUT_H

#include <otf2x/otf2x.h>

#include "base/raw_file.h"
#include "finish/state/finish_state.h"

struct finish_out {
    char path[SPUR_FILE_PATH_BYTES]; /* in the plain archive */
    char real[SPUR_FILE_PATH_BYTES]; /* of the file; "": it is made in memory, */
    int memory;                      /* which this describes; -1: nothing was made yet */
    struct finish_out *next;         /* of those that the library may ask for */
};

/* From here on the library finds it, until it ends. `ending`: "evt" or "def". */
void finish_out_begin(struct finish_out *out, const struct finish *f, uint64_t location,
                      const char *ending);
void finish_out_end(struct finish_out *out, const struct finish *f);

/* It is a file that is there, or it will be made anew. Containers only. */
void finish_out_use(struct finish_out *out, const char *path);
void finish_out_anew(struct finish_out *out);

/* For messages. */
const char *finish_out_name(const struct finish_out *out);
static inline bool finish_out_is_file(const struct finish_out *out)
{
    return out->real[0] != '\0';
}

int finish_out_open(const struct finish_out *out, uint64_t *size);
int finish_out_edit(const struct finish_out *out, uint64_t *size);
int finish_out_append(struct finish_out *out, const void *from, uint64_t bytes);
int finish_out_cut(const struct finish_out *out, uint64_t bytes);
int finish_out_remove(struct finish_out *out);

/* finish_out_open() with the rules of finish_try_open(). */
int finish_out_try(struct finish *f, const struct finish_out *out, uint64_t *size);

/* For an archive whose locations go into containers. */
extern const OTF2X_FileCallbacks finish_out_files;

/* ---- where it is when it is made: for containers ---- */

/* Bytes of a process that settles go into its record. */
int finish_out_tell(struct finish *f, const void *bytes, uint64_t n, struct finish_source *source);

/*
 * It is complete: says where it lies. What is in memory is copied to f->store, or into the record
 * of a process that settles.
 */
int finish_out_keep(const struct finish_out *out, struct finish *f, enum finish_in in,
                    struct finish_source *source);

/* The file that a source lies in. Returns `path`. */
char *finish_source_path(const struct finish *f, const struct finish_process *p,
                         const struct finish_thread *t, const char *ending,
                         const struct finish_source *source, char path[SPUR_FILE_PATH_BYTES]);

/* Where it lies in that file. */
uint64_t finish_source_at(const struct finish_source *source);

#endif
