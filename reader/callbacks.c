/* SPDX-License-Identifier: BSD-3-Clause */
/* The seven callback objects of the public interface: each is a struct of pointers. */
#include "reader/callbacks.h"

#include "format/error.h"
#include "format/memory.h"

#define OBJECT(Reader)                                                                             \
    OTF2_##Reader##Callbacks *OTF2_##Reader##Callbacks_New(void)                                   \
    {                                                                                              \
        OTF2_##Reader##Callbacks *made = otf2_mem_new(sizeof *made);                               \
        if (!made)                                                                                 \
            OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for callbacks");                    \
        return made;                                                                               \
    }                                                                                              \
    void OTF2_##Reader##Callbacks_Delete(OTF2_##Reader##Callbacks *callbacks)                      \
    {                                                                                              \
        otf2_mem_free(callbacks);                                                                  \
    }                                                                                              \
    void OTF2_##Reader##Callbacks_Clear(OTF2_##Reader##Callbacks *callbacks)                       \
    {                                                                                              \
        if (callbacks)                                                                             \
            *callbacks = (OTF2_##Reader##Callbacks){0};                                            \
    }                                                                                              \
    SETTER(Reader, Unknown)

#define SETTER(Reader, Name)                                                                       \
    OTF2_ErrorCode OTF2_##Reader##Callbacks_Set##Name##Callback(                                   \
        OTF2_##Reader##Callbacks *callbacks, OTF2_##Reader##Callback_##Name callback)              \
    {                                                                                              \
        if (!callbacks)                                                                            \
            return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no callbacks to set one of");          \
        callbacks->Name = callback;                                                                \
        return OTF2_SUCCESS;                                                                       \
    }

OBJECT(EvtReader)
OBJECT(GlobalEvtReader)
#define EVENT(Name, ...) SETTER(EvtReader, Name) SETTER(GlobalEvtReader, Name)
#include <otf2/otf2_events.def>
#undef EVENT

OBJECT(SnapReader)
OBJECT(GlobalSnapReader)
#define SNAP(Name, ...) SETTER(SnapReader, Name) SETTER(GlobalSnapReader, Name)
#include <otf2/otf2_snaps.def>
#undef SNAP

OBJECT(DefReader)
OBJECT(GlobalDefReader)
#define SHARED_DEF(Name, ...) SETTER(DefReader, Name) SETTER(GlobalDefReader, Name)
#define LOCAL_DEF(Name, ...) SETTER(DefReader, Name)
#define GLOBAL_DEF(Name, ...) SETTER(GlobalDefReader, Name)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF

OBJECT(MarkerReader)
#define MARKER(Name, ...) SETTER(MarkerReader, Name)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
