/* SPDX-License-Identifier: BSD-3-Clause */
/* How the answer of spur-code speaks of a module's file; the largest of a module's files counts. */
#ifndef SPUR_CODE_STATE_H
#define SPUR_CODE_STATE_H

enum spur_code_state {
    SPUR_CODE_NONE,    /* there never was one, as of code that the program has made */
    SPUR_CODE_GONE,    /* there is none any more, or it cannot be read */
    SPUR_CODE_CHANGED, /* it is not what was run: another build id, size or time */
    SPUR_CODE_SYMBOLS, /* it is used, without libdw: functions only */
    SPUR_CODE_USED,
};

#endif
