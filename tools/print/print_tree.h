/* SPDX-License-Identifier: BSD-3-Clause */
/* The system tree as a graph for dot(1), in a file beside the anchor file. */
#ifndef PRINT_TREE_H
#define PRINT_TREE_H

#include <stdbool.h>

#include "format/names.h"
#include "format/record.h"

/* For PATH/NAME.otf2: PATH/NAME.SystemTree.dot. False when it cannot be created: errno. */
bool tree_open(const char *anchor_path);
/* Takes what belongs to the tree. */
void tree_add(enum otf2_def_index record, const void *data);
/* Completes the file. NULL, or why that failed: a static text. */
const char *tree_close(void);
/* Says on standard output where it is. */
void tree_tell(const char *anchor_path);
const char *tree_path(void);

/* Texts of the drawings. Those of enumerations and of values last until the next. */
const char *tree_name(OTF2_StringRef string);
const char *tree_enum(enum otf2_enum which, uint32_t value);
const char *tree_value(OTF2_Type type, OTF2_AttributeValue value);

#endif
