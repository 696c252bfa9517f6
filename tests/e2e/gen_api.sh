#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 120
#
# tests/e2e/gen_api.sh - burl-api by itself: what it reads of headers, and how it refuses.
set -eu
api=${BURL%/*}/burl-api
. "$BURL_TEST_ROOT/tests/support/lib.inc"
# read_header WORDS...: must succeed.
read_header() { "$api" "$@" >out 2>err || fail "burl-api $* ended with $?"; }
# is FILTER VALUE: jq's answer on the last output.
is() {
    got=$(jq -r "$1" out) || fail "jq $1"
    [ "$got" = "$2" ] || fail "$1 is '$got', not '$2'"
}
# refused CODE WORDS...
refused() {
    want=$1
    shift
    code=0
    "$api" "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || fail "burl-api $* ended with $code, not $want"
}
says() { grep -q -e "$1" err || fail "not said: $1"; }
names='[.functions[].name] | join(" ")'

mkdir -p inc sub other
# 1. Types, attributes behind macros, comments, static inline, unnamed parameters.
cat >queue.h <<'SRC'
#include <stdarg.h>
#include <stddef.h>
#define NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
typedef struct queue queue_t;
enum mode { READ, WRITE = 5, BOTH = READ | WRITE };
typedef int (*visit_fn)(int value, void *arg);
/* Makes one; capacity is a hint. */
queue_t *queue_new(size_t capacity) __attribute__((warn_unused_result));
int queue_push(queue_t *q, const int *values, size_t n) NONNULL(1, 2);
int queue_each(queue_t *, visit_fn, void *_Nullable);
void queue_log(queue_t *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void queue_die(queue_t *q);
char *queue_text(const queue_t *q, char buf[16], enum mode m);
static inline int queue_twice(int x) { return 2 * x; }
int queue_push(queue_t *q, const int *values, size_t n);
SRC
read_header queue.h
is "$names" "queue_new queue_push queue_each queue_log queue_die queue_text queue_twice"
is '.functions[0].comment' '/* Makes one; capacity is a hint. */'
is '.functions[0].result.pointee.tag' 'struct queue'
is '.functions[0].result.pointee.spelling' 'queue_t'
is '.functions[0].result.pointee.complete' false
is '.functions[0].params[0].type | "\(.spelling) \(.canonical) \(.size_b) \(.unsigned)"' \
    'size_t unsigned long 8 true'
is '.functions[1].attributes[0]' 'nonnull(1, 2)'
is '.functions[1].params[1].type.pointee.const' true
is '.functions[2].params[0].name' ''
is '.functions[2].params[1].type.pointee.kind' function
is '.functions[2].params[1].type.pointee.params | length' 2
is '.functions[2].params[2].type.nullable' true
is '.functions[3].variadic' true
is '.functions[4].attributes[0]' noreturn
is '.functions[5].params[1].type | "\(.kind) \(.elements)"' 'array 16'
is '.functions[6] | "\(.static) \(.inline) \(.defined)"' 'true true true'
is '.enums[0].constants | map("\(.name)=\(.value)") | join(" ")' 'READ=0 WRITE=5 BOTH=5'
is '[.left_out[] | select(.why != "a system header")] | length' 0

# 2. Conditional compilation, by the user's -D.
cat >cond.h <<'SRC'
struct c;
#ifdef EXTRA
int c_extra(struct c *c);
#else
int c_plain(struct c *c);
#endif
#if LEVEL > 2
int c_level(struct c *c);
#endif
SRC
read_header cond.h
is "$names" c_plain
read_header cond.h -- cond.c -D EXTRA -DLEVEL=3 -lm -O2 -Wall
is "$names" "c_extra c_level"
is '.flags | join(" ")' '-DEXTRA -DLEVEL=3'

# 3. Nested includes: of the directory, of -I, and what is outside both.
printf '#pragma once\nstruct item;\nint item_size(struct item *i);\n' >sub/item.h
printf '#pragma once\nint base_x(void);\n' >inc/base.h
printf '#pragma once\nint far_x(void);\n' >other/far.h
mkdir -p top
cat >top/nest.h <<'SRC'
#include "part.h"
#include <base.h>
#include "../other/far.h"
int nest_x(void);
SRC
printf 'int part_x(void);\n' >top/part.h
refused 2 top/nest.h
says "'base.h' file not found"
says "given after --"
read_header top/nest.h -- -I inc
is "$names" "part_x base_x nest_x"
is '.left_out | map(.functions) | join(" ")' 1
is '.left_out[0].why' 'outside the header'"'"'s directory and every -I'

# 4. compile_commands.json: of the source that was named, else of a neighbor.
cat >compile_commands.json <<DB
[{"directory": "$PWD/other", "file": "x.c", "command": "cc -DLEVEL=1 -c x.c"},
 {"directory": "$PWD", "file": "cond.c", "command": "cc -DLEVEL=5 '-DNAME=\"a b\"' -Isub -MD -o c.o -c cond.c"},
 {"directory": "$PWD", "file": "b.c", "arguments": ["cc", "-DEXTRA", "-std=gnu99", "-c", "b.c"]}]
DB
touch cond.c b.c other/x.c
read_header --compile-commands=compile_commands.json cond.h -- b.c
is "$names" c_extra
is '.flags | join(" ")' '-DEXTRA -std=gnu99'
read_header --compile-commands=compile_commands.json cond.h
is "$names" "c_plain c_level"
is '.flags | join("|")' "-DLEVEL=5|-DNAME=\"a b\"|-I$PWD/sub"
refused 2 --compile-commands=none.json cond.h
says 'cannot read none.json'
echo '{' >bad.json
refused 2 --compile-commands=bad.json cond.h
says 'bad.json'

# 5. Headers that forget their own includes: only what they lack is added.
printf 'struct q;\nbool q_f(struct q *q, uint32_t x);\n' >forgot.h
read_header forgot.h
is "$names" q_f
is '.includes | join(" ")' '<stdint.h> <stdbool.h>'
read_header --include='<stdint.h>' --include='<stdbool.h>' forgot.h
is '.includes | length' 2

# 6. Guards for C++, handles behind typedefs, structs without a tag.
cat >cpp.h <<'SRC'
#ifdef __cplusplus
extern "C" {
#endif
typedef struct S_ *S;
typedef struct { int x; } plain_t;
S s_new(void);
int s_add(S s, plain_t *p, plain_t v);
#ifdef __cplusplus
}
#endif
SRC
read_header cpp.h
is '.functions[0].result.pointee.tag' 'struct S_'
is '.functions[1].params[1].type.pointee | "\(.tag) \(.complete) \(.size_b)"' 'plain_t true 4'
is '.functions[1].params[2].type.kind' record

# 7. Another standard, attributes of C23, an old-style declaration.
printf '[[nodiscard]] int f(void);\n' >c23.h
read_header c23.h -- -std=c2x
printf 'int old();\n' >old.h
read_header old.h -- -std=gnu89
is '.functions[0] | "\(.prototype) \(.params | length)"' 'false 0'

# 8. Refusals.
printf 'int f(struct q *\nint g(unknown_t x);\n' >broken.h
refused 2 broken.h
says 'broken.h does not compile by itself'
says 'broken.h:2:'
refused 2 nothing.h
says 'there is no header nothing.h'
refused 2 sub
says 'is a directory'
refused 2
says 'no header was named'
refused 2 queue.h cond.h
refused 2 --wrong queue.h
: >empty.h
read_header empty.h
is '.functions | length' 0
head -c 3000 /dev/urandom >noise.h
refused 2 noise.h

# 9. Headers of the machine, when they are there.
for h in pthread.h stdio.h zlib.h sqlite3.h; do
    [ ! -f /usr/include/$h ] || read_header /usr/include/$h
done
if [ -f /usr/include/sqlite3.h ]; then
    read_header /usr/include/sqlite3.h
    is '[.functions[].name | select(. == "sqlite3_open")] | length' 1
fi
echo "ok"
