/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_LAUNCHER_NOTE_H
#define SPUR_LAUNCHER_NOTE_H

/*
 * The name of an ELF note, right behind the headers of `spur` itself. Nothing is preloaded into it,
 * where it is linked statically, but what it starts is traced.
 */
#define SPUR_LAUNCHER_NOTE "spur launcher"

#endif
