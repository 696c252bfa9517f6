#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Seeds of `burl synth` as people have them: cmocka tests, several programs with the same names, helpers
# in a source of their own, calls through pointers, a call left by longjmp(), C++, arguments and files.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
write_bin
synth() { run 1 "$BURL" synth --time=60s "$@" && has out bin_add_all; }
head='#include "bin.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
'
calls='bin_add(b, 1); bin_add(b, 2); bin_add_all(a, b); bin_clear(b); bin_free(a); bin_free(b);'
seed() { printf '%s%s\n' "$head" "$2" >"$1"; }

seed cmocka.c '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
static int make(void **s) { *s = bin_new(); return 0; }
static int end(void **s) { bin_free(*s); return 0; }
static void adds(void **s) { bin_add(*s, 3); assert_int_equal(bin_size(*s), 1); }
static void adds_all(void **s) { struct bin *a = *s, *b = bin_new();
    bin_add(b, 1); bin_add(b, 2); assert_int_equal(bin_add_all(a, b), 0); bin_clear(b); bin_free(b); }
int main(void) { const struct CMUnitTest t[] = { cmocka_unit_test_setup_teardown(adds, make, end),
        cmocka_unit_test_setup_teardown(adds_all, make, end) };
    return cmocka_run_group_tests(t, NULL, NULL); }'
synth bin.h -- bin.c -DBUG cmocka.c -lcmocka
for i in 1 2; do
    seed "same_$i.c" "int shared_name = $i; static int st = $i;
int helper(void) { return shared_name + st; }
int main(void) { struct bin *a = bin_new(), *b = bin_new(); $calls return helper() != 2 * $i; }"
done
synth bin.h -- bin.c -DBUG same_1.c same_2.c
has out 'seeds      2; '
seed main.c 'struct bin *make(int); int check(struct bin *, struct bin *);
int main(void) { return check(make(0), make(3)); }'
seed help.c "static int calls;
struct bin *make(int n) { struct bin *b = bin_new(); calls++; while (n-- > 0) bin_add(b, n); return b; }
int check(struct bin *a, struct bin *b) { $calls return calls != 2; }"
synth bin.h -- bin.c -DBUG main.c help.c
seed pointers.c 'static void (*const clear)(struct bin *) = bin_clear;
int main(void) { int (*all)(struct bin *, struct bin *) = bin_add_all; struct bin *a = bin_new(), *b = bin_new();
    bin_add(b, 1); bin_add(b, 2); all(a, b); clear(b); bin_free(a); bin_free(b); return 0; }'
synth bin.h -- bin.c -DBUG pointers.c
seed words.c "int main(int argc, char **argv) { struct bin *a = bin_new(), *b = bin_new(); FILE *f = fopen(argv[1], \"r\");
    if (argc != 3 || f == NULL || strcmp(argv[2], \"b c\") != 0) return 3; fclose(f); $calls return 0; }"
mkdir data && echo >data/file
synth --seed-args="data/file 'b c'" bin.h -- bin.c -DBUG words.c
run 2 "$BURL" synth bin.h -- bin.c -DBUG words.c
printf 'extern "C" {\n#include "bin.h"\n}\n#include <string>\nint main() { std::string s("x"); bin *a = bin_new(), *b = bin_new(); %s return s.size() != 1; }\n' \
    "$calls" >plus.cpp
synth bin.h -- bin.c -DBUG plus.cpp

# A call that its callback leaves by longjmp() does not hide the calls after it.
cat >each.h <<'SRC'
struct bin;
void bin_each(struct bin *b, void (*f)(int));
SRC
printf '#include "each.h"\n#include "bin.c"\nvoid bin_each(struct bin *b, void (*f)(int)) { f(bin_size(b)); }\n' >each.c
sed -i 's/^#endif$/#include "each.h"\n#endif/' bin.h
seed jumps.c "static jmp_buf env; static void out(int n) { (void)n; longjmp(env, 1); }
int main(void) { struct bin *a = bin_new(), *b = bin_new(); if (setjmp(env) == 0) bin_each(a, out); $calls return 0; }"
synth bin.h -- each.c -DBUG jumps.c
