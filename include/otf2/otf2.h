/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that programs need to use the library, but for the header-only callbacks of
 * OTF2_MPI_Collectives.h, OTF2_Pthread_Locks.h and OTF2_OpenMP_Locks.h.
 */
#ifndef OTF2_H
#define OTF2_H

#include <otf2/OTF2_Archive.h>
#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_AttributeValue.h>
#include <otf2/OTF2_Callbacks.h>
#include <otf2/OTF2_DefWriter.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_EvtWriter.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_GlobalDefWriter.h>
#include <otf2/OTF2_IdMap.h>
#include <otf2/OTF2_Reader.h>

#endif
