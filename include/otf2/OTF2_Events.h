/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of the event records beside the enumerations of OTF2_GeneralDefinitions.h. */
#ifndef OTF2_EVENTS_H
#define OTF2_EVENTS_H

#include <otf2/OTF2_GeneralDefinitions.h>

/* One value of a Metric event; the OTF2_Type beside it tells the member: INT64, UINT64, DOUBLE. */
typedef union OTF2_MetricValue_union {
    int64_t signed_int;
    uint64_t unsigned_int;
    double floating_point;
} OTF2_MetricValue;

#endif
