/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WRAPPERS_KIT_WRAPPER_COMPLAIN_H
#define WRAPPERS_KIT_WRAPPER_COMPLAIN_H

/* What is wrong with the value of a setting, in up to 511 bytes: see spur_complain(). */
void wrapper_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
