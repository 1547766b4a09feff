/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declarations for the files of the metrics of NVIDIA's GPUs: NVML, opened at run time, and the
 * GPUs that the process sees.
 */
#ifndef SPUR_METRIC_NVML_H
#define SPUR_METRIC_NVML_H

#include "agent/metrics/metric_source.h"

enum spur_nvml_number {
#define NVML_NUMBER(name, value, there) name = (value),
#include "agent/metrics/sources/nvml_numbers.def"
};

/* As laid out by nvml.h. */
struct spur_nvml_utilization {
    unsigned gpu, memory; /* % */
};
struct spur_nvml_memory {
    unsigned long long total, free, used; /* bytes */
};
struct spur_nvml_field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, result;
    union {
        double real;
        int signed_int;
        unsigned unsigned_int;
        unsigned long unsigned_long;
        unsigned long long unsigned_long_long;
        long long signed_long_long;
    } value;
};

struct spur_nvml {
#define CALL(name, parameters) int(*name) parameters;
#define MORE(name, parameters) int(*name) parameters; /* NULL: not in the driver */
#include "agent/metrics/sources/nvml_calls.def"
    const char *(*nvmlErrorString)(int error);
};

enum { SPUR_NVML_GPUS = 32, SPUR_NVML_TEXT = 96 };

struct spur_nvml_gpu {
    void *device;   /* NVML's; NULL: this user, or this container, has no access to the GPU */
    unsigned index; /* NVML's, in the order of the PCI bus */
    bool is_visible;
    char name[SPUR_NVML_TEXT], uuid[SPUR_NVML_TEXT];
};

struct spur_nvml_gpus {
    unsigned n;
    struct spur_nvml_gpu gpu[SPUR_NVML_GPUS];
};

/* The number of the GPU with the part `uuid` (MIG); -1: unknown. */
typedef int spur_nvml_whole_of(const char *uuid);

/*
 * The GPUs that CUDA_VISIBLE_DEVICES (`list`; NULL: not set) leaves to the process. `order` is
 * CUDA_DEVICE_ORDER. False: numbers say nothing of the GPUs here.
 */
bool spur_nvml_see(struct spur_nvml_gpus *gpus, const char *list, const char *order,
                   spur_nvml_whole_of *whole_of);

/* NVML, started; NULL: `why` names the missing part, and the remedy. Once a process, in a
 * constructor. */
const struct spur_nvml *spur_nvml_get(char why[SPUR_METRIC_TEXT], enum spur_metric_state *state);
const struct spur_nvml_gpus *spur_nvml_gpus(void);

/* The value of a metric now. 0, or NVML's error. */
int spur_nvml_read(const struct spur_nvml *nvml, void *device, uint32_t row, uint64_t *value,
                   bool *is_short);
extern const uint8_t spur_nvml_modes[];

/* Around calls that may open descriptors of NVML's: the descriptors are remembered. */
void spur_nvml_begin(void);
void spur_nvml_end(void);
/* Are all descriptors of NVML still the same files? A program may close such a descriptor, and open
 * a file under the number. */
bool spur_nvml_is_open(void);

#endif
