/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * otf2_t_U32, otf2_t_REGION, ...: the C type behind each kind of cell in the record tables, and
 * what turns the cells of a row into parameters. For headers that derive prototypes from a table.
 */
#ifndef OTF2_RECORDS_H
#define OTF2_RECORDS_H

#include <otf2/OTF2_AttributeValue.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_IdMap.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/otf2_foreach.h>

#include <otf2/otf2_tables_begin.h>

#define KIND(NAME, c_type, wire, shown, detail) typedef c_type otf2_t_##NAME;
#include <otf2/otf2_kinds.def>
#undef KIND

#include <otf2/otf2_tables_end.h>

/* `, OTF2_RegionRef region`: behind the parameters that all records of a writer have. */
#define OTF2_PARAM(Row, kind, name) , otf2_t_##kind name

#endif
