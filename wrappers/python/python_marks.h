/* SPDX-License-Identifier: BSD-3-Clause */
/* What tells Python's own code in an archive, for those who write and who read it. */
#ifndef PYTHON_MARKS_H
#define PYTHON_MARKS_H

/* The files of functions that load scripts begin with this. */
#define PYTHON_LOADER "<frozen importlib."

#endif
