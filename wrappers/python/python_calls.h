/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of CPython by which its functions are recorded. Its layout is known then. */
#ifndef PYTHON_CALLS_H
#define PYTHON_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef int (*python_event)(void *self, void *frame, int what, void *argument);

struct python_calls {
#define API(type, name, parameters) type(*name) parameters;
#define API_OR(type, name, other, parameters) type(*name) parameters;
#define API_39(type, name, parameters) type(*name) parameters;
#define API_311(type, name, parameters) type(*name) parameters;
#define API_312(type, name, parameters) type(*name) parameters;
#include "wrappers/python/python_calls.def"
};

/* Set by python_calls_find(). Those for sys.monitoring are NULL before CPython 3.12. */
extern struct python_calls python_calls;

/* At the start: takes the loader's lock. False: this CPython lacks one. */
bool python_calls_find(void);

/* In place of what older ones lack. */
#define API(type, name, parameters)
#define API_OR(type, name, other, parameters)
#define API_39(type, name, parameters) type python_old_##name parameters;
#define API_311(type, name, parameters) type python_old_##name parameters;
#define API_312(type, name, parameters)
#include "wrappers/python/python_calls.def"

#endif
