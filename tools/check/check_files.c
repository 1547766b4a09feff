/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about the anchor file and about which files there are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/check/check.h"

enum { CHUNK_MIN = 262144, CHUNK_MAX = 16777216, TAIL_BYTES = 3 };

/* ---- the anchor file ---- */

static bool load_anchor(struct check *c, const char *path, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = 0;
    c->anchor_bytes = take_memory(OTF2_ANCHOR_BYTES_MAX + 1);
    *n = 0;
    while (fd >= 0 && *n <= OTF2_ANCHOR_BYTES_MAX &&
           (got = read(fd, c->anchor_bytes + *n, OTF2_ANCHOR_BYTES_MAX + 1 - *n)) > 0)
        *n += (size_t)got;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && got >= 0)
        return true;
    say("check: %s: %s", path, strerror(error));
    return false;
}

static bool is_readable(const struct otf2_anchor *a)
{
    return a->substrate == OTF2_SUBSTRATE_POSIX ||
           (a->substrate == OTF2_SUBSTRATE_SION && a->compression == OTF2_COMPRESSION_NONE);
}

static void check_anchor_values(struct check *c, struct place where, size_t n)
{
    static const uint8_t tail[TAIL_BYTES] = {2, 1, 0};
    const struct otf2_anchor *a = &c->anchor;
    const uint64_t sizes[] = {a->event_chunk_bytes, a->def_chunk_bytes};
    if (a->anchor_format <= OTF2_ANCHOR_FORMAT &&
        (n != otf2_anchor_bytes(a) ||
         memcmp(c->anchor_bytes + n - TAIL_BYTES, tail, TAIL_BYTES) != 0) &&
        a->anchor_format == OTF2_ANCHOR_FORMAT)
        found(c->verdict, RULE_ANCHOR_END, where,
              "has %zu bytes, and not 02 01 00 at the end of %zu", n, otf2_anchor_bytes(a));
    for (unsigned i = 0; i < 2; i++)
        if (sizes[i] < CHUNK_MIN || sizes[i] > CHUNK_MAX)
            found(c->verdict, RULE_ANCHOR_CHUNKS, where, "chunks of %s have %" PRIu64 " bytes",
                  i ? "definitions" : "events", sizes[i]);
    if (!is_readable(a))
        found(c->verdict, RULE_ANCHOR_SUBSTRATE, where,
              a->substrate == OTF2_SUBSTRATE_SION ? "the files in the containers are compressed"
                                                  : "the archive has no files of events");
    if (a->compression != OTF2_COMPRESSION_NONE)
        found(c->verdict, RULE_ANCHOR_COMPRESSION, where, "the archive is compressed");
    if (!a->trace_id)
        found(c->verdict, RULE_ANCHOR_TRACE_ID, where, "the trace id is 0");
}

/* False: nothing else of the archive can be judged. */
bool check_anchor(struct check *c, const char *path)
{
    struct place where = {.file = path};
    size_t n;
    if (!load_anchor(c, path, &n)) {
        c->is_unreadable = true;
        return false;
    }
    OTF2_ErrorCode error = n > OTF2_ANCHOR_BYTES_MAX
                               ? OTF2_ERROR_INVALID_DATA
                               : otf2_anchor_decode(c->anchor_bytes, n, &c->anchor);
    if (error) {
        found(c->verdict, RULE_ANCHOR, where, "cannot be decoded: %s",
              otf2_anchor_fault(&c->anchor, OTF2_Error_GetDescription(error)));
        return false;
    }
    static const char own[] = "spur";
    c->verdict->is_own = c->verdict->is_own || strncmp(c->anchor.creator, own, sizeof own - 1) == 0;
    check_anchor_values(c, where, n);
    return is_readable(&c->anchor) && c->anchor.event_chunk_bytes >= CHUNK_MIN &&
           c->anchor.event_chunk_bytes <= CHUNK_MAX && c->anchor.def_chunk_bytes >= CHUNK_MIN &&
           c->anchor.def_chunk_bytes <= CHUNK_MAX;
}

/* ---- files that nobody needs ---- */

/* LOCATION.evt, .def or .snap of a location that is defined; of a container its number. */
static bool belongs(const struct check *c, const char *name)
{
    char wanted[64];
    char *dot;
    errno = 0;
    uint64_t id = strtoull(name, &dot, 10);
    static const char *const endings[] = {".evt", ".def", ".snap"};
    for (unsigned i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        (void)snprintf(wanted, sizeof wanted, "%" PRIu64 "%s", id, endings[i]);
        if (!errno && strcmp(wanted, name) == 0)
            return c->containers ? id < otf2_containers_files(c->containers)
                                 : location_find(c, id) != NULL;
    }
    return false;
}

void check_stray_files(struct check *c)
{
    size_t bytes = strlen(c->dir) + strlen(c->name) + 2;
    char *path = take_memory(bytes);
    (void)snprintf(path, bytes, "%s/%s", c->dir, c->name);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            belongs(c, entry->d_name))
            continue;
        found(c->verdict, RULE_FILE_STRAY, (struct place){.file = entry->d_name},
              "belongs to no location");
    }
    if (folder)
        closedir(folder);
    free(path);
    containers_check_stray(c);
}
