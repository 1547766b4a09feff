/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code that `spur attach` brings into a running process, and the talk between both. The command
 * starts one thread in the process, at a function whose code the command has copied there
 * (tools/attach/stub.c). The thread opens libspur-attach.so and calls a function of the library:
 * spur_attach or spur_detach, with the order. The library loads the agent and leads the calls of
 * the program to the agent. Then the library waits until the command has brought all of its
 * processes so far: all processes begin to record at the same time.
 *
 * All of an order lies in memory that the command has mapped in the process. `state` is written
 * last by both sides.
 */
#ifndef ATTACH_ATTACH_H
#define ATTACH_ATTACH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define ATTACH_LIBRARY "libspur-attach.so"

enum {
    ATTACH_PATH_BYTES = 4096,
    ATTACH_TEXT_BYTES = 24 << 10,
    ATTACH_ANSWER_BYTES = 1024,
    ATTACH_SAID_BYTES = 4096
};

struct attach_order;

/* Exported by libspur-attach.so. NULL: done; otherwise the reason why not. */
typedef const char *attach_function(struct attach_order *order);

/* The command asks and says go, the thread is ready and done. Not every done order was ready. */
enum attach_state { ATTACH_ASKED, ATTACH_READY, ATTACH_GO, ATTACH_DONE };

struct attach_order {
    /* Functions of the process's C library. */
    void *(*open)(const char *path, int mode);
    attach_function *(*symbol)(void *handle, const char *name); /* dlsym() */
    char *(*error)(void);
    pthread_t (*self)(void);
    int (*detach)(pthread_t thread);

    _Atomic uint32_t state;
    char library[ATTACH_PATH_BYTES];
    char function[32];
    char text[ATTACH_TEXT_BYTES];      /* of spur_attach: NAME=VALUE, ..., each zero-terminated */
    char directory[ATTACH_PATH_BYTES]; /* of spur_attach: where the process records */
    char said[ATTACH_SAID_BYTES];      /* by the agent: lines, each zero-terminated */
    char answer[ATTACH_ANSWER_BYTES];  /* "": done; otherwise the reason why not */
};

#endif
