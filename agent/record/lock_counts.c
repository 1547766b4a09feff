/* SPDX-License-Identifier: BSD-3-Clause */
/* For locks that are counted and not recorded: agent/spur_locks.h. */
#include "agent/record/control.h"
#include "agent/record/location.h"
#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "agent/state/state.h"
#include "session/properties.h"

bool spur_is_steady(uint32_t *generation)
{
    const struct spur_thread_state *self = &spur_self;
    *generation = spur_process.generation;
    return self->loc && spur_state_now() == SPUR_ON && self->guard == 0 &&
           !spur_control_must_attend(self->loc);
}

uint32_t spur_thread_number(void)
{
    const struct spur_loc *loc = spur_self.loc;
    return loc ? loc->thread : UINT32_MAX;
}

static OTF2_ParameterRef number(const char *name)
{
    return spur_def_parameter(name, OTF2_PARAMETER_TYPE_UINT64);
}

void spur_put_holding(struct spur_loc *loc, const struct spur_holding *holding)
{
    struct spur_attribute site = {.id = spur_def_site_attribute(),
                                  .type = OTF2_TYPE_CALLING_CONTEXT};
    if (site.id != OTF2_UNDEFINED_ATTRIBUTE)
        site.value.callingContextRef = spur_def_call_site(holding->taken);
    if (site.value.callingContextRef == OTF2_UNDEFINED_CALLING_CONTEXT) /* as without /proc */
        site.id = OTF2_UNDEFINED_ATTRIBUTE;
    spur_put_ParameterUnsignedInt(loc, number(SPUR_PARAMETER_HELD_LOCK), holding->lock);
    spur_put_ParameterUnsignedInt(loc, number(SPUR_PARAMETER_HELD_SINCE), holding->since);
    spur_put_ParameterUnsignedInt_with(loc, &site, number(SPUR_PARAMETER_HELD_BY), holding->thread);
}
