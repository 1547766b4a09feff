/* SPDX-License-Identifier: BSD-3-Clause */
/* How a field of a record is shown: what the rows of otf2/otf2_records.h call it. */
#ifndef REFERENCE_SHOWN_H
#define REFERENCE_SHOWN_H

enum shown {
    NUMBER,
    TIME,
    TEXT,
    VALUE,
    IDMAP,
    ENUM,
    REF,
    COUNT,
    ARRAY_NUMBER,
    ARRAY_ENUM,
    ARRAY_REF,
    ARRAY_VALUE
};

#endif
