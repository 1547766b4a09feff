/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/python/python_region.h"

#include "wrappers/kit/wrapper_stack.h"
#include "wrappers/python/python_calls.h"
#include "wrappers/python/python_frame.h"

enum { REGION_BITS = 32, TEXT_BYTES = 4096 };

static int64_t place;        /* of what code objects carry */
static void *newest;         /* the code that was entered last, NULL: it was not known */
static OTF2_RegionRef known; /* its region */

bool python_region_begin(void)
{
    place = python_calls.PyUnstable_Eval_RequestCodeExtraIndex(NULL);
    return place >= 0;
}

/* The ids of a child of fork() are other ones. */
static uintptr_t stamp_now(void)
{
    return (uintptr_t)spur_generation() + 1;
}

/* False: it is not known yet. Undefined: it is left out. */
static bool find_known(void *code, OTF2_RegionRef *region)
{
    void *extra = NULL;
    if (python_calls.PyUnstable_Code_GetExtra(code, place, &extra) != 0 ||
        (uintptr_t)extra >> REGION_BITS != stamp_now())
        return false;
    *region = (OTF2_RegionRef)(uintptr_t)extra;
    return true;
}

/* ---- a new one ---- */

struct definition {
    const void *code;
    OTF2_RegionRef region;
};

static OTF2_RegionRef define_function(const void *code)
{
    char function[TEXT_BYTES], file[TEXT_BYTES];
    uint32_t line;
    if (!python_code_text(code, function, file, TEXT_BYTES, &line))
        return OTF2_UNDEFINED_REGION;
    return spur_def_function(function, file, line);
}

static void define(void *arg)
{
    struct definition *definition = arg;
    definition->region = define_function(definition->code);
}

static OTF2_RegionRef define_new(void *code)
{
    struct definition definition = {code, OTF2_UNDEFINED_REGION};
    spur_on_own_stack(define, &definition);
    uintptr_t extra = stamp_now() << REGION_BITS | definition.region;
    if (python_calls.PyUnstable_Code_SetExtra(code, place, (void *)extra) != 0)
        python_calls.PyErr_Clear(); /* no memory: it is asked for again */
    return definition.region;
}

/* ---- calls ---- */

static OTF2_RegionRef region_known(void *code)
{
    (void)code;
    return known;
}

static bool is_left_out(void *code)
{
    OTF2_RegionRef region;
    return find_known(code, &region) && region == OTF2_UNDEFINED_REGION;
}

bool python_region_enter(void *code)
{
    newest = find_known(code, &known) ? code : NULL;
    if (newest && known == OTF2_UNDEFINED_REGION)
        return false;
    wrapper_stack_enter(SPUR_FAMILY_PYTHON, code, newest ? region_known : define_new);
    if (newest || !is_left_out(code))
        return true;
    wrapper_stack_leave(SPUR_FAMILY_PYTHON, code);
    return false;
}

/*
 * What is left out has not been entered, or was when nothing was recorded. Most functions that end
 * are the newest. Code that comes to the address of that one is entered before it ends.
 */
bool python_region_leave(void *code)
{
    if (code == newest ? known == OTF2_UNDEFINED_REGION : is_left_out(code))
        return false;
    wrapper_stack_leave(SPUR_FAMILY_PYTHON, code);
    return true;
}
