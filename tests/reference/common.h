/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of the programs of this folder. Each program is compiled once against the
 * reference library's headers, and run on the reference library and on ours. The argument is the
 * directory for its archives. The program prints the answer of each call; print-out and archives
 * must be equal.
 */
#ifndef REFERENCE_COMMON_H
#define REFERENCE_COMMON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <otf2/otf2.h>

enum { CHUNK_MIN = 256 * 1024, MANY = 1024 };

/* Print the answer of a call: a code, a truth, a pointer (NULL or not). */
#define CODE(call) print_code(#call, (call))
#define HANDLE(call) print_handle(#call, (call))

/*
 * A call that the reference library may not survive, in a child process. If the reference library
 * crashes, any answer of our library is right.
 */
#define ALONE(call)                                                                                \
    do {                                                                                           \
        fflush(stdout);                                                                            \
        pid_t alone_pid_ = fork();                                                                 \
        if (alone_pid_ == 0) {                                                                     \
            call;                                                                                  \
            fflush(stdout);                                                                        \
            _exit(0);                                                                              \
        }                                                                                          \
        wait_for(#call, alone_pid_);                                                               \
    } while (0)

static inline void wait_for(const char *what, pid_t pid)
{
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        perror("fork");
    if (status)
        printf("crashed: %s\n", what);
}

static inline void print_code(const char *call, OTF2_ErrorCode code)
{
    /* The reference library's names of system errors are numbers, by an accident of the build. */
    bool is_system = code > OTF2_ERROR_INVALID && code < OTF2_ERROR_END_OF_FUNCTION;
    printf("%s = %d %s\n", call, (int)code, is_system ? "" : OTF2_Error_GetName(code));
}

static inline void *print_handle(const char *call, const void *handle)
{
    printf("%s = %s\n", call, handle ? "handle" : "NULL");
    return (void *)(uintptr_t)handle;
}

/* Only the code: the text is each library's own. */
static inline OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line,
                                      const char *function, OTF2_ErrorCode code, const char *format,
                                      va_list args)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

static inline OTF2_FlushType flush_always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                          void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static inline OTF2_TimeStamp flush_time(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return 4711;
}

static const OTF2_FlushCallbacks flush_callbacks = {flush_always, NULL};

/* Open DIR/name for writing, ready for writers. */
static inline OTF2_Archive *open_archive(const char *dir, const char *name, uint64_t chunk)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, chunk, chunk,
                                        getenv("SION") ? OTF2_SUBSTRATE_SION : OTF2_SUBSTRATE_POSIX,
                                        OTF2_COMPRESSION_NONE);
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    return a;
}

#define CASE(body) run_case(#body, body, dir)

/* A case runs in its own process: a crash of the reference library ends only that case. */
static inline void run_case(const char *name, void (*body)(const char *dir), const char *dir)
{
    printf("---- %s\n", name);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        OTF2_Error_RegisterCallback(on_error, NULL);
        body(dir);
        fflush(stdout);
        _exit(0);
    }
    wait_for(name, pid);
}

#endif
