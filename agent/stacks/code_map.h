/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The object of an address of code, and the place in the object: all that is known of an address
 * while the process runs. Finishing finds the names (finish_code.h).
 *
 * The table of mappings comes from /proc/self/maps and not from the loader. A thread must not wait
 * for the loader's lock inside a signal handler, or while another thread holds the loader's lock
 * and waits for us. The table is made anew when an address is missing in the table, and after an
 * object has been unloaded: a later object at the same address is another object.
 */
#ifndef SPUR_CODE_MAP_H
#define SPUR_CODE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/spur_define.h"

/*
 * The Code definition (definitions.def) of an address, OTF2_UNDEFINED_UINT32 if the address is in
 * no object. Takes a lock of this module, raw system calls, agent memory; keeps errno. The object's
 * headers are read by process_vm_readv(2), so an object that is just being unmapped is no fault.
 */
uint32_t spur_code_at(const void *address);

/*
 * The same for a variable: its Data definition. Memory outside of objects is no variable. Memory
 * that is unmapped without dlclose(), and mapped anew, may keep its old meaning.
 */
uint32_t spur_data_at(const void *address);

/* The beginning of the mapping of the file that contains the code at `address`; 0: no such
 * mapping. */
uintptr_t spur_code_head(const void *address);

/* The counter of spur_code_unloads() itself, for callers that read often. */
const _Atomic uint32_t *spur_code_unload_count(void);

/* The name of the file with the code at `address`, without its folder. False: no file. */
bool spur_code_file(const void *address, char *name, size_t size);

/*
 * Has an object been unloaded, up to now, about which spur_code_at() was asked? Takes the lock of
 * this module if there has been an unloading since the last call.
 */
bool spur_code_has_lost(void);

/* In a child of fork(): the child has its own definitions, and the lock may be in any state. */
void spur_code_map_after_fork(void);
void spur_code_region_after_fork(void);

#endif
