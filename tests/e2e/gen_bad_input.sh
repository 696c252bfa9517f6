#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on input it cannot work with: each says what is missing and how to state it, ends with
# exit code 2, and is one JSON document with --json.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"

# refuse WORDS ARGS...: exit code 2, the words on stderr or in the summary, and in the JSON.
refuse() {
    local words=$1
    shift
    run 2 "$BURL" gen --time=20s "$@"
    cat out err >both
    grep -q -- "$words" both || fail "\"$words\" is not in the message of: $*"
    run 2 "$BURL" gen --json --time=20s "$@"
    jq -e '.exit_code == 2' out >/dev/null || fail "no JSON document: $*"
    jq -r '.error // .stats.why' out >both
    [ -s both ] && ! grep -qx null both || fail "the JSON does not say why: $*"
}

# api NAME "HEAD OF THE CONSTRUCTOR" "ITS BODY"
api() {
    printf 'struct %s;\n%s;\nvoid %s_free(struct %s *x);\nint %s_add(struct %s *x, int v);\n' \
        "$1" "$2" "$1" "$1" "$1" "$1" >"$1.h"
    printf '#include "%s.h"\n#include <stdlib.h>\n#include <stdio.h>\n' "$1" >"$1.c"
    printf 'struct %s { int v; };\n%s { %s }\n' "$1" "$2" "$3" >>"$1.c"
    printf 'void %s_free(struct %s *x) { free(x); }\n' "$1" "$1" >>"$1.c"
    printf 'int %s_add(struct %s *x, int v) { return x->v + v; }\n' "$1" "$1" >>"$1.c"
}
api ok 'struct ok *ok_new(void)' 'return calloc(1, sizeof(struct ok));'

# The header.
printf 'struct a;\nstruct a *a_new(;\n' >broken.h
refuse 'broken.h.*:2:' broken.h -- ok.c
refuse 'there is no header missing.h' missing.h -- ok.c
printf 'int twice(int x);\n' >none.h
refuse 'takes a pointer to a struct of its own' none.h -- ok.c
printf 'int q_open(void);\nint q_put(int q, int v);\n' >number.h
refuse 'q_open() seems to give a handle that is a number' number.h -- ok.c

# The constructor.
api nul 'struct nul *nul_new(void)' 'return NULL;'
refuse 'nul_new(): it did not make an object' nul.h -- nul.c
api neg 'int neg_create(struct neg **out)' '(void)out; return -1;'
refuse 'neg_create(.*): it did not make an object' neg.h -- neg.c
api fil 'struct fil *fil_open(const char *path)' \
    'FILE *f = fopen(path, "r"); int c = f ? getc(f) : EOF; if (f) fclose(f);
     return c == EOF ? NULL : calloc(1, sizeof(struct fil));'
refuse 'fil_open(.*): it did not make an object' fil.h -- fil.c
run 2 "$BURL" gen fil.h -- fil.c
grep -q '^make fil_open: returns object struct fil$' out || fail "no lines for the model file"
grep -q '^    path: string$' out || fail "no line for the parameter"
echo hello >real.txt
printf 'make fil_open\n    path: fixed "real.txt"\n' >fil.burl
run 0 "$BURL" gen --json --tests=20 fil.h -- fil.c
[ "$(jq .stats.tests out)" -ge 20 ] || fail "the line of the model file did not help"

# A callback that cannot be made.
cat >cb.h <<'SRC'
struct cb;
struct two { int a, b; };
struct cb *cb_new(struct two (*f)(struct two, ...));
void cb_free(struct cb *c);
int cb_call(struct cb *c, int x);
SRC
refuse 'fixed my_function' cb.h -- ok.c

# A function that never succeeds is named.
cat >half.h <<'SRC'
struct half;
struct half *half_new(void);
void half_free(struct half *h);
int half_get(struct half *h);
int half_crash(struct half *h);
SRC
cat >half.c <<'SRC'
#include "half.h"
#include <stdlib.h>
struct half { int v; };
struct half *half_new(void) { return calloc(1, sizeof(struct half)); }
void half_free(struct half *h) { free(h); }
int half_get(struct half *h) { return h->v; }
int half_crash(struct half *h) { if (h->v == 0) abort(); return 1; }
SRC
run 0 "$BURL" gen --tests=20 half.h -- half.c
grep -q 'no calls   of half_crash(): each fails sequentially; .*crash.abort' out ||
    fail "a function is left out in silence"

# Sources and libraries.
refuse 'no sources' ok.h
refuse 'missing.c' ok.h -- missing.c
refuse 'cannot find -lnothere' ok.h -- ok.c -lnothere
printf 'double pow(double, double);\nint lost(int);\nint use(int x) { return lost((int)pow(x, x)); }\n' >use.c
refuse 'nothing defines .*lost.*-l' ok.h -- ok.c use.c
printf 'int main(void) { return 0; }\n' >main.c
refuse 'without a main' ok.h -- ok.c main.c
cc -c ok.c -o ok.o
refuse 'give the sources of the API' ok.h -- ok.o

# The model file.
refuse 'nope.burl cannot be read' --model-file=nope.burl ok.h -- ok.c
printf 'model 1\n\nmethod ok_ad\n' >bad.burl
refuse 'bad.burl:3: .*did you mean ok_add' --model-file=bad.burl ok.h -- ok.c

# Places to write to.
echo >plain
refuse '--emit-suite=plain is a file' --emit-suite=plain ok.h -- ok.c
refuse '--html=plain is a file' --html=plain ok.h -- ok.c
run 3 "$BURL" gen --json --dir=/proc/nothing ok.h -- ok.c
jq -e '.exit_code == 3 and .stats.stop == "failed"' out >/dev/null || fail "no JSON document"
