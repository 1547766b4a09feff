#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: attach tools/attach
# shellcheck source-path=SCRIPTDIR
# spur attach, in the middle of a run of LAMMPS on two ranks: LAMMPS prints what it does without spur, and
# all of its calls from then on are in the archive.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/attach_lammps.py" "$spur" "$PWD" || faults=1
finish
