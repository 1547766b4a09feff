/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the interface of CUDA's driver, as it is published. */
#ifndef WRAPPERS_CUDA_DRIVER_NUMBERS_H
#define WRAPPERS_CUDA_DRIVER_NUMBERS_H

enum {
    CUDA_OK = 0,
    CUDA_NO_DEVICE = 100,
    CUDA_NOT_READY = 600,
    CUDA_PER_THREAD = 2,      /* flag of cuGetProcAddress(), and handle of a stream */
    CUDA_MEMORY_TYPE = 2,     /* what cuPointerGetAttribute() is asked for */
    CUDA_CAPTURE_RELAXED = 2, /* the thread's calls are not meant for what is captured */
    CUDA_KNOWN = 13000        /* the last version that driver_calls.def was compared with */
};

#endif
