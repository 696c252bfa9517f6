#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` on input it cannot work with: a message that says what to do, exit code 2, or 3 if the
# machine is at fault. Functions that no seed can call are named, and the others are tested.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
write_bin

# refuse CODE TEXT ARGS...
refuse() {
    local code=$1 text=$2
    shift 2
    run "$code" "$BURL" synth --time=30s "$@"
    has err "$text"
    count err 'burl: ' 1
}

# The command.
run 2 "$BURL" synth
has err 'which header?'
refuse 2 'no sources' bin.h
refuse 2 'not "atomicty"; did you mean atomicity?' --for=atomicty bin.h -- bin.c test_bin.c
refuse 2 'a quote is not closed' --seed-args="a 'b" bin.h -- bin.c test_bin.c
refuse 2 'at most 64' --seed-args="$(seq 65 | tr '\n' ' ')" bin.h -- bin.c test_bin.c
refuse 2 'numbers of pairs' --explain=0 bin.h -- bin.c test_bin.c
refuse 2 'nope.burl cannot be read' --model-file=nope.burl bin.h -- bin.c test_bin.c
refuse 2 'cannot read nope.json' --compile-commands=nope.json bin.h -- bin.c test_bin.c
refuse 3 '/proc/nothing' --dir=/proc/nothing bin.h -- bin.c test_bin.c
echo >plain
refuse 2 '--emit-suite=plain is a file' --emit-suite=plain bin.h -- bin.c test_bin.c

# The header.
printf 'struct a;\nstruct a *a_new(;\n' >broken.h
refuse 2 'broken.h:2:' broken.h -- bin.c test_bin.c
refuse 2 'there is no header missing.h' missing.h -- bin.c
printf '#define NOTHING 1\n' >none.h
refuse 2 'declares no function' none.h -- bin.c test_bin.c

# Without a seed objects must come from the model.
printf 'struct op;\nint op_get(struct op *o);\nvoid op_set(struct op *o, int v);\n' >op.h
cat >op.c <<'SRC'
#include "op.h"
struct op { int v; };
int op_get(struct op *o) { return o->v; }
void op_set(struct op *o, int v) { o->v = v; }
SRC
refuse 2 'no seed can be written' op.h -- op.c
cat >cb.h <<'SRC'
struct cb;
struct two { int a, b; };
struct cb *cb_new(struct two (*f)(struct two, ...));
void cb_free(struct cb *c);
int cb_call(struct cb *c, int x);
SRC
cat >cb.c <<'SRC'
#include "cb.h"
#include <stdlib.h>
struct cb { struct two (*f)(struct two, ...); };
struct cb *cb_new(struct two (*f)(struct two, ...)) { struct cb *c = calloc(1, sizeof *c); c->f = f; return c; }
void cb_free(struct cb *c) { free(c); }
int cb_call(struct cb *c, int x) { return c->f((struct two){ x, x }).a; }
SRC
refuse 2 'fixed my_function' cb.h -- cb.c
cat >nul.h <<'SRC'
struct nul;
struct nul *nul_new(void);
int nul_get(struct nul *n);
SRC
printf '#include "nul.h"\nstruct nul *nul_new(void) { return 0; }\nint nul_get(struct nul *n) { return !n; }\n' >nul.c
refuse 2 'no call of the API succeeds sequentially' nul.h -- nul.c

# Sources.
printf 'int x = y;\n' >wrong.c
refuse 2 'wrong.c does not compile' bin.h -- bin.c wrong.c
refuse 2 'missing.c' bin.h -- bin.c missing.c
refuse 2 'cannot find -lnothere' bin.h -- bin.c test_bin.c -lnothere
printf 'int lost(int);\nint main(void) { return lost(3); }\n' >lost.c
refuse 2 'nothing defines lost' bin.h -- bin.c lost.c
printf '#include "bin.c"\nint main(void) { bin_free(bin_new()); return 0; }\n' >whole.c
refuse 2 'whole.c defines both main() and functions of the API' bin.h -- whole.c
cat >early.c <<'SRC'
#include <pthread.h>
#include <stddef.h>
static pthread_t t;
static void *work(void *a) { return a; }
static __attribute__((constructor)) void begin(void) { pthread_create(&t, NULL, work, NULL); }
SRC
cat bin.c early.c >bin_early.c
refuse 2 'starts a thread in a constructor function' bin.h -- bin_early.c test_bin.c

# The machine lacks a tool.
for tool in ld objcopy; do
    rm -rf path
    mkdir path
    for f in /usr/bin/* /bin/*; do
        [ "${f##*/}" = $tool ] || ln -sf "$f" path/
    done
    run 3 env PATH="$PWD/path" "$BURL" synth bin.h -- bin.c test_bin.c
    has err "cannot make a seed of test_bin.c: there is no program $tool in PATH; install the package binutils"
    env PATH="$PWD/path" "$BURL" doctor >out 2>&1
    grep -q "$tool .*burl synth needs it" out || fail "doctor does not miss $tool"
done

# Functions that no seed can call.
cat >half.h <<'SRC'
struct half;
struct half *half_new(void);
void half_free(struct half *h);
int half_up(struct half *h);
int half_crash(struct half *h);
struct two { int a, b; };
int half_each(struct half *h, struct two (*f)(struct two, ...));
SRC
cat >half.c <<'SRC'
#include "half.h"
#include <pthread.h>
#include <stdlib.h>
struct half { pthread_mutex_t lock; int v; };
struct half *half_new(void) { struct half *h = calloc(1, sizeof *h); pthread_mutex_init(&h->lock, NULL); return h; }
void half_free(struct half *h) { free(h); }
int
half_up(struct half *h)
{
    int v;

    pthread_mutex_lock(&h->lock);
    v = h->v;
    pthread_mutex_unlock(&h->lock);
    pthread_mutex_lock(&h->lock);
    h->v = v + 1;
    pthread_mutex_unlock(&h->lock);
    return v + 1;
}
int half_crash(struct half *h) { if (h->v >= 0) abort(); return 1; }
int half_each(struct half *h, struct two (*f)(struct two, ...)) { return f((struct two){ h->v, 0 }).a; }
SRC
run 1 "$BURL" synth half.h -- half.c
has err 'half_crash() is called by no seed: each call that was tried fails or blocks'
has err 'half_each'
has err 'not called by any seed, and so in no test: half_crash(), half_each()'
has out 'half_up: results match no sequential order'
