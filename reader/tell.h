/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What readers with one callback a record have in common: OTF2_TELL() makes from a row of a record
 * table the function
 *
 *     static OTF2_CallbackCode tell_Name(const OTF2_xReader *reader,
 *                                        const union otf2_any_record *any);
 *
 * which calls that callback, if there is one, and OTF2_SET_CALLBACKS() the public function that
 * sets them all; `what` is the reader's name in errors. The Reader has members `callbacks` and
 * `user_data`.
 */
#ifndef READER_TELL_H
#define READER_TELL_H

#include <otf2/otf2_foreach.h>

#include "format/error.h"

#define OTF2_TELL_MEMBER_(Row, kind, name) , data->name

#define OTF2_TELL(Reader, file, Name, ...)                                                         \
    static OTF2_CallbackCode tell_##Name(const OTF2_##Reader *reader,                              \
                                         const union otf2_any_record *any)                         \
    {                                                                                              \
        const struct otf2_##file##_##Name *data = &any->file##_##Name;                             \
        if (!reader->callbacks.Name)                                                               \
            return OTF2_CALLBACK_SUCCESS;                                                          \
        return reader->callbacks.Name(                                                             \
            reader->user_data OTF2_SEQ(OTF2_TELL_MEMBER_, Name, __VA_ARGS__));                     \
    }

#define OTF2_SET_CALLBACKS(Reader, what)                                                           \
    OTF2_ErrorCode OTF2_##Reader##_SetCallbacks(OTF2_##Reader *reader,                             \
                                                const OTF2_##Reader##Callbacks *callbacks,         \
                                                void *userData)                                    \
    {                                                                                              \
        if (!reader)                                                                               \
            return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no " what);                             \
        if (!callbacks)                                                                            \
            return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no callbacks to set");                 \
        reader->callbacks = *callbacks;                                                            \
        reader->user_data = userData;                                                              \
        return OTF2_SUCCESS;                                                                       \
    }

#endif
