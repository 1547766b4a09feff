/* SPDX-License-Identifier: BSD-3-Clause */
/* A metric, as its definition describes it. */
#ifndef SPUR_METRIC_MEMBER_H
#define SPUR_METRIC_MEMBER_H

#include <stdint.h>

enum { SPUR_METRIC_NAME = 192, SPUR_METRIC_UNIT = 32, SPUR_METRIC_TEXT = 512 };

struct spur_metric {
    char name[SPUR_METRIC_NAME]; /* as the user writes it, with the source's prefix */
    char description[SPUR_METRIC_TEXT];
    char unit[SPUR_METRIC_UNIT];
    uint8_t type;  /* OTF2_MetricType */
    uint8_t mode;  /* OTF2_MetricMode */
    uint8_t value; /* OTF2_Type: INT64, UINT64 or DOUBLE */
    uint8_t base;  /* OTF2_Base */
    int64_t exponent;
};

#endif
