#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/install.sh [--uninstall] BUILD PREFIX [DESTDIR] - puts what was built below DESTDIR PREFIX,
# or removes exactly that.
#
# The one list of what is installed where: `make install`, `make uninstall`, `make deb` and the tests
# use it. BURL_ZSH_DIR is where zsh looks for completion, below PREFIX.
set -eu
cd "$(dirname "$0")/.."
uninstall=
[ "$1" = --uninstall ] && { uninstall=yes; shift; }
build=$1
prefix=$2
to=${3-}$prefix
zsh_dir=${BURL_ZSH_DIR:-share/zsh/site-functions}

# mode, file, place below PREFIX
list() {
    cat <<LIST
755 $build/burl bin/burl
755 $build/burl-cc bin/burl-cc
755 $build/burl-c++ bin/burl-c++
755 $build/burl-instr lib/burl/burl-instr
755 $build/burl-analyze lib/burl/burl-analyze
755 $build/burl-api lib/burl/burl-api
755 packaging/burl-test-wrapper lib/burl/burl-test-wrapper
644 $build/libburl_rt.so lib/burl/libburl_rt.so
644 $build/burl_hot.o lib/burl/burl_hot.o
644 $build/burl_driver.o lib/burl/burl_driver.o
644 $build/share/pkgconfig/burl.pc share/pkgconfig/burl.pc
644 $build/share/completion/burl.bash share/bash-completion/completions/burl
644 $build/share/completion/burl.zsh $zsh_dir/_burl
644 $build/share/completion/burl.fish share/fish/vendor_completions.d/burl.fish
LIST
    for name in burl-cc burl-c++; do
        echo "link burl share/bash-completion/completions/$name"
        echo "link burl.fish share/fish/vendor_completions.d/$name.fish"
    done
    for f in include/burl/*.h; do echo "644 $f $f"; done
    for f in "$build"/share/cmake/*; do echo "644 $f lib/cmake/burl/${f##*/}"; done
    for f in "$build"/share/man/*; do echo "644 $f share/man/man1/${f##*/}"; done
}

# The names of pages and files that were generated are not known without a build.
remove() {
    list | while read -r _ _ place; do rm -f "$to/$place"; done
    rm -f "$to"/share/man/man1/burl.1 "$to"/share/man/man1/burl-*.1
    rm -rf "$to/lib/burl" "$to/lib/cmake/burl" "$to/include/burl"
}

if [ -n "$uninstall" ]; then
    remove
    exit 0
fi
list | while read -r mode file place; do
    mkdir -p "$to/${place%/*}"
    if [ "$mode" = link ]; then
        ln -sf "$file" "$to/$place"
    else
        install -m "$mode" "$file" "$to/$place"
    fi
done
