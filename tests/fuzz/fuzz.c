/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/anchor.h"

static const uint8_t separator[] = {0xfe, 0xed, 0xfa, 0xce};

static const char *const names[] = {"traces.otf2",    "traces.def",   "traces.marker",
                                    "traces.0.thumb", "traces/0.def", "traces/1.def",
                                    "traces/0.evt",   "traces/1.evt", "traces/0.snap",
                                    "traces/1.snap",  "traces.srm"};

enum { N_NAMES = sizeof names / sizeof names[0], PATH_BYTES = 256 };

static char folder[PATH_BYTES];

static void path_of(const char *name, char *path)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) >= PATH_BYTES)
        abort();
}

static void write_file(const char *name, const void *data, size_t n)
{
    char path[PATH_BYTES];
    path_of(name, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) {
        perror(path);
        abort();
    }
    close(fd);
}

static void remove_all(void)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < N_NAMES; i++) {
        path_of(names[i], path);
        unlink(path);
    }
    path_of("traces", path);
    rmdir(path);
    rmdir(folder);
}

static void make_folder(void)
{
    char path[PATH_BYTES];
    const char *top = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/spur-fuzz-XXXXXX", top);
    if (!mkdtemp(folder)) {
        perror(folder);
        abort();
    }
    path_of("traces", path);
    mkdir(path, 0700);
    atexit(remove_all);
}

/* Only whether something is wrong matters here, not what. */
__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
say_nothing(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
            const char *format, va_list args)
{
    char text[1024];
    (void)user, (void)file, (void)line, (void)function;
    vsnprintf(text, sizeof text, format, args);
    return code;
}

static void begin(OTF2_FileSubstrate substrate, OTF2_Compression compression)
{
    enum { ANCHOR_ROOM = 256 };
    static const uint8_t empty[] = {0x03, 0x42, 1, 0, 0, 0, 0, 0, 0, 0,
                                    0,    0,    0, 0, 0, 0, 0, 0, 2, 1};
    uint8_t bytes[ANCHOR_ROOM];
    const struct otf2_anchor anchor = {.event_chunk_bytes = FUZZ_CHUNK,
                                       .def_chunk_bytes = FUZZ_CHUNK,
                                       .locations = FUZZ_LOCATIONS,
                                       .machine = "",
                                       .creator = "",
                                       .description = "",
                                       .snapshots = 1,
                                       .thumbnails = 1,
                                       .version = {3, 0, 2},
                                       .substrate = substrate,
                                       .compression = compression};
    if (!folder[0]) {
        make_folder();
        OTF2_Error_RegisterCallback(say_nothing, NULL);
        for (size_t i = 1; i < N_NAMES; i++)
            write_file(names[i], empty, compression == OTF2_COMPRESSION_NONE ? sizeof empty : 0);
        write_file(names[0], bytes, (size_t)(otf2_anchor_encode(bytes, &anchor) - bytes));
    }
}

void fuzz_begin(OTF2_Compression compression)
{
    begin(OTF2_SUBSTRATE_POSIX, compression);
}

void fuzz_begin_containers(void)
{
    begin(OTF2_SUBSTRATE_SION, OTF2_COMPRESSION_NONE);
}

bool fuzz_put(const char *name, const uint8_t *data, size_t n, bool is_chunked)
{
    enum { CHUNKS_MAX = 8 };
    static uint8_t file[(size_t)CHUNKS_MAX * FUZZ_CHUNK];
    if (n > FUZZ_INPUT_MAX)
        return false;
    if (!is_chunked) {
        write_file(name, data, n);
        return true;
    }
    size_t at = 0;
    for (const uint8_t *end = data + n;;) {
        const uint8_t *next = memmem(data, (size_t)(end - data), separator, sizeof separator);
        size_t part = (size_t)((next ? next : end) - data);
        if (part > sizeof file - at)
            return false;
        memcpy(file + at, data, part);
        at += part;
        if (!next)
            break;
        size_t fill = (FUZZ_CHUNK - at % FUZZ_CHUNK) % FUZZ_CHUNK;
        if (fill > sizeof file - at)
            return false;
        memset(file + at, 0, fill);
        at += fill;
        data = next + sizeof separator;
    }
    write_file(name, file, at);
    return true;
}

OTF2_Reader *fuzz_open(void)
{
    char path[PATH_BYTES];
    path_of("traces.otf2", path);
    OTF2_Reader *r = OTF2_Reader_Open(path);
    if (!r)
        return NULL;
    OTF2_Reader_SetSerialCollectiveCallbacks(r);
    for (OTF2_LocationRef l = 0; l < FUZZ_LOCATIONS; l++)
        OTF2_Reader_SelectLocation(r, l);
    return r;
}
