#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base
# shellcheck source-path=SCRIPTDIR
# Commands answer --help on stdout, and a wrong option on stderr, as docs/tools.md says.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

for command in report view export query check print marker snapshots estimator otf2-config; do
    run "$spur" $command --help </dev/null
    same "status of $command --help" "$status:$err" "0:"
    [ "$(echo "$out" | wc -l)" -ge 10 ] || fault "$command --help is no help: $out"
    case $out in [Uu]sage:*) ;; *) fault "$command --help: no usage line" ;; esac
    has "$command --help" "$out" "spur $command"
    grep -q "^## $command\$" "$root/docs/tools.md" || fault "$command is not in docs/tools.md"
    # What the page says of options is in the help.
    for option in $(sed -n "/^## $command\$/,/^## /p" "$root/docs/tools.md" | grep -o '`--*[A-Za-z][a-z-]*' |
        tr -d '`'); do
        has "$command --help" "$out" "$option"
    done

    case $command in report | view | export | query | check) wrong=2 ;; *) wrong=1 ;; esac
    run "$spur" $command --no-such-option nowhere.otf2 </dev/null
    same "status of a wrong option of $command" "$status:$out" "$wrong:"
    first=$(echo "$err" | head -n 1)
    case $first in
    spur*) ;;
    *) fault "$command does not say that it is the one who complains: '$first'" ;;
    esac
    [ "$command" = estimator ] && continue
    case $command in
    export) words='--to folded nowhere.otf2' ;;
    query) words='nowhere.otf2 SELECT' ;;
    *) words=nowhere.otf2 ;;
    esac
    # shellcheck disable=SC2086 # words
    run "$spur" $command $words </dev/null
    [ "$status" -ne 0 ] || fault "$command takes an archive that is not there"
    [ -n "$err" ] || fault "$command says nothing of an archive that is not there"
done

# Every command of spur, by its own name, in all ways to ask for it.
commands=$("$spur" help commands | grep -vx help)
[ "$(echo "$commands" | wc -w)" -ge 14 ] || fault "few commands: $commands"
for command in $commands; do
    for words in "$command -h" "$command --help" "help $command"; do
        # shellcheck disable=SC2086 # two words
        run "$spur" $words </dev/null
        same "status of $words" "$status:$err" "0:"
        has "$words" "$out" "sage: spur "
        has "$words" "$out" "spur $command"
        case $out in *spur-*" ["*) fault "$words names the program and not the command" ;; esac
    done
    [ "$command" = otf2-config ] && continue # a script: the shell says it
    run sh -c '"$1" "$2" --help >/dev/full' sh "$spur" "$command"
    [ "$status" -ne 0 ] || fault "$command --help: status 0, and the output is lost"
    same "$command --help and a full disk" "$err" "spur: standard output: No space left on device"
done
run "$spur" help --help
has "help of help" "$out" "usage: spur [OPTION]"

# One table makes all command lines: options behind words, names cut short, arguments in each form.
/usr/bin/python3 "$root/tests/cli/report_archives.py" . || fault "no archives"
should=$("$spur" report --csv --by region --top 1 ranks)
[ "$(echo "$should" | wc -l)" -eq 2 ] || fault "no row of a region: $should"
for words in "ranks --csv --by region --top 1" "--csv --by=region --top=1 -- ranks" "--cs --by region ranks --to 1"; do
    # shellcheck disable=SC2086 # words
    same "report $words" "$("$spur" report $words 2>&1)" "$should"
done
same "export -t" "$("$spur" export -tfolded ranks)" "$("$spur" export --to folded ranks)"
while read -r command complaint words; do
    # shellcheck disable=SC2086 # words
    run "$spur" $command $words
    same "status of $command $words" "$status:$out" "2:"
    same "$command $words" "$err" "spur: $(echo "$complaint" | tr _ ' '); see 'spur $command --help'"
done <<'END'
report unknown_option_--c --c ranks
report unknown_option_--json=1 --json=1 ranks
report unknown_option_-j -j ranks
report option_--by_needs_a_value ranks --by
report 'spur_report'_needs_an_archive --json
check 'spur_check'_needs_one_archive ranks -- --json
report --top_wants_a_number,_not_'x' --top x ranks
check unknown_option_--nothing --nothing ranks
check --limit_wants_a_number,_not_'-1' --limit -1 ranks
check 'spur_check'_needs_one_archive
query 'spur_query'_needs_an_archive_and_a_question ranks
query --path_needs_one_archive --path ranks SELECT
unpack 'spur_unpack'_needs_one_archive -- a b
pack 'spur_pack'_needs_one_archive -- a b
pack --containers_wants_a_number_from_1_on,_not_'0' --containers 0 ranks
pack option_-o_needs_a_directory ranks -o
doctor unknown_option_--all --all
END

# Commands that read archives take the directory, as the file in it.
cp -r ranks named && mv named/traces.otf2 named/job.otf2 && mv named/traces.def named/job.def &&
    mv named/traces named/job
for command in report check print marker snapshots; do
    for archive in ranks ranks/ named; do
        run "$spur" $command $archive
        same "status of $command $archive" "$status:$err" "0:"
    done
done
# What cannot be printed is no success.
while read -r should command words; do
    # shellcheck disable=SC2086 # words
    run sh -c '"$@" >/dev/full' sh "$spur" "$command" ranks $words
    same "$command ranks $words, full disk" "$status:$err" \
        "$should:spur$(test "$command" != print || echo " print"): standard output: No space left on device"
done <<'END'
2 check
2 check --json
1 report
1 report --json
1 view --text
1 snapshots
1 print
1 export --to folded
END
run sh -c '"$@" >/dev/full' sh "$spur" query ranks 'SELECT 1'
same "an answer, full disk" "$status:$err" "1:spur: standard output: No space left on device"
run sh -c '"$@" >&-' sh "$spur" report ranks
same "no standard output" "$status:$err" "1:spur: standard output: Bad file descriptor"
same "print of a directory" "$("$spur" print ranks | md5sum)" "$("$spur" print ranks/traces.otf2 | md5sum)"
finish
