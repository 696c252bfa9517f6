#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The points-to analysis, question by question: each line of the programs below that ends in
# a tag is asked for, and must point to exactly what stands in the table.
set -u

analyze=${BURL%/*}/burl-analyze
failed=0

# expect TAG KIND WHAT: the accesses (or calls) of that kind on the tagged line, as one sorted list.
# A line of the dump is "function:line kind -> a, b,".
expect() {
    line=$(grep -n "/\*$1\*/" "$src" | cut -d: -f1)
    got=$(grep ":$line $2 ->" "$dump" | sed 's/.*-> *//; s/, */\n/g' | grep . | sort -u | tr '\n' ' ')
    want=$(printf '%s\n' "$3" | sed 's/, */\n/g' | grep . | sort -u | tr '\n' ' ')
    if [ "$got" != "$want" ]; then
        echo "FAILED: $src, $1, $2: points to \"$got\", not to \"$want\""
        failed=1
    fi
}

solve() {
    "$analyze" --dump-pts "$1" >"$dump" 2>err || { echo "FAILED: --dump-pts $1"; cat err; exit 1; }
    "$analyze" --dump-pts "$1" >again.dump 2>err
    cmp -s "$dump" again.dump || { echo "FAILED: $1: two runs differ"; failed=1; }
}

src=one.c
dump=one.dump
cat >one.c <<'SRC'
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair { int *a; int *b; };
struct list { struct list *next; int value; };
union either { int *p; long n; };
struct item { int key; int *data; };
struct hook { struct hook *next; };
struct holder { int x; struct hook hook; };
struct ops { int (*get)(int *); int (*other)(int *); };

int ga, gb, gc, gd, ge, gf, gg, gh, gi;
struct pair table[4];
struct holder holder;
struct list *head;
int (*handlers[2])(int *);
static char text[] = "abc";

static int first(int *p) { return *p; } /*first*/
static int second(int *p) { return *p; } /*second*/
static int third(int *p) { return *p; } /*third*/
static const struct ops ops = { third, second };
static int
compare(const void *x, const void *y)
{
    const struct item *a = x, *b = y;
    int n = *a->data; /*cmp-data*/
    return n - b->key;
}
static void *
xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
static struct list *
make(int v)
{
    struct list *l = xmalloc(sizeof *l);
    l->value = v; /*make*/
    return l;
}
static int
last_of(int n, ...)
{
    va_list ap;
    int *p = NULL;
    va_start(ap, n);
    while (n-- > 0)
        p = va_arg(ap, int *);
    va_end(ap);
    return *p; /*vararg*/
}
static void each(void (*fn)(void *, int), void *arg)
{
    fn(arg, 1); /*each*/
}
static void add(void *arg, int n)
{
    *(int *)arg = n; /*add*/
}
static void fill(int **out) { *out = &gg; }
static int by_value(struct pair p) { return *p.b; } /*byval*/
static void *one(void *arg)
{
    *(int *)arg = 1; /*one*/
    return &gh;
}

int
main(int argc, char **argv)
{
    struct pair p = { &ga, &gb }, q;
    union either u;
    struct item items[8];
    struct holder *back;
    struct hook *hook = &holder.hook;
    pthread_t t1;
    void *result;
    int *out;

    (void)argv;
    *p.a = 1; /*pair-a*/
    memcpy(&q, &p, sizeof q);
    *q.b = 2; /*copied-b*/
    u.p = &gc;
    *(int *)(intptr_t)u.n = 3; /*union*/
    *(int *)((uintptr_t)&gi | 1u) = 3; /*tagged*/
    for (int i = 0; i < 8; i++)
        items[i].data = &gd;
    qsort(items, 8, sizeof *items, compare); /*sort*/
    for (int i = 0; i < 4; i++)
        table[i].a = &ge; /*table-slot*/
    table[1].b = &gf;
    *table[2].a = 4; /*table*/
    *table[3].b = 4; /*table-b*/
    struct list *l1 = make(1);
    struct list *l2 = make(2); /*l2*/
    l1->next = head;
    head = l1;
    for (struct list *l = head; l; l = l->next)
        l->value = 3; /*walk*/
    l2->value = 5; /*alone*/
    int *grown = malloc(8);
    grown = realloc(grown, 64);
    grown[1] = 1; /*realloc*/
    handlers[0] = first;
    handlers[1] = second;
    handlers[argc & 1](&gf); /*dispatch*/
    ops.get(&ga); /*constant-slot*/
    each(add, &gb);
    back = (struct holder *)((char *)hook - 8);
    back->x = 7; /*container*/
    fill(&out);
    *out = 8; /*filled*/
    pthread_create(&t1, NULL, one, &gc); /*spawn*/
    pthread_join(t1, &result);
    *(int *)result = 9; /*joined*/
    *strchr(text, 'b') = 'x'; /*strchr*/
    return last_of(2, &gc, &gd) + by_value(q);
}
SRC
"$BURL" cc -g -O0 one.c -o one -lpthread || exit 1
solve one
expect pair-a store ga
expect copied-b store gb
expect union store gc
expect tagged store gi
expect cmp-data load "gd, stack main.+8*"
expect sort call "qsort, compare"
expect table-slot store "table+0*"
expect table store ge
expect table-b store gf
expect make store "heap main:$(grep -n 'l1 = make' one.c | cut -d: -f1)+8, heap main:$(grep -n 'l2 = make' one.c | cut -d: -f1)+8"
expect walk store "heap main:$(grep -n 'l1 = make' one.c | cut -d: -f1)+8"
expect alone store "heap main:$(grep -n 'l2 = make' one.c | cut -d: -f1)+8"
expect dispatch call "first, second"
expect first load gf
expect second load gf
expect constant-slot call third
expect third load ga
expect each call add
expect add store gb
expect filled store gg
expect spawn spawn one
expect one store gc
expect joined store gh
expect vararg load "gc, gd"
expect byval load gb
expect strchr store "text+0*"
expect container store holder
line=$(grep -n "/\*realloc\*/" one.c | cut -d: -f1)
[ "$(grep ":$line store" one.dump | grep -o heap | wc -l)" -eq 2 ] ||
    { echo "FAILED: realloc gives neither old nor new"; failed=1; }

# A shared object and an executable: names mean what the loader makes of them, a callback crosses.
src=lib.c
dump=two.dump
cat >lib.c <<'SRC'
#include <stdlib.h>
struct box { int *value; };
int lib_shared;
static int hidden_one;
__attribute__((weak)) int *which(void) { return &hidden_one; }
void lib_each(struct box *b, void (*fn)(struct box *)) { fn(b); } /*cross*/
void lib_put(struct box *b) { b->value = which(); }
int lib_get(struct box *b) { return *b->value; } /*get*/
SRC
cat >two.c <<'SRC'
struct box { int *value; };
extern int lib_shared;
int mine;
int *which(void) { return &mine; }
void lib_each(struct box *, void (*)(struct box *));
void lib_put(struct box *);
int lib_get(struct box *);
static void visit(struct box *b) { *b->value = 1; }
int main(void)
{
    struct box b;
    lib_put(&b);
    lib_each(&b, visit);
    lib_shared = 2;
    return lib_get(&b);
}
SRC
"$BURL" cc -g -O0 -fPIC -shared lib.c -o libtwo.so &&
    "$BURL" cc -g -O0 two.c -L. -ltwo -Wl,-rpath,'$ORIGIN' -o two || exit 1
solve two
expect cross call visit
expect get load "mine, stack main."
grep -q "^main:[0-9]* store -> lib_shared,$" two.dump || { echo "FAILED: variable of a library"; failed=1; }

# C++: virtual calls, std::thread, lambdas, exceptions, containers of the library.
src=three.cpp
dump=three.dump
cat >three.cpp <<'SRC'
#include <list>
#include <map>
#include <memory>
#include <thread>
#include <vector>
int ga, gb, gc, gd, ge;
struct Shape { virtual ~Shape() {} virtual int area() = 0; };
struct Square : Shape { int area() override { return ga; } };
struct Disk : Shape { int area() override { return gb; } };
static int call(Shape *s) { return s->area(); } /*virtual*/
static void worker(int *p) { *p = 1; } /*worker*/
struct Boom { int *p; };
static void thrower() { throw Boom{&gc}; }
int main()
{
    std::unique_ptr<Shape> a(new Square), b(new Disk);
    int n = call(a.get()) + call(b.get());
    std::thread t1(worker, &gd);
    std::thread t2([&] { gb = n; });
    t1.join();
    t2.join();
    try { thrower(); } catch (Boom &e) {
        *e.p = 5; /*caught*/
    }
    std::map<int, int *> m;
    m[1] = &gd;
    for (auto &kv : m) {
        int *p = kv.second;
        *p = 6; /*map*/
    }
    std::list<int *> l;
    l.push_back(&ge);
    for (int *p : l) {
        *p = 7; /*list*/
    }
    std::vector<int *> v;
    v.push_back(&gb);
    for (int *p : v) {
        *p = 8; /*vector*/
    }
    return 0;
}
SRC
"$BURL" c++ -g -O0 -std=c++17 three.cpp -o three -lpthread || exit 1
solve three
expect virtual call "_ZN6Square4areaEv, _ZN4Disk4areaEv"
expect worker store gd
expect caught store gc
expect map store gd
expect list store ge
expect vector store gb
[ "$(grep spawn three.dump | grep -o _M_runEv | sort -u | wc -l)" -eq 1 ] ||
    { echo "FAILED: std::thread starts nothing"; failed=1; }

exit $failed
