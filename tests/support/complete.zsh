# SPDX-License-Identifier: Apache-2.0
#
# tests/support/complete.zsh DIR LINE... - prints, for each line, what zsh offers at its end.
#
# Run by zsh -f. An interactive zsh on a pseudoterminal gets each line and a tab; the function _burl is
# in DIR. One row per line: the line, "->", and the words.
zmodload zsh/zpty
work=$(mktemp -d)
trap 'rm -rf $work' EXIT
cat >$work/inner <<'INNER'
PROMPT= RPROMPT=
unset zle_bracketed_paste
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a hits
    # -O, -A and -D only ask; with all others the words are offered.
    if [[ " ${@[1,(i)(-|--)]} " != *\ -[a-zA-Z0-9]#[OAD]\ * ]]; then
        builtin compadd -O hits "$@"
        print -rl -- $hits >>$HITS
    fi
    builtin compadd "$@"
}
# zsh empties the list at each completion.
report() { print -n "@reported@" >$TTY; comppostfuncs=(report) }
comppostfuncs=(report)
print "@""ready@"
INNER
export HITS=$work/hits
zpty shell "exec zsh -f -i"
zpty -w shell "fpath=(${(q)1} \$fpath); source $work/inner"
zpty -r shell said '*@ready@*'
shift
for line; do
    : >$HITS
    zpty -w -n shell $'\025'"$line"$'\t'
    zpty -r shell said '*@reported@*'
    print -r -- "$line -> ${(j: :)${(u)${(f)"$(<$HITS)"}}## }"
done
zpty -d shell
