#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/check tools/export tools/print tools/query tools/report tools/view
# shellcheck source-path=SCRIPTDIR
# One archive, one truth: agreement.py, and archives that once had two.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

$python "$here/agreement.py" "$build" || fault "see above"
$python "$here/agreement_known.py" "$build" || fault "see above"
finish
