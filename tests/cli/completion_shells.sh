#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base scripts
# shellcheck source-path=SCRIPTDIR disable=SC2016 # other shells expand
# The completions of zsh and fish, in the shells themselves. What spur answers is completions.sh's subject.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"
PATH=$(dirname "$spur"):$PATH
export PATH ROOT="$root/scripts/completions"
export HOME="$PWD" TERM=dumb
mkdir room room/dir && cd room || exit 1
: >some.otf2

# in_fish LINE: what fish offers for it.
in_fish()
{
    LINE=$1 fish --no-config -c 'source $ROOT/spur.fish; complete -C $LINE' 2>&1 | cut -f 1 | sort | tr '\n' ' '
}

# in_zsh LINE: the line, after the key for completion has been pressed behind LINE.
in_zsh()
{
    LINE=$1 zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1= PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste; fpath=(\$ROOT \$fpath)
            autoload -U compinit && compinit -u -D && setopt no_auto_list no_list_beep
            take() { print -r -- \"<<\$BUFFER>>\"; }; zle -N take; bindkey \"^X^T\" take; echo rea\"\"dy"
        zpty -r shell answer "*ready*"
        zpty -w -n shell "$LINE"$'"'\\t\\C-X\\C-T'"'
        zpty -r shell answer "*<<*>>*"
        print -r -- "${${answer##*<<}%%>>*}"
        zpty -d shell' 2>&1
}

for shell in fish zsh; do
    command -v $shell >/dev/null || fault "no $shell: install the Debian package $shell"
done
same "fish: an option" "$(in_fish 'spur report --min')" "--min-percent "
same "fish: a value" "$(in_fish 'spur -o out export --to fo')" "folded "
has "fish: a command" "$(in_fish 'spur repo')" "report "
same "fish: a file" "$(in_fish 'spur check som')" "some.otf2 "
same "fish: a folder" "$(in_fish 'spur -o di')" "dir/ "
same "fish: another command" "$(in_fish 'spur -q cat som')" "some.otf2 "
same "zsh: an option" "$(in_zsh 'spur report --min')" "spur report --min-percent "
same "zsh: a value" "$(in_zsh 'spur -o out export --to fo')" "spur -o out export --to folded "
same "zsh: a command" "$(in_zsh 'spur estim')" "spur estimator "
same "zsh: a file" "$(in_zsh 'spur check som')" "spur check some.otf2 "
same "zsh: a folder" "$(in_zsh 'spur -o di')" "spur -o dir/"
same "zsh: another command" "$(in_zsh 'spur -q cat som')" "spur -q cat some.otf2 "
finish
