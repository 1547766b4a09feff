/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that runs in the process first: it is copied there, so it knows nothing but its order.
 */
#ifndef TOOLS_ATTACH_STUB_H
#define TOOLS_ATTACH_STUB_H

#include <stddef.h>

/* The code and how long it is; it begins with the function void *(*)(void *), for an order. */
const void *attach_stub(size_t *bytes);

#endif
