#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/make-deb.sh BUILD DIR - writes DIR/burl_VERSION-1_ARCH.deb from what was built.
#
# dpkg-deb alone, without debhelper: the package has no scripts and no configuration files.
# DEB_MAINTAINER is its maintainer, DEB_COMPRESS the options of dpkg-deb for compression.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
dir=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
. scripts/release.inc
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v $tool >/dev/null ||
        { echo "make-deb: $tool is missing; run \`sh scripts/setup.sh dpkg-dev binutils\`" >&2; exit 3; }
done
arch=$(dpkg --print-architecture)
maintainer=${DEB_MAINTAINER:-The authors of burl <burl@example.org>}
work=$(mktemp -d "$dir/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
umask 022

BURL_ZSH_DIR=share/zsh/vendor-completions sh scripts/install.sh "$build" /usr "$root"
lib=$root/usr/lib/burl
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/* "$lib"/burl-instr "$lib"/burl-analyze \
    "$lib"/burl-api "$lib"/libburl_rt.so
strip --strip-debug "$lib"/*.o

doc=$root/usr/share/doc/burl
mkdir -p "$doc/examples"
cp packaging/debian/copyright "$doc/copyright"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
gzip -9nc >"$doc/changelog.Debian.gz" <<CHANGES
burl ($version-1) unstable; urgency=medium

  * Built from the sources of version $version.

 -- $maintainer  $(LC_ALL=C date -u -d "@$epoch" -R)
CHANGES
# Not a package of Debian: there is no bug that asks for it.
mkdir -p "$root/usr/share/lintian/overrides"
echo 'burl: initial-upload-closes-no-bugs' >"$root/usr/share/lintian/overrides/burl"
cp -r docs "$doc/docs"
cp -r examples/. "$doc/examples"
find "$doc" -type d -exec chmod 755 {} +
find "$doc" -type f -exec chmod 644 {} +
gzip -9n "$root"/usr/share/man/man1/*.1

# Shared libraries by what is linked; the programs that burl starts by name.
mkdir -p "$work/debian"
printf 'Source: burl\n\nPackage: burl\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O root/usr/bin/* root/usr/lib/burl/burl-instr root/usr/lib/burl/burl-analyze \
    root/usr/lib/burl/burl-api root/usr/lib/burl/libburl_rt.so 2>"$work/shlibdeps" | sed -n 's/^shlibs:Depends=//p')
[ -n "$libraries" ] || { cat "$work/shlibdeps" >&2; exit 3; }

mkdir -p "$root/DEBIAN"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<CONTROL
Package: burl
Version: $version-1
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f1)
Depends: $libraries, clang-19, binutils, libc6-dev
Recommends: gdb, libstdc++-12-dev | libstdc++-dev
Suggests: cmake, meson
Section: devel
Priority: optional
Description: finds concurrency bugs in C and C++ programs, and replays them
 burl compiles a program with clang, runs it under many schedules and reports
 data races, deadlocks, atomicity violations and crashes that depend on the
 interleaving of threads. Each finding has a minimized schedule, which burl
 replays exactly, also in gdb.
 .
 Other commands watch a program at full speed, measure interleaving coverage,
 write concurrent tests of an API, and select the tests that a change calls
 for.
CONTROL
# The same sources give the same bytes.
find "$root" -exec touch -h -d "@$epoch" {} +
package=$dir/burl_$version-1_$arch.deb
# shellcheck disable=SC2086
SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group ${DEB_COMPRESS--Zxz} --build "$root" "$package" >/dev/null
echo "$package"
