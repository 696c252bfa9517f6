#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Flags of compile_commands.json hold for the header, the driver and the C test of a finding.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag
mkdir -p include/deep
sed 's|^struct bag;|#include "deep/type.h"|' bag.h >include/bag.h
printf '#ifndef NEEDED\n#error "NEEDED"\n#endif\nstruct bag;\n' >include/deep/type.h
rm bag.h
printf '[{"directory":"%s","file":"bag.c","command":"cc -Iinclude -DNEEDED -DBUG -c bag.c"}]' "$PWD" \
    >compile_commands.json

run 1 "$BURL" gen --json --tests=400 --seed=1 --compile-commands=compile_commands.json \
    include/bag.h -- bag.c
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"

# The fixed part of the driver comes ready made, unless a flag changes how things lie in memory.
[ ! -e .burl/gen/burl_driver.o ] || fail "the fixed part of the driver was compiled for -D and -I"
run 1 "$BURL" gen --json --tests=400 --seed=1 --compile-commands=compile_commands.json -d packed.d \
    include/bag.h -- -fshort-enums bag.c
[ -e packed.d/gen/burl_driver.o ] || fail "the fixed part of the driver is not compiled as its other part"
# A header of the user's that comes first does not hide what the fixed part needs.
run 1 "$BURL" gen --json --tests=400 --seed=1 --compile-commands=compile_commands.json -d first.d \
    include/bag.h -- -include stdio.h bag.c

# C and C++ sources together, each with its own language, at -O2: a standard of C is no flag of C++,
# and a .c file is not C++ because another file is.
mkdir mixed && cd mixed || exit 1
write_bag
sed -i 's/^struct bag;/#ifdef __cplusplus\nextern "C" {\n#endif\nstruct bag;\nint bag_twice(int x);/; s/^#endif$/&/' bag.h
sed -i '$d' bag.h
printf '#ifdef __cplusplus\n}\n#endif\n#endif\n' >>bag.h
sed -i 's/x = b->v\[b->n - 1\] \* 2;/x = bag_twice(b->v[b->n - 1]);/' bag.c
printf 'static int *new_one(void *class) { return class; }\nint *bag_unused(void) { return new_one(0); }\n' >>bag.c
printf '#include "bag.h"\n#include <array>\nint bag_twice(int x) { std::array<int, 2> a{x, x}; return a[0] + a[1]; }\n' >twice.cpp
run 1 "$BURL" gen --json --tests=1000 --seed=1 bag.h -- -O2 -std=c11 bag.c twice.cpp -DBUG
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "mixed: another kind"
run 1 "$BURL" replay "$(jq -r '.findings[0].number' out)"

# A standard of C++ is none of the header's, which is read as C.
cat >kv.h <<'SRC'
#ifdef __cplusplus
extern "C" {
#endif
struct kv;
struct kv *kv_open(void);
void kv_close(struct kv *);
int kv_incr(struct kv *, const char *key);
#ifdef __cplusplus
}
#endif
SRC
cat >kv.cpp <<'SRC'
#include "kv.h"
#include <map>
#include <shared_mutex>
#include <mutex>
#include <string>
struct kv { std::shared_mutex m; std::map<std::string, int> d; };
struct kv *kv_open(void) { return new kv; }
void kv_close(struct kv *k) { delete k; }
int kv_incr(struct kv *k, const char *key)
{
    int v;
    { std::shared_lock l(k->m); auto it = k->d.find(key); v = it == k->d.end() ? 0 : it->second; }
    std::unique_lock l(k->m);
    return k->d[key] = v + 1;
}
SRC
run 1 "$BURL" gen --json --tests=300 --seed=1 -d kv.d kv.h -- -O2 -std=c++17 kv.cpp
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "C++: another kind"

# The suite of a C++ module is built by the compilers of both languages.
sed -i 's/int v;/std::unique_lock l(k->m);/; /std::shared_lock l/d; 0,/^    std::unique_lock l(k->m);$/!{/^    std::unique_lock l(k->m);$/d}; s/return k->d\[key\] = v + 1/return ++k->d[key]/' kv.cpp
run 0 "$BURL" gen --json --tests=30 --seed=1 -d kv2.d --emit-suite=suite kv.h -- -O2 -std=c++17 kv.cpp
run 0 make -C suite CC=gcc CXX=clang++-19 check
has out "ok      test_1"
