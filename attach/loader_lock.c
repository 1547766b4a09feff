/* SPDX-License-Identifier: BSD-3-Clause */
/* libspur-attach-lock.so: see with_lock() in attach/entry.c. */
extern void spur_attach_locked(void);

__attribute__((constructor)) static void start(void)
{
    spur_attach_locked();
}
