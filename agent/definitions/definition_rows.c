/* SPDX-License-Identifier: BSD-3-Clause */
/* What wrappers and the agent define: each function fills in a row of session/definitions.def. */
#include <stdio.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/segment/buffer.h"

enum {
    TEXT_BYTES = 1 << 16, /* longer texts are cut: a definition must fit into a chunk */
};

static struct spur_cell text_cell(const char *text)
{
    size_t bytes = strlen(text);
    return (struct spur_cell){bytes < TEXT_BYTES ? bytes : TEXT_BYTES, text};
}

OTF2_StringRef spur_def_text(const char *text)
{
    return text ? DEFINE(String, text_cell(text)) : OTF2_UNDEFINED_STRING;
}

/* Events may refer to a string that a wrapper has defined. */
OTF2_StringRef spur_def_string(const char *text)
{
    OTF2_StringRef string = spur_def_text(text);
    struct spur_segment *segment = spur_buffer_segment();
    if (segment && string != OTF2_UNDEFINED_STRING) {
        uint32_t known = atomic_load_explicit(&segment->event_strings, memory_order_relaxed);
        while (known <= string &&
               !atomic_compare_exchange_weak_explicit(&segment->event_strings, &known, string + 1,
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
    }
    return string;
}

OTF2_AttributeRef spur_def_attribute(const char *name, const char *description, OTF2_Type type)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(Attribute, NUMBER(name_id), NUMBER(spur_def_text(description)), NUMBER(type));
}

uint32_t spur_def_metric_member(const struct spur_metric *metric)
{
    uint32_t name = spur_def_text(metric->name);
    uint32_t description = spur_def_text(metric->description);
    return DEFINE(MetricMember, NUMBER(name), NUMBER(description), NUMBER(metric->type),
                  NUMBER(metric->mode), NUMBER(metric->value), NUMBER(metric->base),
                  NUMBER((uint64_t)metric->exponent), NUMBER(spur_def_text(metric->unit)));
}

OTF2_MetricRef spur_def_metric_class(uint32_t n, const uint64_t *member,
                                     OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    return DEFINE(MetricClass, {n, member}, NUMBER(occurrence), NUMBER(recorder));
}

OTF2_MetricRef spur_def_metric_instance(OTF2_MetricRef class, uint32_t thread,
                                        OTF2_MetricScope scope)
{
    return DEFINE(MetricInstance, NUMBER(class), NUMBER(thread), NUMBER(scope),
                  NUMBER(OTF2_UNDEFINED_UINT64));
}

OTF2_RegionRef spur_def_region(const struct spur_call *call)
{
    uint32_t name = spur_def_text(call->name);
    uint32_t description = spur_def_text(call->group);
    uint32_t file = spur_def_text(spur_family_file((enum spur_family)call->family));
    return DEFINE(Region, NUMBER(name), NUMBER(name), NUMBER(description), NUMBER(call->role),
                  NUMBER(call->paradigm), NUMBER(OTF2_REGION_FLAG_NONE), NUMBER(file), NUMBER(0),
                  NUMBER(0));
}

uint32_t spur_def_module(const char *identity, const char *path, uint64_t size, uint64_t changed)
{
    uint32_t module = DEFINE(Module, text_cell(identity));
    if (module != OTF2_UNDEFINED_UINT32)
        DEFINE(ModuleFile, NUMBER(module), text_cell(path), NUMBER(size), NUMBER(changed));
    return module;
}

uint32_t spur_def_code(uint32_t module, uint64_t offset)
{
    return DEFINE(Code, NUMBER(module), NUMBER(offset));
}

uint32_t spur_def_script(const char *function, const char *file, uint32_t line, uint32_t begin)
{
    return DEFINE(ScriptCode, text_cell(function), text_cell(file), NUMBER(line), NUMBER(begin));
}

uint32_t spur_def_data(uint32_t module, uint64_t offset)
{
    return DEFINE(Data, NUMBER(module), NUMBER(offset));
}

void spur_def_lock(uint32_t lock, uint32_t data)
{
    DEFINE(LockAt, NUMBER(lock), NUMBER(data));
}

void spur_def_lock_count(const struct spur_lock_count *count)
{
    DEFINE(LockCount, NUMBER(count->lock), NUMBER(count->acquisitions), NUMBER(count->signals),
           NUMBER(count->threads), NUMBER(count->kind));
}

uint32_t spur_def_interrupt_generator(const char *name, OTF2_InterruptGeneratorMode mode,
                                      int64_t exponent, uint64_t period)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(InterruptGenerator, NUMBER(name_id), NUMBER(mode), NUMBER(OTF2_BASE_DECIMAL),
                  NUMBER((uint64_t)exponent), NUMBER(period));
}

OTF2_RegionRef spur_def_region_in(const struct spur_construct *construct, uint32_t code,
                                  uint32_t call)
{
    const char *group = construct->group ? construct->group : construct->name;
    return DEFINE(RegionAt, text_cell(construct->name), text_cell(group), NUMBER(construct->role),
                  NUMBER(construct->paradigm), NUMBER(code), NUMBER(call));
}

uint32_t spur_def_context(uint32_t parent, OTF2_RegionRef region, uint32_t code)
{
    return DEFINE(ContextAt, NUMBER(parent), NUMBER(region), NUMBER(code));
}

OTF2_GroupRef spur_def_group(const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                             OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    uint32_t name_id = spur_def_text(name ? name : "");
    return DEFINE(Group, NUMBER(name_id), NUMBER(type), NUMBER(paradigm), NUMBER(flags),
                  {n, members});
}

OTF2_CommRef spur_def_comm(const char *name, OTF2_GroupRef group, OTF2_CommRef parent,
                           OTF2_CommFlag flags)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(Comm, NUMBER(name_id), NUMBER(group), NUMBER(parent), NUMBER(flags));
}

OTF2_CommRef spur_def_team(OTF2_CommRef parent, uint32_t *number)
{
    *number = spur_defs_next_team();
    const uint64_t member = *number;
    OTF2_GroupRef group = spur_def_group("", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                         OTF2_GROUP_FLAG_NONE, 1, &member);
    return group == OTF2_UNDEFINED_GROUP ? OTF2_UNDEFINED_COMM
                                         : spur_def_comm(NULL, group, parent, OTF2_COMM_FLAG_NONE);
}

OTF2_CommRef spur_def_intercomm(const char *name, OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                OTF2_CommRef common, OTF2_CommFlag flags)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(InterComm, NUMBER(name_id), NUMBER(group_a), NUMBER(group_b), NUMBER(common),
                  NUMBER(flags));
}

void spur_def_comm_name(OTF2_CommRef comm, const char *name)
{
    uint32_t name_id = spur_def_text(name);
    if (comm != OTF2_UNDEFINED_COMM)
        DEFINE(CommName, NUMBER(comm), NUMBER(name_id));
}

OTF2_RmaWinRef spur_def_rma_win(const char *name, OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    uint32_t name_id = spur_def_text(name);
    return DEFINE(RmaWin, NUMBER(name_id), NUMBER(comm), NUMBER(flags));
}

void spur_def_rma_win_name(OTF2_RmaWinRef win, const char *name)
{
    uint32_t name_id = spur_def_text(name);
    if (win != OTF2_UNDEFINED_RMA_WIN)
        DEFINE(RmaWinName, NUMBER(win), NUMBER(name_id));
}

void spur_def_world(uint32_t number, const char *process)
{
    DEFINE(World, NUMBER(number), {strlen(process), process});
}

void spur_def_cartesian(OTF2_CommRef comm, uint32_t rank, uint8_t n,
                        const struct spur_dimension *dimension)
{
    uint64_t dimensions[SPUR_NUMBERS_MAX], coordinates[SPUR_NUMBERS_MAX];
    char name[32];
    for (uint8_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "dimension %d", i);
        uint32_t name_id = spur_def_text(name);
        coordinates[i] = dimension[i].coordinate;
        dimensions[i] = DEFINE(CartDimension, NUMBER(name_id), NUMBER(dimension[i].size),
                               NUMBER(dimension[i].is_periodic));
    }
    uint32_t name_id = spur_def_text("Cartesian topology");
    uint32_t topology = DEFINE(CartTopology, NUMBER(name_id), NUMBER(comm), {n, dimensions});
    if (topology != OTF2_UNDEFINED_UINT32)
        DEFINE(CartCoordinate, NUMBER(topology), NUMBER(rank), {n, coordinates});
}

void spur_def_location(uint32_t thread, const char *name, OTF2_LocationType type, uint64_t events)
{
    uint32_t name_id = spur_def_text(name);
    DEFINE(Location, NUMBER(thread), NUMBER(name_id), NUMBER(type), NUMBER(events));
}

void spur_def_device(uint32_t device, const char *name)
{
    uint32_t name_id = spur_def_text(name);
    DEFINE(Device, NUMBER(device), NUMBER(name_id));
}

void spur_def_stream(uint32_t thread, uint32_t device)
{
    DEFINE(Stream, NUMBER(thread), NUMBER(device));
}

void spur_def_property(const char *name, const char *value)
{
    uint32_t name_id = spur_def_text(name);
    uint32_t value_id = spur_def_text(value);
    DEFINE(ProcessProperty, NUMBER(name_id), NUMBER(value_id));
}

void spur_def_program(OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
    uint64_t kept[SPUR_NUMBERS_MAX];
    n = n < SPUR_NUMBERS_MAX ? n : SPUR_NUMBERS_MAX;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = arguments[i];
    DEFINE(Program, NUMBER(name), {n, kept});
}

void spur_def_clock_reading(uint64_t ticks, uint64_t clock, uint64_t clock_ticks,
                            uint64_t round_trip)
{
    DEFINE(ClockReading, NUMBER(ticks), NUMBER(clock), NUMBER(clock_ticks), NUMBER(round_trip));
}
