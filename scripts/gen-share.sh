#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/gen-share.sh BUILD VERSION - writes BUILD/share: man pages and completion, as burl prints
# them, and the files with which CMake and pkg-config find burl.
set -eu
build=$1
version=$2
share=$build/share
rm -rf "$share"
mkdir -p "$share/man" "$share/completion" "$share/cmake" "$share/pkgconfig"

"$build/burl" help --man >"$share/man/burl.1"
# The commands with options; help and version are described by burl(1).
for command in $("$build/burl" help --markdown | sed -n 's/^## burl \(.*\)/\1/p'); do
    case $command in
        help | version) ;;
        *) "$build/burl" help --man="$command" >"$share/man/burl-$command.1" ;;
    esac
done
for shell in bash zsh fish; do
    "$build/burl" help --completion=$shell >"$share/completion/burl.$shell"
done
for f in packaging/cmake/*; do
    sed "s/@VERSION@/$version/g" "$f" >"$share/cmake/${f##*/}"
done
sed "s/@VERSION@/$version/g" packaging/pkgconfig/burl.pc >"$share/pkgconfig/burl.pc"
touch "$share/made"
