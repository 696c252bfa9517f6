# SPDX-License-Identifier: Apache-2.0
#
# How zsh completes the command line of burl. The table _burl_table comes before this, from
# `burl help --completion=zsh`: it sets `options` (for _arguments) and `arguments`.

_burl_findings() {
    local -a numbers
    numbers=(${(f)"$(burl findings --json --dir=${opt_args[--dir]:-${opt_args[-d]:-.burl}} 2>/dev/null |
        sed -n 's/^ *"id": *\([0-9][0-9]*\).*/\1/p')"})
    compadd -a numbers
}

# The first word of a command.
_burl_first() {
    local kind
    for kind in ${=arguments}; do
        case $kind in
            (program) _files -g '*(-*)' ;;
            (file) _files ;;
            (finding) _burl_findings ;;
            (command) _describe command _burl_commands ;;
            (*) compadd -- ${(s:|:)kind} ;;
        esac
    done
}

_burl() {
    local curcontext=$curcontext context state line arguments
    local -a options
    typeset -A opt_args

    if [[ $service == burl-* ]]; then
        _burl_table ${service#burl-}
    else
        _arguments -C '1:command:->command' '*::argument:->argument' && return
        if [[ $state == command ]]; then
            _describe command _burl_commands
            return
        fi
        _burl_table $words[1]
    fi
    if [[ $arguments == file ]]; then
        _arguments $options '*:file:_files'
    elif [[ $arguments == program ]]; then
        # What follows the program is its own.
        _arguments -s -S $options '1: :_burl_first' '*::argument:_files'
    else
        _arguments -s -S $options '1: :_burl_first' '*:argument:_files'
    fi
}

_burl "$@"
