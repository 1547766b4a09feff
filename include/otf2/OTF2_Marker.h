/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of the marker records beside the enumerations of OTF2_GeneralDefinitions.h. */
#ifndef OTF2_MARKER_H
#define OTF2_MARKER_H

#include <otf2/OTF2_GeneralDefinitions.h>

/* Reference to a kind of marker (DefMarker), and "no kind of marker". */
typedef uint32_t OTF2_MarkerRef;
#define OTF2_UNDEFINED_MARKER ((OTF2_MarkerRef)OTF2_UNDEFINED_UINT32)

#endif
