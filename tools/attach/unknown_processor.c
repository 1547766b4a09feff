/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-attach where the registers of the processor are not known, see cpu.h. */
#include "base/log.h"
#include "tools/attach/refusals.h"

#define REFUSAL(NAME, text) const char REFUSAL_##NAME[] = text;
#include "tools/attach/refusals.def"
#undef REFUSAL

int main(void)
{
    spur_log("%s", REFUSAL_PROCESSOR);
    return 1;
}
