# SPDX-License-Identifier: Apache-2.0
#
# How bash completes the command line of burl. The table _burl_table comes before this, from
# `burl help --completion=bash`: it sets `options`, `arguments` and, for one option, `value`
# (@file, @dir, @other, or the words it may be) and `optional`.

# Prints the numbers of the findings in a store.
_burl_findings()
{
    burl findings --json --dir="${1:-.burl}" 2>/dev/null |
        sed -n 's/^ *"id": *\([0-9][0-9]*\).*/\1/p'
}

# Files and directories; with -x only files that can be run. Blanks in names are kept.
_burl_files()
{
    local name
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        [[ $1 == -x && ! -d $name && ! -x $name ]] || COMPREPLY+=("$name")
    done < <(compgen -f -- "$cur")
}

_burl_words()
{
    local IFS=$' \t\n'
    COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}

_burl_value()
{
    case $value in
        @file) _burl_files ;;
        @dir)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
        @other) ;;
        *) _burl_words "$value" ;;
    esac
}

_burl_arguments()
{
    local kind
    [[ -z $first_word || " $arguments " == *' file '* ]] || { _burl_files; return; }
    for kind in $arguments; do
        case $kind in
            program) _burl_files -x ;;
            file) _burl_files ;;
            finding) _burl_words "$(_burl_findings "$dir")" ;;
            command) _burl_words "$_burl_commands" ;;
            *) _burl_words "${kind//|/ }" ;;
        esac
    done
}

_burl()
{
    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i=2 word dir=.burl
    local options= arguments= value= optional= option= first_word= ended=
    COMPREPLY=()
    case ${1##*/} in
        burl-cc) command=cc i=1 ;;
        burl-c++) command=c++ i=1 ;;
        *) ((COMP_CWORD > 1)) || { _burl_words "$_burl_commands --help --version"; return; } ;;
    esac
    # bash splits --name=value into three words.
    for (( ; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -- ]]; then
            ended=yes
        elif [[ $word == -* && -z $ended ]]; then
            value= optional=
            _burl_table "$command" "$word"
            [[ -n $value ]] || continue
            if [[ ${COMP_WORDS[i + 1]} == = ]]; then
                ((++i))
                ((i < COMP_CWORD)) || cur=
            elif [[ -n $optional ]]; then
                continue
            fi
            ((++i))
            if ((i >= COMP_CWORD)); then
                option=$word
            elif [[ $word == --dir || $word == -d ]]; then
                dir=${COMP_WORDS[i]}
            fi
        elif [[ -z $first_word ]]; then
            _burl_table "$command" ''
            # A sub-command is followed by the program or by more words of its own.
            [[ " ${arguments//|/ } " == *" $word "* ]] || { first_word=$word ended=yes; }
        fi
    done
    if [[ -n $option ]]; then
        _burl_value
        return
    fi
    value=
    _burl_table "$command" ''
    if [[ $cur == -* && ( -z $ended || " $arguments " == *' file '* ) ]]; then
        _burl_words "$options"
        [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    else
        _burl_arguments
    fi
}

complete -F _burl burl burl-cc burl-c++
