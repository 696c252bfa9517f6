#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/deb_package.sh - `make deb`: the package installs below a root of its own, finds a bug and
# is removed. `make deb-check` also runs lintian.
# BURL-TIMEOUT: 300
. "$BURL_TEST_ROOT/tests/support/lib.inc"
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || command -v fakeroot >/dev/null || { echo "not root, and fakeroot is not installed"; exit 77; }
DEB_COMPRESS='-Zgzip -z1'
export DEB_COMPRESS
run 0 sh "$BURL_TEST_ROOT/scripts/make-deb.sh" "$BURL_TEST_BUILD" one
package=$(cat out)
run 0 sh "$BURL_TEST_ROOT/scripts/deb-check.sh" "$package" --quick
# The program that follows from the package's fields is the one that was built.
[ "burl $(dpkg-deb --field "$package" Version)" = "$("$BURL" version | head -n 1 | cut -d' ' -f1,2)-1" ] || fail "the version"
