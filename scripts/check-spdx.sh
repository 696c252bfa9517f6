#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-spdx.sh - every source file names its license in its first lines.
set -eu
cd "$(dirname "$0")/.."
bad=0

for f in $(find Makefile .ci src include tests scripts bench examples \
    \( -name '*.[chS]' -o -name '*.js' -o -name '*.css' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.sh' -o -name '*.def' \
    -o -name '*.map' -o -name 'Makefile' -o -name run \) -type f ! -path 'tests/golden/src/*' 2>/dev/null |
    sort); do
    head -n 2 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || {
        echo "$f: no SPDX-License-Identifier in its first two lines"
        bad=1
    }
done
exit $bad
