/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The enumerations of the definition records. They come from otf2_enums.def and are declared in
 * OTF2_GeneralDefinitions.h; this header exists for programs written for OTF2 3.0.
 */
#ifndef OTF2_DEFINITIONS_H
#define OTF2_DEFINITIONS_H

#include <otf2/OTF2_GeneralDefinitions.h>

#endif
