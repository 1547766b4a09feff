/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of session/lock_cell.h, mapped in steps: spur_lock_cell_new() of agent/spur_locks.h is
 * called by one thread at a time, and gives cells of it.
 */
#ifndef SPUR_LOCK_CELLS_H
#define SPUR_LOCK_CELLS_H

/* `dir` is the directory of the process. */
void spur_lock_cells_open(const char *dir);

/* In a child of fork(): memory of its own takes the place of the parent's cells. */
void spur_lock_cells_forget(void);

#endif
