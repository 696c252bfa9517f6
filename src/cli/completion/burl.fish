# SPDX-License-Identifier: Apache-2.0
#
# What fish needs to complete the command line of burl. The rows come after this, from
# `burl help --completion=fish`.

# Whether the command of burl is one of these; without any, whether there is none yet.
function __burl_command
    set -l words (commandline -opc)
    if test (count $argv) -eq 0
        test (count $words) -eq 1
    else
        test (count $words) -ge 2; and contains -- $words[2] $argv
    end
end

# The numbers of the findings in the store that the command line names.
function __burl_findings
    set -l dir .burl
    set -l words (commandline -opc)
    for i in (seq (count $words))
        switch $words[$i]
            case '--dir=*'
                set dir (string replace -- --dir= '' $words[$i])
            case --dir -d
                test $i -lt (count $words); and set dir $words[(math $i + 1)]
        end
    end
    burl findings --json --dir=$dir 2>/dev/null | string replace -rf '^ *"id": *([0-9]+).*' '$1'
end

# The directories that the value of an option may be: what was typed may begin with its name.
function __burl_directories
    __fish_complete_directories (commandline -ct | string replace -r '^-[^=]*=' '') ''
end
