/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a GPU: one function for each way in which NVML gives them. */
#include "agent/metrics/sources/metric_nvml.h"

/* What is read, and how. */
struct reading {
    const struct spur_nvml *nvml;
    void *device;
    int argument;
    uint64_t value;
    bool is_short; /* of 32 bits: it begins anew at 2^32 */
};

static int read_power(struct reading *r)
{
    unsigned milliwatts = 0;
    int error = NVML_NOT_SUPPORTED;
    if (r->nvml->nvmlDeviceGetPowerUsage)
        error = r->nvml->nvmlDeviceGetPowerUsage(r->device, &milliwatts);
    r->value = milliwatts;
    return error;
}

static int read_energy(struct reading *r)
{
    unsigned long long millijoules = 0;
    int error = NVML_NOT_SUPPORTED;
    if (r->nvml->nvmlDeviceGetTotalEnergyConsumption)
        error = r->nvml->nvmlDeviceGetTotalEnergyConsumption(r->device, &millijoules);
    r->value = millijoules;
    return error;
}

static int read_clock(struct reading *r)
{
    unsigned megahertz = 0;
    int error = NVML_NOT_SUPPORTED;
    if (r->nvml->nvmlDeviceGetClockInfo)
        error = r->nvml->nvmlDeviceGetClockInfo(r->device, r->argument, &megahertz);
    r->value = megahertz;
    return error;
}

static int read_shares(struct reading *r, struct spur_nvml_utilization *rates)
{
    return r->nvml->nvmlDeviceGetUtilizationRates
               ? r->nvml->nvmlDeviceGetUtilizationRates(r->device, rates)
               : NVML_NOT_SUPPORTED;
}

static int read_gpu_share(struct reading *r)
{
    struct spur_nvml_utilization rates = {0, 0};
    int error = read_shares(r, &rates);
    r->value = rates.gpu;
    return error;
}

static int read_memory_share(struct reading *r)
{
    struct spur_nvml_utilization rates = {0, 0};
    int error = read_shares(r, &rates);
    r->value = rates.memory;
    return error;
}

static int read_memory_used(struct reading *r)
{
    struct spur_nvml_memory memory = {0, 0, 0};
    int error = NVML_NOT_SUPPORTED;
    if (r->nvml->nvmlDeviceGetMemoryInfo)
        error = r->nvml->nvmlDeviceGetMemoryInfo(r->device, &memory);
    r->value = memory.used;
    return error;
}

static int read_temperature(struct reading *r)
{
    unsigned degrees = 0;
    int error = NVML_NOT_SUPPORTED;
    if (r->nvml->nvmlDeviceGetTemperature)
        error = r->nvml->nvmlDeviceGetTemperature(r->device, NVML_SENSOR_GPU, &degrees);
    r->value = degrees;
    return error;
}

static uint64_t value_of(const struct spur_nvml_field *field)
{
    switch (field->type) {
    case NVML_VALUE_DOUBLE:
        return field->value.real > 0 ? (uint64_t)field->value.real : 0;
    case NVML_VALUE_UNSIGNED:
        return field->value.unsigned_int;
    case NVML_VALUE_UNSIGNED_LONG:
        return field->value.unsigned_long;
    case NVML_VALUE_SIGNED_LONG_LONG:
        return field->value.signed_long_long > 0 ? (uint64_t)field->value.signed_long_long : 0;
    case NVML_VALUE_SIGNED:
        return field->value.signed_int > 0 ? (uint64_t)field->value.signed_int : 0;
    default:
        return field->value.unsigned_long_long;
    }
}

/* Of all links, where the field has some. */
static int read_field(struct reading *r)
{
    bool is_of_links = r->argument == NVML_FIELD_NVLINK_TX || r->argument == NVML_FIELD_NVLINK_RX;
    struct spur_nvml_field field = {.id = (unsigned)r->argument,
                                    .scope = is_of_links ? UINT32_MAX : 0};
    if (!r->nvml->nvmlDeviceGetFieldValues)
        return NVML_NOT_SUPPORTED;
    int error = r->nvml->nvmlDeviceGetFieldValues(r->device, 1, &field);
    r->value = value_of(&field);
    r->is_short = field.type == NVML_VALUE_UNSIGNED;
    return error == NVML_OK ? field.result : error;
}

static const struct {
    int (*read)(struct reading *r);
    int argument;
} rows[] = {
#define NVML(name, how, argument, ...) {read_##how, argument},
#include "agent/metrics/sources/metric_nvml.def"
};

int spur_nvml_read(const struct spur_nvml *nvml, void *device, uint32_t row, uint64_t *value,
                   bool *is_short)
{
    struct reading reading = {.nvml = nvml, .device = device, .argument = rows[row].argument};
    int error = rows[row].read(&reading);
    *value = reading.value;
    *is_short = reading.is_short;
    return error;
}
