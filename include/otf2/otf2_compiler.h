/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the headers of OTF2 ask the compiler: for programs that include this header themselves. The
 * macro __otf2_deprecated__ is empty if OTF2_IGNORE_ATTRIBUTE_DEPRECATED is defined.
 */
#ifndef OTF2_COMPILER_H
#define OTF2_COMPILER_H

#if defined(__has_attribute)
#define __otf2_has_attribute(x) __has_attribute(x)
#else
#define __otf2_has_attribute(x) 0
#endif

#if __otf2_has_attribute(deprecated) && !defined(OTF2_IGNORE_ATTRIBUTE_DEPRECATED) &&              \
    !defined(__PGI)
#define __otf2_deprecated__ __attribute__((deprecated))
#else
#define __otf2_deprecated__
#endif

#endif
