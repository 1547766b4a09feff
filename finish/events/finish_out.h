/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a location while the file is made. In a plain archive the file is made at its final
 * place. For an archive in containers (f->container) no file is made on the disk only to be copied
 * into a container afterwards. Instead a file left by the process is completed at its old place,
 * and a missing file is made in memory. The library asks for both by the path in the plain archive,
 * see finish_out_files.
 *
 * Functions return a descriptor (for spur_file_close) or 0, or -errno; -ENOENT: no such file.
 */
#ifndef SPUR_FINISH_OUT_H
#define SPUR_FINISH_OUT_H

#include <otf2x/otf2x.h>

#include "base/raw_file.h"
#include "finish/state/finish_state.h"

struct finish_out {
    char path[SPUR_FILE_PATH_BYTES]; /* in the plain archive */
    char real[SPUR_FILE_PATH_BYTES]; /* of the file; "": the file is made in memory */
    int memory;                      /* descriptor of the memory; -1: still nothing made */
    struct finish_out *next;         /* list of the files that the library may open */
};

/* Between begin and end the library finds the file. `ending`: "evt" or "def". */
void finish_out_begin(struct finish_out *out, const struct finish *f, uint64_t location,
                      const char *ending);
void finish_out_end(struct finish_out *out, const struct finish *f);

/* The file exists at `path`, or will be made anew. Containers only. */
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

/* ---- the place of a complete file: for containers ---- */

/* Put bytes into the record of a process that settles. */
int finish_out_tell(struct finish *f, const void *bytes, uint64_t n, struct finish_source *source);

/*
 * The file is complete: fills in the place of the bytes. Bytes in memory are copied to f->store, or
 * into the record of a process that settles.
 */
int finish_out_keep(const struct finish_out *out, struct finish *f, enum finish_in in,
                    struct finish_source *source);

/* The path of the file in which a source lies. Returns `path`. */
char *finish_source_path(const struct finish *f, const struct finish_process *p,
                         const struct finish_thread *t, const char *ending,
                         const struct finish_source *source, char path[SPUR_FILE_PATH_BYTES]);

/* The offset of the source in that file. */
uint64_t finish_source_at(const struct finish_source *source);

#endif
