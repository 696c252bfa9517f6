#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/deb-check.sh PACKAGE [--quick] - a package of `make deb` is installed, used and removed.
#
# dpkg installs it below a temporary root, so that the system stays as it is; burl runs from there, as it
# finds its parts from its own place. --quick leaves out lintian.
set -eu
package=$(readlink -f "$1")
quick=${2-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
fail() { echo "deb-check: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || command -v fakeroot >/dev/null || fail "not root, and there is no fakeroot"
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else fakeroot -s "$work/fake" -i "$work/fake" -- "$@"; fi; }
: >"$work/fake"

# Libraries and the programs that burl starts.
depends=$(dpkg-deb --field "$package" Depends)
for name in libclang1-19 libsqlite3-0 clang-19 binutils libc6-dev; do
    case ", $depends," in *", $name "* | *", $name,"*) ;; *) fail "does not depend on $name: $depends" ;; esac
done
(cd "$work" && dpkg-deb --fsys-tarfile "$package" | tar -x --one-top-level=plain && dpkg-deb --control "$package" control &&
    cd plain && md5sum --quiet --check ../control/md5sums) || fail "md5sums"

admin="--root=$root --force-not-root --force-depends --log=/dev/null"
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
# shellcheck disable=SC2086
as_root dpkg $admin --install "$package" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg --install"; }
for file in bin/burl bin/burl-cc lib/burl/libburl_rt.so include/burl/burl.h share/man/man1/burl.1.gz \
    share/man/man1/burl-test.1.gz share/bash-completion/completions/burl share/zsh/vendor-completions/_burl \
    share/fish/vendor_completions.d/burl.fish lib/cmake/burl/burlConfig.cmake share/pkgconfig/burl.pc \
    share/doc/burl/copyright share/doc/burl/changelog.gz share/doc/burl/changelog.Debian.gz; do
    [ -s "$root/usr/$file" ] || fail "/usr/$file is missing"
done

cd "$work"
cp "$root/usr/share/doc/burl/examples/bank/"* .
PATH=$root/usr/bin:$PATH
code=0
burl doctor >doctor 2>&1 || { cat doctor >&2; fail "burl doctor"; }
burl-cc -g -O1 bank.c -o bank -lpthread >log 2>&1 || { cat log >&2; fail "cannot build an example"; }
burl test --time=20s --stop-at-first ./bank >log 2>&1 || code=$?
[ "$code" -eq 1 ] || { cat log >&2; fail "burl test ./bank ended with $code, not 1"; }
code=0
burl replay 1 >log 2>&1 || code=$?
[ "$code" -eq 1 ] || { cat log >&2; fail "burl replay ended with $code, not 1"; }
printf 'struct box; struct box *box_new(void); int box_get(struct box *b);\n' >box.h
burl gen --model box.h | grep -q '^shared struct box' || fail "burl gen does not read headers"

# shellcheck disable=SC2086
as_root dpkg $admin --purge burl >log 2>&1 || { cat log >&2; fail "dpkg --purge"; }
left=$(find "$root" -mindepth 1 ! -path "$root/var" ! -path "$root/var/lib" ! -path "$root/var/lib/dpkg*")
[ -z "$left" ] || fail "left behind: $left"

if [ -z "$quick" ]; then
    command -v lintian >/dev/null || fail "lintian is missing; run \`sh scripts/setup.sh lintian\`"
    lintian --no-cfg --allow-root --fail-on error,warning "$package" || fail "lintian"
    echo "deb-check: lintian has no errors and no warnings"
fi
echo "deb-check: the package installs, finds a bug, replays it, and leaves nothing behind"
