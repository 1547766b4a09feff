#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base
# shellcheck source-path=SCRIPTDIR
# The files that commands write: what is no regular file is written as it is, a link stays a link,
# and nothing of another user is written to.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

$python "$here/report_archives.py" . >/dev/null || fault "no archives"
SPUR_VERBOSE=0 "$spur" -o cost "$build/tests/programs/user_cost" >../out || fault "nothing is recorded"

# Writes to $2 with command $1; shellcheck cannot see that `run` calls it.
# shellcheck disable=SC2317
write()
{
    case $1 in
    export) "$spur" export --to chrome -o "$2" ranks ;;
    table) "$spur" export --to csv --table call -o "$2" ranks ;;
    view) "$spur" view -o "$2" ranks ;;
    print) "$spur" print -o "$2" ranks/traces.otf2 ;;
    filter) "$spur" report --suggest-filter "$2" cost ;;
    esac
}

# ---- what each writer does ----

for command in export table view print filter; do
    write $command whole.$command >../out 2>../err || fault "$command: $(cat ../err)"
    [ -s whole.$command ] || fault "$command: no file"

    mkfifo pipe.$command
    timeout 20 cat pipe.$command >from.$command &
    run write $command pipe.$command
    same "$command: status of a pipe" "$status:$err" "0:"
    [ -p pipe.$command ] || fault "$command: the pipe is replaced"
    wait
    cmp whole.$command from.$command || fault "$command: other bytes in a pipe"

    mkdir far.$command
    echo old >far.$command/file
    [ $command != filter ] || rm far.$command/file # a file that is there is not replaced
    ln -s ../far.$command/file far.$command/second
    ln -s far.$command/second link.$command
    run write $command link.$command
    same "$command: status of a link" "$status:$err" "0:"
    [ -L link.$command ] || fault "$command: the link is replaced"
    cmp whole.$command far.$command/file || fault "$command: other bytes behind a link"
    same "$command: what is beside the file" "$(ls far.$command)" "$(printf 'file\nsecond')"

    ln -s far.$command/new new.$command
    run write $command new.$command
    same "$command: status of a link to nothing" "$status:$err" "0:"
    cmp whole.$command far.$command/new || fault "$command: other bytes behind a link to nothing"

    ln -s circle.$command circle.$command
    run write $command circle.$command
    same "$command: status of a circle of links" "$status" 1
    has "$command: line of it" "$err" "circle.$command: "

    echo first >appended.$command
    write $command /dev/stdout >>appended.$command 2>../err || fault "$command: $(cat ../err)"
    same "$command: what was there" "$(head -n 1 appended.$command)" first
    tail -c +7 appended.$command | head -c "$(wc -c <whole.$command)" | cmp - whole.$command ||
        fault "$command: other bytes in /dev/stdout"
done
same "view: what is behind the page" "$(tail -c 8 appended.view)" "$(tail -c 8 whole.view)"

# ---- other users' files, and a device of our own making ----

if [ "$(id -u)" = 0 ]; then
    mkdir theirs
    for command in export table view print; do
        echo theirs >theirs/$command
        ln -s theirs/$command to.$command
        ln -s ours.$command by.$command
        echo ours >ours.$command
        chown -h nobody theirs/$command by.$command
        for link in to by; do
            run write $command $link.$command
            same "$command: status of a foreign link" "$status" 1
            has "$command: line of it" "$err" "another user"
        done
        same "$command: foreign files" "$(cat theirs/$command ours.$command)" "$(printf 'theirs\nours')"
        if mknod null.$command c 1 3 2>/dev/null && (: >null.$command) 2>/dev/null; then
            run write $command null.$command
            same "$command: status of a device" "$status:$err" "0:"
            same "$command: the device" "$(stat -c %t:%T null.$command)" 1:3
        fi
    done
fi

# ---- a database needs a regular file ----

mkfifo pipe
run timeout 60 "$spur" export --to sqlite -o pipe ranks
same "status of a database in a pipe" "$status" 1
has "line of it" "$err" "pipe: is no regular file"
[ -p pipe ] || fault "the pipe is replaced by a database"
mkdir base
ln -s base/db db
run "$spur" export --to sqlite -o db ranks
same "status of a database behind a link" "$status:$err" "0:"
{ [ -L db ] && [ -s base/db ]; } || fault "no database behind the link"
ln -s nothing directory
run "$spur" export --to csv -o directory ranks
same "status of a directory in the place of a link" "$status" 1

# ---- names that the user has not given may come with an archive ----

echo mine >mine
ln -s mine ranks.html
run "$spur" view ranks
same "status of a page in the place of a link" "$status" 1
has "line of it" "$err" "ranks.html: is a symbolic link: name the file with --output"
ln -s ../mine ranks/.traces.sqlite
run "$spur" query ranks 'SELECT 1 AS one'
same "an answer" "$out" "$(printf 'one\n1')"
same "what the links lead to" "$(cat mine)" mine
rm -f ranks/traces.marker
for kind in link pipe; do
    cp -r ranks "edit.$kind"
done
ln -s ../mine edit.link/traces.marker
mkfifo edit.pipe/traces.marker
for kind in link pipe; do
    run timeout 60 "$spur" marker --reset "edit.$kind/traces.otf2"
    same "status of markers in a $kind" "$status" 1
    has "line of it" "$err" "edit.$kind/traces.marker: is no regular file"
done
{ [ -L edit.link/traces.marker ] && [ -p edit.pipe/traces.marker ]; } || fault "the markers are replaced"
same "what the links lead to" "$(cat mine)" mine
same "left over" "$(find . -name '*.part-*')" ""
finish
