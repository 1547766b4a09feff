/* SPDX-License-Identifier: BSD-3-Clause */
/* What an event says: its text, a category, a number that it carries; and marks. */
#include <errno.h>

#include "wrappers/nvtx/nvtx.h"

/* A program says how much of the struct it knows; many say nothing. */
#define HAS(RECORD, field, record)                                                                 \
    (nvtx_##RECORD##_size(record) == 0 || nvtx_##RECORD##_size(record) >= RECORD##_END_##field)
enum {
#define FIELD(RECORD, name, offset, type) RECORD##_END_##name = (offset) + (int)sizeof(type),
#include "wrappers/nvtx/nvtx_fields.def"
};

static const OTF2_Type payload_types[] = {
#define PAYLOAD(NAME, number, TYPE) [number] = OTF2_TYPE_##TYPE,
#include "wrappers/nvtx/nvtx_fields.def"
};
enum { PAYLOADS = sizeof payload_types / sizeof payload_types[0] };

struct nvtx_call nvtx_call_of(const void *domain, const void *event, enum nvtx_kind kind)
{
    struct nvtx_call call = {.domain = nvtx_domain_of(domain), .event = event, .kind = kind};
    call.owner = call.domain;
    if (event && HAS(EVENT, message, event))
        call.text = (struct nvtx_text){nvtx_EVENT_messageType(event), nvtx_EVENT_message(event)};
    return call;
}

static void add_category(struct wrapper_opening *opening, uint32_t domain, uint32_t category)
{
    static wrapper_id attribute;
    uint32_t id;
    if (!wrapper_id_is_known(&attribute, &id))
        id = wrapper_id_keep(&attribute,
                             spur_def_attribute(NVTX_CATEGORY, "category of the program's",
                                                OTF2_TYPE_STRING));
    OTF2_StringRef name = nvtx_category_of(domain, category);
    if (name != OTF2_UNDEFINED_STRING)
        wrapper_opening_add(opening, id, OTF2_TYPE_STRING,
                            (OTF2_AttributeValue){.stringRef = name});
}

static void add_payload(struct wrapper_opening *opening, int32_t type, uint64_t payload)
{
    static wrapper_id attribute[PAYLOADS];
    OTF2_AttributeValue value = {.uint64 = 0};
    uint32_t id;
    if (type <= 0 || type >= PAYLOADS)
        return;
    if (!wrapper_id_is_known(&attribute[type], &id))
        id = wrapper_id_keep(&attribute[type],
                             spur_def_attribute(NVTX_PAYLOAD, "value of the program's",
                                                payload_types[type]));
    memcpy(&value, &payload, sizeof payload); /* both are unions */
    wrapper_opening_add(opening, id, payload_types[type], value);
}

void nvtx_describe(const void *data, struct wrapper_opening *opening)
{
    const struct nvtx_call *call = data;
    struct nvtx_message *message = nvtx_message_of(call->domain, &call->text, opening);
    if (!message)
        return;
    opening->key = message;
    opening->region = nvtx_region_of(message, call->kind);
    if (!call->event || opening->region == OTF2_UNDEFINED_REGION)
        return;
    if (HAS(EVENT, category, call->event) && nvtx_EVENT_category(call->event))
        add_category(opening, call->domain, nvtx_EVENT_category(call->event));
    if (HAS(EVENT, payload, call->event))
        add_payload(opening, nvtx_EVENT_payloadType(call->event), nvtx_EVENT_payload(call->event));
}

/* ---- marks: a region without duration ---- */

void nvtx_mark(const struct nvtx_call *call)
{
    nvtx_look_for_name();
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_NVTX, false);
    if (!loc)
        return;
    int saved = errno;
    struct wrapper_opening opening = {.region = OTF2_UNDEFINED_REGION};
    nvtx_describe(call, &opening);
    uint32_t opened = spur_open_region_with(loc, opening.region, opening.n, opening.attribute);
    if (opened != SPUR_NOT_OPEN)
        spur_close(loc, opened);
    errno = saved;
    spur_end(loc);
}

void nvtx_MarkEx(const void *event)
{
    const struct nvtx_call call = nvtx_call_of(NULL, event, NVTX_MARK);
    nvtx_mark(&call);
}

void nvtx_MarkA(const char *text)
{
    nvtx_mark(&(struct nvtx_call){.text = NVTX_ASCII(text), .kind = NVTX_MARK});
}

void nvtx_MarkW(const wchar_t *text)
{
    nvtx_mark(&(struct nvtx_call){.text = NVTX_UNICODE(text), .kind = NVTX_MARK});
}

void nvtx_DomainMarkEx(const void *domain, const void *event)
{
    const struct nvtx_call call = nvtx_call_of(domain, event, NVTX_MARK);
    nvtx_mark(&call);
}
