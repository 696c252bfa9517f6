#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/install.sh - what is installed is removed again, and nothing else, also without the build.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
list() { find root \( -type f -o -type l \) | LC_ALL=C sort; }
install() { sh "$BURL_TEST_ROOT/scripts/install.sh" "$@"; }

mkdir -p root/opt/bin root/opt/share/man/man1 root/opt/lib/cmake/other
touch root/opt/bin/burlesque root/opt/share/man/man1/burlesque.1 root/opt/lib/cmake/other/burl.cmake
list >before
install "$BURL_TEST_BUILD" /opt "$PWD/root" || fail "install"
list >installed
for file in bin/burl bin/burl-cc bin/burl-c++ lib/burl/libburl_rt.so include/burl/burl.h share/man/man1/burl-test.1 \
    share/bash-completion/completions/burl-cc share/zsh/site-functions/_burl \
    share/fish/vendor_completions.d/burl.fish lib/cmake/burl/burl-toolchain.cmake share/pkgconfig/burl.pc; do
    grep -qx "root/opt/$file" installed || fail "$file is not installed"
done
# No link leads nowhere.
[ -z "$(find root -xtype l)" ] || fail "dangling: $(find root -xtype l)"
install --uninstall "$BURL_TEST_BUILD" /opt "$PWD/root" || fail "uninstall"
list | cmp - before || { list | diff before -; fail "uninstall left or removed something"; }
install "$BURL_TEST_BUILD" /opt "$PWD/root" || fail "install"
install --uninstall no-build /opt "$PWD/root" || fail "uninstall without the build"
list | cmp - before || { list | diff before -; fail "uninstall without the build"; }
