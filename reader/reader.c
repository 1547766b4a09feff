/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an archive that is read. */
#include "reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/memory.h"
#include "format/paths.h"
#include "format/zcodec.h"
#include "reader/containers.h"

/* ---- paths ---- */

static char *text_new(const char *text, size_t length)
{
    char *copy = otf2_mem_new(length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

/* "somewhere/traces.otf2": the directory and the archive's name, from which all paths are made. */
static OTF2_ErrorCode split_path(OTF2_Reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!dot || (strcmp(dot, ".otf2") != 0 && strcmp(dot, ".OTF2") != 0))
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "%s: no name of an anchor file, *.otf2",
                          path);
    if (slash == path)
        r->path = text_new("/", 1);
    else
        r->path = slash ? text_new(path, (size_t)(slash - path)) : text_new(".", 1);
    r->name = text_new(name, (size_t)(dot - name));
    if (!r->path || !r->name)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path);
    return OTF2_SUCCESS;
}

/* ---- the anchor file ---- */

static OTF2_ErrorCode system_error(const char *path, const char *what)
{
    return OTF2_ERROR(otf2_error_from_errno(errno), "%s: %s", path, what);
}

/* All of an open file, but no more than an anchor file may have. */
static OTF2_ErrorCode read_bytes(int fd, const char *path, uint8_t **bytes, size_t *n)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return system_error(path, "cannot be examined");
    if (!S_ISREG(st.st_mode))
        return OTF2_ERROR(OTF2_ERROR_INVALID_DATA, "%s: is no regular file", path);
    size_t size = st.st_size < OTF2_ANCHOR_BYTES_MAX ? (size_t)st.st_size : OTF2_ANCHOR_BYTES_MAX;
    *bytes = otf2_mem_new(size + 1);
    if (!*bytes)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path);
    *n = 0;
    while (*n < size) {
        ssize_t got = read(fd, *bytes + *n, size - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_error(path, "cannot be read");
        if (!got)
            break;
        *n += (size_t)got;
    }
    return OTF2_SUCCESS;
}

/* Names are compared as they are stored, which is upper case; old writers did not fold them. */
static void fold_names(OTF2_Reader *r)
{
    for (uint32_t i = 0; i < r->anchor.nproperties; i++) {
        size_t at = (size_t)(r->anchor.properties[i].name - (const char *)r->anchor_bytes);
        for (uint8_t *c = r->anchor_bytes + at; *c; c++)
            if (*c >= 'a' && *c <= 'z')
                *c = (uint8_t)(*c - 'a' + 'A');
    }
}

static OTF2_ErrorCode check_anchor(const struct otf2_anchor *anchor, const char *path)
{
    if (anchor->substrate == OTF2_SUBSTRATE_SION && anchor->compression != OTF2_COMPRESSION_NONE)
        return OTF2_ERROR(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED,
                          "%s: compressed files in SION containers", path);
    if (anchor->compression == OTF2_COMPRESSION_ZLIB && !otf2_zcodec_find())
        return OTF2_ERROR(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED,
                          "%s: built without compression", path);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode load_anchor(OTF2_Reader *r)
{
    char path[OTF2_PATH_BYTES];
    size_t n = 0;
    if (!otf2_path_make(r->path, r->name, OTF2_FILETYPE_ANCHOR, 0, path, sizeof path))
        return OTF2_ERROR(OTF2_ERROR_ENAMETOOLONG, "%s: the path is too long", r->path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return system_error(path, "cannot be opened");
    OTF2_ErrorCode error = read_bytes(fd, path, &r->anchor_bytes, &n);
    close(fd);
    if (!r->anchor_bytes || error)
        return error;
    error = otf2_anchor_decode(r->anchor_bytes, n, &r->anchor);
    if (error)
        return OTF2_ERROR(error, "%s: %s (%zu bytes)", path,
                          otf2_anchor_fault(&r->anchor, "no anchor file that can be read"), n);
    fold_names(r);
    return check_anchor(&r->anchor, path);
}

/* ---- open and close ---- */

static void release(OTF2_Reader *r)
{
    otf2_locations_fini(&r->locations);
    otf2_containers_free(r->containers);
    otf2_context_regions_fini(&r->context_regions);
    otf2_anchor_fini(&r->anchor);
    otf2_mem_free(r->anchor_bytes);
    otf2_mem_free(r->thumbs);
    otf2_mem_free(r->path);
    otf2_mem_free(r->name);
    otf2_mem_free(r);
}

OTF2_Reader *OTF2_Reader_Open(const char *anchorFilePath)
{
    if (!anchorFilePath) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no path of an anchor file");
        return NULL;
    }
    OTF2_Reader *r = otf2_mem_new(sizeof *r);
    if (!r) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", anchorFilePath);
        return NULL;
    }
    /* An error that the program's callback makes a success of leaves something undone. */
    if (split_path(r, anchorFilePath) || !r->name || !r->path || load_anchor(r) ||
        !r->anchor.anchor_format) {
        release(r);
        return NULL;
    }
    return r;
}

static void release_lock(OTF2_Reader *r)
{
    if (!r->has_locks)
        return;
    if (r->locking.otf2_destroy(r->locking_data, r->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot destroy the reader's lock");
    if (r->locking.otf2_release)
        r->locking.otf2_release(r->locking_data);
}

OTF2_ErrorCode OTF2_Reader_Close(OTF2_Reader *reader)
{
    if (!reader)
        return OTF2_SUCCESS;
    OTF2_ErrorCode error = OTF2_Archive_Close(reader->markers_to);
    otf2_reader_close_all(reader);
    if (reader->has_collectives && reader->collectives.otf2_release)
        reader->collectives.otf2_release(reader->collective_data, reader->global_context,
                                         reader->local_context);
    release_lock(reader);
    release(reader);
    return error;
}
