/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which object an address of code belongs to, and where in it: what is known of an address while
 * the process runs. Finishing finds the names (finish_code.h).
 *
 * The table of mappings comes from /proc/self/maps and not from the loader. A thread must not wait
 * for the loader's lock inside a signal handler, or while another thread holds it and waits for us.
 * It is made anew when an address is not in it, and after an object has been unloaded: what is
 * loaded at the same address later is another object.
 */
#ifndef SPUR_CODE_MAP_H
#define SPUR_CODE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The Code definition (definitions.def) of an address, OTF2_UNDEFINED_UINT32 if it is in no object.
 * Takes a lock of this module, raw system calls, agent memory; keeps errno. The object's headers
 * are read by process_vm_readv(2), so that one that is just being unmapped is no fault.
 */
uint32_t spur_code_at(const void *address);

/*
 * The same for a variable: its Data definition. Memory that is no object's is no variable. What is
 * unmapped without dlclose(), and mapped anew, may keep its old meaning.
 */
uint32_t spur_data_at(const void *address);

/* Where the file that the code at `address` belongs to is mapped from its beginning on; 0: nowhere.
 */
uintptr_t spur_code_head(const void *address);

/* How many objects have been unloaded so far: what is known of an address is true of this number.
 */
uint32_t spur_code_unloads(void);

/* The number itself, for callers that read it often. */
const _Atomic uint32_t *spur_code_unload_count(void);

/* The name of the file that the code at `address` is mapped from, without its folder. False: none.
 */
bool spur_code_file(const void *address, char *name, size_t size);

/*
 * Has an object been unloaded, up to now, that spur_code_at() has been asked of? Takes the lock of
 * this module if there has been an unloading since the last call.
 */
bool spur_code_has_lost(void);

/* In a child of fork(): the definitions are its own, the lock may be in any state. */
void spur_code_map_after_fork(void);
void spur_code_region_after_fork(void);

#endif
