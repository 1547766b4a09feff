/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program defines by spur/spur.h. */
#include <stdio.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"

static OTF2_RegionRef define_region(const char *name, const char *file, uint32_t line,
                                    OTF2_RegionRole role, const char *group)
{
    const struct spur_filter_subject subject = {.name = name, .file = file};
    if (spur_filtered(&subject))
        return OTF2_UNDEFINED_REGION;
    uint32_t name_id = spur_def_text(name);
    uint32_t description = spur_def_text(group);
    uint32_t file_id = spur_def_text(file ? file : "");
    return DEFINE(Region, NUMBER(name_id), NUMBER(name_id), NUMBER(description), NUMBER(role),
                  NUMBER(OTF2_PARADIGM_USER), NUMBER(OTF2_REGION_FLAG_NONE), NUMBER(file_id),
                  NUMBER(line), NUMBER(0));
}

OTF2_RegionRef spur_def_user_region(const char *name, const char *file, uint32_t line)
{
    return define_region(name, file, line, OTF2_REGION_ROLE_CODE, "user");
}

OTF2_RegionRef spur_def_function(const char *name, const char *file, uint32_t line)
{
    return define_region(name, file, line, OTF2_REGION_ROLE_FUNCTION, "python");
}

OTF2_RegionRef spur_def_named(const char *name, const char *kind)
{
    return define_region(name, NULL, 0, OTF2_REGION_ROLE_CODE, kind);
}

OTF2_ParameterRef spur_def_parameter(const char *name, OTF2_ParameterType type)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(Parameter, NUMBER(name_id), NUMBER(type));
}

OTF2_MetricRef spur_def_user_metric(const char *name, const char *unit, OTF2_MetricMode mode,
                                    OTF2_Type type)
{
    struct spur_metric metric = {.description = "by the program",
                                 .type = OTF2_METRIC_TYPE_USER,
                                 .mode = (uint8_t)mode,
                                 .value = type,
                                 .base = OTF2_BASE_DECIMAL};
    snprintf(metric.name, sizeof metric.name, "%s", name);
    snprintf(metric.unit, sizeof metric.unit, "%s", unit ? unit : "");
    const uint64_t member = spur_def_metric_member(&metric);
    return spur_def_metric_class(1, &member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
}
