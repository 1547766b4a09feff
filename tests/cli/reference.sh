#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts include/otf2
# shellcheck source-path=SCRIPTDIR
# The reference of the headers has every function that the library exports, and make_reference finds
# what has no comment.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

run "$root/scripts/make_reference" made
same "the reference" "$status:$out$err" "0:"
cat made/html/*_8h.html | grep -oE '\b(OTF2|spur_user|spur_metric)_\w+' | sort -u >described
# OTF2_UTILS_*: what only the tools of the reference library call.
nm -D --defined-only "$1/lib/libspur-otf2.so" | awk '$2 == "T" && $3 ~ /^OTF2_/ { sub(/@.*/, "", $3); print $3 }' |
    grep -v '^OTF2_UTILS_' | sort -u >exported
same "exported functions that it lacks" "$(comm -13 described exported)" ""
[ "$(wc -l <exported)" -ge 900 ] || fault "few functions in libspur-otf2.so"
for name in spur_user_enter spur_user_metric_double spur_metric_plugin; do
    grep -qx "$name" described || fault "the reference lacks $name"
done

# lacks WHAT TEXT: with TEXT in a header, make_reference fails and says WHAT.
lacks()
{
    rm -rf include && cp -r "$root/include" .
    sed -i "s|^/\* Releases a list; NULL is allowed. \*/|$2|" include/otf2/OTF2_AttributeList.h
    run "$root/scripts/make_reference" planted include
    same "status with '$2'" "$status" 1
    has "fault of '$2'" "$out$err" "$1"
}
lacks "OTF2_AttributeList_Delete(OTF2_AttributeList *attributeList) (function) of file" ""
lacks "OTF2_Bare" "typedef int OTF2_Bare;\\n\\n&"
finish
