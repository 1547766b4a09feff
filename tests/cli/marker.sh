#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/marker
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
build=$(readlink -f "$1")
. "$(dirname "$0")/expect.sh"
command -v otf2-marker >/dev/null || fault "otf2-marker is not installed"

/usr/bin/python3 "$root/tests/fixtures/make.py" "$build/tests" fixtures full small empty \
    small-big small-trailing small-unknown small-v11 >/dev/null || fault "there are no archives"
SPUR_VERBOSE=0 "$spur" -o recorded "$build/tests/programs/serial" >/dev/null 2>&1
[ -e recorded/traces.otf2 ] || fault "nothing is recorded"

marker=$build/libexec/spur/spur-marker # which spur becomes

# Both tools begin with the same archive.
begin()
{
    rm -rf ours theirs
    cp -r "$1" ours || fault "no archive $1"
    cp -r ours theirs
}

# Both do the same: output, errors, status, and what the archive is afterwards.
compare()
{
    (cd theirs && exec otf2-marker "$@") >../out.theirs 2>../err.theirs
    should=$?
    (cd ours && exec "$marker" "$@") >../out.ours 2>../err.ours
    same "status of marker $*" $? $should
    [ ! -s ../err.theirs ] || sed -i 's/otf2-marker/spur marker/g' ../err.theirs
    for what in out err; do
        [ ! -s ../$what.theirs ] && [ ! -s ../$what.ours ] || cmp -s ../$what.theirs ../$what.ours ||
            fault "marker $*: '$(cat ../$what.ours)' instead of '$(cat ../$what.theirs)'"
    done
    diff -r ours theirs >../differences || fault "marker $*: $(cat ../differences)"
}

# Like compare, where the reference is wrong: status 1, this line, nothing changed.
refuse()
{
    wanted=$1
    shift
    find ours -type f -exec cksum {} + >../before
    cd ours || exit 1
    "$spur" marker "$@" >../../out 2>../../err
    status=$?
    cd ..
    same "status of marker $*" "$status" 1
    has "marker $*" "$(cat ../err)" "$wanted"
    find ours -type f -exec cksum {} + >../after
    cmp ../before ../after || fault "marker $*: the archive is changed"
}

# named Group|Category: of the first marker that the archive defines; without one, a name that is not in it.
named()
{
    name=$(otf2-marker --defs-only theirs/traces.otf2 2>../err | sed -n "s/^MARKER_DEF .*$1: \"\([^\"]*\)\".*/\1/p" | head -n 1)
    echo "${name:-no $1}"
}

# ---- showing ----

begin fixtures/full
case "$(named Group) $(named Category)" in *"no "*) fault "the archive has no markers" ;; esac
for archive in fixtures/*; do
    begin "$archive"
    compare traces.otf2
    compare --defs-only traces.otf2
    compare --def "$(named Group)" traces.otf2
    compare --def "$(named Group)" "$(named Category)" traces.otf2
    compare --def "$(named Group)" "another $(named Category)" traces.otf2
    compare --def nothing traces.otf2
    compare --add-def g c HIGH traces.otf2
    compare traces.otf2
    compare --reset traces.otf2
done

# ---- editing ----

begin fixtures/full
for severity in NONE LOW MEDIUM HIGH none low medium high Low '' FATAL; do
    compare --add-def severities "$severity" "$severity" traces.otf2
done
compare --add-def severities LOW LOW traces.otf2
compare --add-def Z z LOW traces.otf2
compare --add-def '' '' LOW traces.otf2
compare --add '' '' 100 GLOBAL 'a "quoted"
text' traces.otf2
for time in 90 89 100 1000090 1000091 100+10 100+0 100+-1 100+999990 100+999991 100-200 200-100 \
    100-100 5-3 5-100 100-9999999 x 1x x-y x+y 100+ 100- +5 -5 '' ' 100' '100 +5' 0x70 0144 \
    99999999999999999999 18446744073709551615 18446744073709551616 100-99999999999999999999 \
    1-2-3 1+2-3 100-2+3 1+2+3 100--5; do
    compare --add severities LOW "$time" GLOBAL "at $time" traces.otf2
done
for scope in GLOBAL global Global GLOBAL: GLOBAL:0 GLOBAL:x GLOBALX LOCATION LOCATION: LOCATION:x \
    LOCATION:0 location:1 Location:1 LOCATION:99 LOCATION:1x LOCATION:-1 LOCATION:0x1 \
    'LOCATION: 1' LOCATION:0:1 LOCATION:99999999999999999999 LOCATION_GROUP:0 LOCATION_GROUP:77 \
    location_group:1 SYSTEM_TREE_NODE:0 SYSTEM_TREE_NODE:99 GROUP:0 GROUP:1 GROUP:2 GROUP:3 \
    COMM:0 COMM:1 COMM:9 UNKNOWN FOO:1 FOO:x FOO: :5 ''; do
    compare --add severities HIGH 100 "$scope" "at $scope" traces.otf2
done
compare --add severities LOW 5 LOCATION:99 'two faults' traces.otf2
compare --add nothing LOW 5 LOCATION:99 'three faults' traces.otf2
compare --add severities nothing 5 LOCATION:99 'three faults' traces.otf2
compare --add nothing nothing 5-3 LOCATION:x 'four faults' nowhere.otf2
compare --add severities MEDIUM 100 GLOBAL '' traces.otf2
compare traces.otf2
compare --def severities traces.otf2
compare --def severities HIGH traces.otf2
for what in --remove-def --clear-def; do
    compare $what nothing traces.otf2
    compare $what severities nothing traces.otf2
    compare $what severities HIGH traces.otf2
    compare traces.otf2
done
compare --clear-def severities traces.otf2
compare traces.otf2
compare --remove-def '' '' traces.otf2
compare --add-def a after LOW traces.otf2
compare --reset traces.otf2
compare traces.otf2
compare --add-def first first LOW traces.otf2
compare --add first first 100 GLOBAL text traces.otf2
rm ours/traces.marker theirs/traces.marker
compare traces.otf2
compare --def first traces.otf2
compare --clear-def first traces.otf2

begin fixtures/empty
compare --add-def g c LOW traces.otf2
compare --add g c 0 GLOBAL text traces.otf2
compare --add g c 1 GLOBAL text traces.otf2
compare traces.otf2

begin recorded
compare --add-def "phases of the program" setup LOW traces.otf2
start=$(otf2-print -G ours/traces.otf2 | sed -n 's/.*Global Offset: \([0-9]*\).*/\1/p')
compare --add "phases of the program" setup "$start+1" GLOBAL "it begins" traces.otf2
compare --add "phases of the program" setup "$start-$((start + 5))" LOCATION:0 "here" traces.otf2
compare traces.otf2

# ---- what the reference does not survive, or loses ----

begin fixtures/full
compare --add-def g a LOW traces.otf2
compare --add-def g b LOW traces.otf2
compare --add g a 100 GLOBAL text traces.otf2
(cd ours && "$spur" marker --remove-def g traces.otf2) || fault "a whole group is not removed"
(cd theirs && otf2-marker --remove-def g a traces.otf2 && otf2-marker --remove-def g b traces.otf2)
compare traces.otf2
begin fixtures/full
group=$(named Group)
category=$(named Category)
refuse "duration is out of range [0, 1000000]: 18446744073709551600" \
    --add "$group" "$category" 100+18446744073709551600 GLOBAL text traces.otf2
refuse "invalid location group reference: 4294967296" \
    --add "$group" "$category" 100 LOCATION_GROUP:4294967296 text traces.otf2
length=$(wc -c <fixtures/full/traces.marker)
for size in 0 10 19 20 25 100 200 $((length - 5)); do # the last one is within the last record
    head -c $size fixtures/full/traces.marker >ours/traces.marker
    refuse "; no marker was changed: 'spur marker --reset traces.otf2' removes them all" \
        --add-def g c LOW traces.otf2
    refuse "" traces.otf2
done
(cd ours && "$spur" marker --reset traces.otf2) || fault "a damaged file cannot be reset"
cp fixtures/full/traces.marker ours
head -c 300 fixtures/full/traces.def >ours/traces.def
refuse "spur: ./traces.def: " --add-def g c LOW traces.otf2
rm ours/traces.def
refuse "spur: ./traces.def: " traces.otf2
for size in 0 3 50 100; do
    head -c $size fixtures/full/traces.otf2 >ours/traces.otf2
    refuse "spur: ./traces.otf2: no anchor file that can be read ($size bytes); 'spur check traces.otf2' tells more" traces.otf2
    refuse "spur: ./traces.otf2: no anchor file that can be read ($size bytes); 'spur check traces.otf2' tells more" --reset traces.otf2
done

# ---- usage ----

begin fixtures/small
refuse "invalid anchor file name: nowhere.otf2" nowhere.otf2
refuse "invalid anchor file name: nowhere.otf2" --reset nowhere.otf2
compare
for words in --foo -x - -- nowhere traces.def '--foo traces.otf2' \
    '- traces.otf2' '-- traces.otf2' 'traces.otf2 traces.otf2' 'traces.otf2 --def' \
    'traces.otf2 --def x' 'x traces.otf2 -h' '--de a traces.otf2' '--def= a traces.otf2' --def \
    '--def x' '--def traces.otf2' '--def a b c traces.otf2' --defs-only '--defs-only x' \
    '--defs-only x traces.otf2' --reset '--reset x traces.otf2' '--reset --reset traces.otf2' \
    --add '--add traces.otf2' '--add a b 100 GLOBAL traces.otf2' \
    '--add a b 100 GLOBAL t u traces.otf2' '--add-def a b traces.otf2' \
    '--add-def a b LOW c traces.otf2' '--add-def a b BAD nowhere' '--remove-def traces.otf2' \
    '--clear-def traces.otf2' '--remove-def a b c traces.otf2' '--reset nowhere' '--def a nowhere'; do
    # shellcheck disable=SC2086 # words
    compare $words
done
compare ''
compare '' traces.otf2
for option in -V --version '-V x'; do
    # shellcheck disable=SC2086 # words
    run "$spur" marker $option
    same "$option" "$status:$out:$err" "0:spur marker: version $("$spur" --version | sed 's/.* //'):"
done
for option in -h --help '-h x'; do
    # shellcheck disable=SC2086 # words
    run "$spur" marker $option
    same "status of $option" "$status:$err" "0:"
    has "$option" "$out" "usage: spur marker"
done
finish
