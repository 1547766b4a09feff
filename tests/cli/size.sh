#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts
# shellcheck source-path=SCRIPTDIR
# scripts/size counts a tree whose numbers are known: strings that look like comments, comments that look like code.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

mkdir -p tree/scripts tree/docs tree/room/inner tree/tests
cp "$root/scripts/size" tree/scripts
cat >tree/docs/architecture.md <<'END'
| `room/` | a room |
| `room/inner/` | a room within |
| `tests/` | tests |
END
cat >tree/room/a.c <<'END'
/* Three words here: f(x) { */
struct one {
    int a; // two words
};

static const char *text(void)
{
    return "/* no comment */";
}
END
echo 'ROW(one, 2)' >tree/room/inner/rows.def
echo 'int main(void) { return 0; }' >tree/tests/t.c
printf '#!/bin/sh\n# a comment\nexit 0\n' >tree/scripts/do
git -C tree init -q
git -C tree add .
git -C tree -c user.name=test -c user.email=test commit -q -m all || fault "no repository"

# row ROOM [COMMIT]: the numbers of a row: files, tokens, lines, comments, functions, structs.
row()
{
    tree/scripts/size ${2:+"$2"} >../sizes
    sed -n "s:^$1  *\([0-9].*\):\1:p" ../sizes | awk '{ print $1, $2, $3, $4, $5, $6 }'
}

same "a file of C" "$(row room)" "1 21 7 33 1 1"
same "the innermost room" "$(row room/inner)" "1 6 1 0 0 0"
same "both" "$(row 'all of room')" "2 27 8 26 1 1"
same "tests apart" "$(row 'without tests' | cut -d' ' -f2)" 27
same "with tests" "$(row 'with tests' | cut -d' ' -f2)" 37
row scripts >../row
same "scripts" "$(awk '/^all of scripts/ { print ($NF > 2) }' ../sizes)" 1
echo 'int more;' >>tree/room/a.c
same "the work tree" "$(row room | cut -d' ' -f2)" 24
same "a commit" "$(row room HEAD | cut -d' ' -f2)" 21
finish
