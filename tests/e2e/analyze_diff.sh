#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# tests/e2e/analyze_diff.sh - two versions side by side: harmless edits differ nowhere, real ones
# exactly where they were made, and everything else keeps its counterpart.
set -eu
analyze=${BURL%/*}/burl-analyze
. "$BURL_TEST_ROOT/tests/support/lib.inc"

mkdir base
cat >base/q.h <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
#define STEP 2
struct node { struct node *next; int value; };
struct queue {
    pthread_mutex_t lock;
    struct node *head;
    int count;
    volatile int stop;
    int items[8];
};
extern atomic_int users;
extern int limit;
static inline int scaled(int x) { return x * STEP; }
int put(struct queue *q, int v);
int take(struct queue *q);
void note(const char *text, int n);
SRC
cat >base/q.c <<'SRC'
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "q.h"
atomic_int users;
int limit = 10;
static int total;
static const int table[3] = { 1, 2, 3 };
static int init(struct queue *q)
{
    memset(q, 0, sizeof *q);
    return pthread_mutex_init(&q->lock, NULL);
}
int put(struct queue *q, int v)
{
    struct node *n = malloc(sizeof *n);
    int full = 0;
    assert(q != NULL);
    n->value = scaled(v);
    pthread_mutex_lock(&q->lock);
    if (q->count < limit) {
        n->next = q->head;
        q->head = n;
        q->count++;
    } else {
        full = 1;
    }
    total += v;
    pthread_mutex_unlock(&q->lock);
    atomic_fetch_add_explicit(&users, 1, memory_order_acq_rel);
    note("put", v);
    return full;
}
int take(struct queue *q)
{
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        int seen[2];
        seen[0] = q->items[i];
        if (seen[0] < 0)
            continue;
        if (q->stop)
            break;
        if (seen[0] > 100)
            return -1;
        sum += seen[0];
    }
    switch (sum) {
    case 0:
        total = 1;
        break;
    case 1:
        total = 2;
        break;
    default:
        total = table[sum % 3];
    }
    return sum;
}
static void *work(void *arg)
{
    put(arg, 1);
    return NULL;
}
int main(void)
{
    pthread_t t;
    struct queue q;
    init(&q);
    pthread_create(&t, NULL, work, &q);
    put(&q, 2);
    pthread_join(t, NULL);
    return take(&q);
}
SRC
cat >base/log.c <<'SRC'
#include <stdio.h>
#include "q.h"
static int lines;
static int init(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return 1;
}
static void show(const char *text, int n)
{
    printf("%s %d\n", text, n);
}
void note(const char *text, int n)
{
    static int ready;
    if (!ready)
        ready = init();
    lines++;
    show(text, n);
}
SRC

# make DIR FLAGS...: builds the sources there to ./v.
make() {
    dir=$1
    shift
    "$BURL" cc "$@" "$dir"/*.c -o v -lpthread || fail "cannot build: $*"
}
# compare: how ./v differs from the base; the block lines apart.
compare() {
    "$analyze" --diff=list.d/list v -o all || fail "burl-analyze --diff"
    grep -v '^  block' all >out || :
}
# edit FILE SED: a copy of the base with one file edited, built.
edit() {
    rm -rf new
    cp -r base new
    sed -i "$2" "new/$1"
    ! cmp -s "base/$1" "new/$1" || fail "edit of $1 does nothing: $2"
    make new -O1
}
equal() { # WHAT: no line but the first
    compare
    [ "$(wc -l <out)" = 1 ] || fail "$1: not equal"
}
# changed WHAT NAME LINES: function NAME and no other differs, and these are its lines.
changed() {
    compare
    grep -v '^same' out >got || :
    { echo "function changed $2"; printf '%s\n' "$3"; } >expected
    sed 's/^\(  [-+~]\) [^ ]* /\1 /; s/  was .*//' got | cmp -s - expected ||
        { cat expected; fail "$1"; }
}

make base -O0 -g
"$analyze" --extract=list.d v || fail "burl-analyze --extract"
[ "$(wc -l <list.d/list)" = 2 ] || fail "the list has not two modules"
equal "the same build"
compare
grep -q '^same 9$' out || fail "not 9 functions"

echo "harmless: builds"
for flags in -O0 -O1 -O2 -O3 -Os -g0 "-O2 -g1" -fwrapv "-O1 -ffast-math" "-O2 -fno-strict-aliasing" \
    "-O2 -fPIC" "-O3 -march=x86-64-v3"; do
    make base $flags
    equal "$flags"
done
mkdir -p far/away
cp base/* far/away
make "$PWD/far/away" -O1
equal "other directory, absolute path"
(cd far/away && "$BURL" cc log.c q.c -o ../../v -lpthread)
equal "other directory, other order of files"

echo "harmless: edits"
edit q.c 's/^int put/\/* comment *\/\n\n\nint put/'
equal "lines moved"
edit q.h '1i/* comment */\n\n'
equal "lines of a header moved"
edit q.c 's/\bsum\b/result/g; s/\bfull\b/is_full/g; s/\bseen\b/entry/g; s/struct node \*n\b/struct node *fresh/; s/\bn->/fresh->/g; s/q->head = n;/q->head = fresh;/; s/sizeof \*n)/sizeof *fresh)/'
equal "locals renamed"
edit q.c 's/assert(q != NULL)/assert((q) != (NULL))/; s/total += v/(total) = (total) + (v)/'
equal "parentheses, x = x + v"
edit q.c 's/total += v;/do { { total += v; } } while (0);/'
equal "nested blocks"
edit q.c '/^static int init/,/^}/{H;d}; /^int main/{x;G}'
equal "function moved within its file"
edit q.c 's/\binit\b/setup/g'
compare
grep -q '^function moved setup was init$' out && [ "$(wc -l <out)" = 2 ] || fail "function renamed"
edit q.c 's/\binit\b/setup/g; s/\bwork\b/run_it/g; s/\btake\b/fetch/g'
sed -i 's/\btake\b/fetch/' new/q.h
make new -O2
compare
[ "$(grep -c '^function moved' out)" = 3 ] && [ "$(wc -l <out)" = 4 ] || fail "functions renamed"
edit q.h 's/struct node \*head;/long spare; struct node *head; char more[3];/; s/struct node { /&long id; /'
equal "fields inserted"
edit q.h 's/    int count;//; s/    pthread_mutex_t lock;/&\n    int count;/'
equal "fields reordered"
rm -rf new && cp -r base new
sed -i 's/\bvalue\b/number/' new/q.[ch]
make new -O1
equal "field renamed"
edit q.c 's/^static void \*work/static int unused(void) { return 1; }\n&/'
equal "unused static function added"
edit q.c 's/if (q->count < limit)/if (__builtin_expect(q->count < limit, 1))/'
compare
grep -q '^function changed put$' out || : # the conversions of __builtin_expect are code
rm -rf new && cp -r base new
sed -n '/^static void show/,/^}/p' base/log.c | sed 's/^static //' >body
sed -i '/^static void show/,/^}/d; s/^static int lines;/&\nvoid show(const char *text, int n);/' new/log.c
{ echo '#include <stdio.h>'; cat body; } >new/show.c
make new -O1
compare
grep -q '^function moved show$' out && [ "$(wc -l <out)" = 2 ] || fail "function moved to another file"

# __LINE__ and __FILE__ as loggers have them, and one that is a number.
log_edit() {
    edit q.c "s/^int put/void where(const char *, int);\\n&/; s|total += v;|&\\n    where($1);|; \$a void where(const char *f, int l) { (void)f, (void)l; }"
}
log_edit '__FILE__, __LINE__'
"$analyze" --extract=logged.d v
mv list.d plain.d && mv logged.d list.d
sed -i 's#logged.d#list.d#' list.d/list
edit q.c '1i/* comment */' && cp new/q.c moved.c
log_edit '__FILE__, __LINE__'
sed -i '1i/* comment */\n' new/q.c
mkdir elsewhere && cp new/* elsewhere && make elsewhere -O1
equal "a logger's lines and files"
log_edit '"new/q.c", 28'
compare
grep -q '^function changed put$' out || fail "a number that was a line"
rm -rf list.d && mv plain.d list.d

echo "real edits"
edit q.c 's/total += v;/&\n    limit++;/'
changed "access added" put "  + load
  + add
  + store"
edit q.c '/pthread_mutex_lock/d'
changed "lock removed" put "  - call pthread_mutex_lock"
edit q.c 's/100/101/'
changed "constant" take "  ~ icmp"
edit q.c 's/pthread_mutex_lock(&q->lock);/if (v < 0) return 2;\n&/'
changed "early return" put "  + icmp
  + br
  ~ phi"
edit q.c 's/n->next = q->head;/MARK/; s/q->head = n;/n->next = q->head;/; s/MARK/q->head = n;/'
compare
grep -q '^function changed put$' out && [ "$(grep -c '^function' out)" = 1 ] &&
    [ "$(grep -c '^  [-+]' out)" -le 4 ] && ! grep -q '^  ~' out || fail "statements swapped"
edit q.c 's/total += v;/for (int i = 0; i < v; i++)\n        &/'
changed "loop added" put "  + icmp
  + br
  + add"
edit q.c 's/total += v;/if (v > 3)\n        &/'
changed "if around a statement" put "  + icmp
  + br"
edit q.c 's/    default:/    case 2: total = 3; break;\n&/'
changed "case added" take "  ~ switch
  + store
  ~ phi"
edit q.c '0,/        break;\n/s/        continue;/        break;/; s/            continue;/            break;/'
compare
grep -q '^function changed take$' out && grep -q '^  ~ .* br ' out || fail "continue to break"
edit q.c '/case 0:/,/case 1:/s/        break;//'
compare
grep -q '^function changed take$' out && grep -q '^  ~ .* br ' out || fail "break removed"
edit q.h 's/volatile //'
changed "volatile removed" take "  ~ load"
edit q.c 's/memory_order_acq_rel/memory_order_relaxed/'
changed "memory order" put "  ~ atomicrmw"
edit q.c 's/&q->lock);/\&q[1].lock);/'
changed "another lock" put "  ~ call pthread_mutex_lock
  ~ call pthread_mutex_unlock"
edit q.c 's/q->items\[i\]/q->items[7 - i]/'
changed "another index" take "  + sub
  ~ load"
edit q.h 's/STEP 2/STEP 3/'
changed "macro of a header" scaled "  ~ mul"
edit q.h 's/return x \* STEP/return x + STEP/'
compare
grep -q '^function changed scaled$' out && [ "$(grep -c '^function' out)" = 1 ] || fail "inline function"
edit q.c 's/n->next = q->head/n->next = 0/'
compare
grep -q '^function changed put$' out && grep -q '^  - .* load' out && grep -q '^  ~ .* store' out ||
    fail "value replaced"
edit q.h 's/int count;/long count;/'
compare
grep -q '^function changed put$' out && grep -q '^  ~ .* load' out || fail "type of a field"
edit q.c 's/limit = 10/limit = 11/'
compare
grep -v '^same' out >got; echo "global changed limit" | cmp -s - got || fail "initializer"
edit q.c 's/{ 1, 2, 3 }/{ 1, 2, 4 }/'
compare
grep -v '^same' out >got; echo "global changed table" | cmp -s - got || fail "initializer of an array"
edit q.c 's/^static int total/static __thread int total/'
compare
grep -q '^global changed total$' out || fail "thread-local"
edit log.c 's/lines++;/lines += 2;/'
changed "one of two files" note "  ~ add"
edit log.c 's/_IOLBF/_IOFBF/'
changed "one of two static functions of a name" init "  ~ call setvbuf"
edit q.c 's/put(&q, 2);/note("x", 1);\n    &/'
changed "call added" main "  + call note"

echo "blocks below a change"
edit q.c 's/total += v;/if (v > 3)\n        &/'
compare
# The then-branch is in the block where the statement was, the rest where it was.
! grep -q '^  block .* = - *$' all || fail "a block of put without history"
edit q.c 's/int sum = 0;/&\n    if (q->count == 77) { note("odd", 1); return 3; }/'
compare
[ "$(grep -c '^  + ' out)" = 4 ] && [ "$(grep -c '^  ~ ' out)" = 1 ] && ! grep -q '^  - ' out ||
    fail "early return in take"
grep -q '^  block [0-9]* = - above 0$' all || fail "the new block is below the entry"

echo "C++"
rm -rf new
mkdir cxx new
cat >cxx/a.cpp <<'SRC'
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
template <class T> class Bag {
  public:
    void add(const T &x)
    {
        std::lock_guard<std::mutex> g(m);
        all.push_back(x);
        n++;
    }
    int size() const { return n; }
    virtual ~Bag() {}

  private:
    std::mutex m;
    std::vector<T> all;
    int n = 0;
};
class Named : public Bag<std::string> {
  public:
    explicit Named(const char *s) : name(s) {}
    std::string name;
    int twice() const { return size() * 2; }
};
static std::map<std::string, int> seen;
int main()
{
    Bag<int> b;
    Named x("x");
    std::thread t([&] { b.add(1); x.add("y"); });
    b.add(2);
    t.join();
    seen["a"] = b.size();
    try {
        if (seen.size() > 3)
            throw std::string("many");
    } catch (const std::string &) {
        return 2;
    }
    return x.twice();
}
SRC
cxx() { "$BURL" c++ "$@" -o v -lpthread || fail "cannot build C++"; }
cxx -O1 cxx/a.cpp
rm -rf list.d
"$analyze" --extract=list.d v
equal "C++, the same build"
for level in -O0 -O2 -Os; do
    cxx $level -g cxx/a.cpp
    equal "C++, $level"
done
sed 's/size() \* 2/size() * 3/' cxx/a.cpp >new/a.cpp
cxx -O1 new/a.cpp
changed "method" _ZNK5Named5twiceEv "  ~ mul"
sed '/lock_guard/d' cxx/a.cpp >new/a.cpp
cxx -O1 new/a.cpp
compare
grep -q '^function changed _ZN3BagIiE3addERKi$' out &&
    [ "$(grep -c '^function changed' out)" = 2 ] || fail "template"
sed 's/std::mutex m;/int fresh = 0; &/' cxx/a.cpp >new/a.cpp
cxx -O1 new/a.cpp
compare
[ "$(grep -c '^function changed' out)" = 2 ] && grep -q '^function changed _ZN3BagI.*C2Ev' out ||
    fail "field of a template: only constructors"

echo "random edits of random programs"
# Lines with E may be edited; every constant is another one, so that no two statements are equal.
cat >gen.awk <<'AWK'
function pick(n) { return int(rand() * n) }
function simple() {
    c++
    k = pick(4)
    if (k == 0) printf "/*E*/ g[%d] += %d;\n", pick(5), c
    else if (k == 1) printf "/*E*/ s.f%d = x + %d;\n", pick(3), c
    else if (k == 2) printf "/*E*/ pthread_mutex_lock(&m); g[%d] = s.f%d + %d; pthread_mutex_unlock(&m);\n", pick(5), pick(3), c
    else printf "x = x * %d + g[%d];\n", c, pick(5)
}
function list(n, depth, i) { for (i = 0; i < n; i++) statement(depth) }
function statement(depth, k, id) {
    k = depth > 0 ? pick(8) : 7
    id = ++c
    if (k == 0) { printf "if (x > %d) {\n", id; list(2, depth - 1); print "} else {"; list(1, depth - 1); print "}" }
    else if (k == 1) { printf "for (int i%d = 0; i%d < %d; i%d++) {\n", id, id, id, id; list(2, depth - 1); print "}" }
    else if (k == 2) { printf "switch (x & %d) {\ncase 0:\n", id; list(1, depth - 1); print "break;\ncase 1:"; list(1, depth - 1); print "default:"; list(1, 0); print "}" }
    else if (k == 3) { printf "if (g[%d] == %d) return x;\n", pick(5), id }
    else if (k == 4) { printf "while (g[%d] > %d) {\n", pick(5), id; list(1, depth - 1); printf "if (s.f%d) { if (x) continue; break; }\n", pick(3); list(1, 0); print "}" }
    else if (k == 5 && fn > 0) { printf "x += fn%d(x + %d);\n", pick(fn), id }
    else if (k == 6) { printf "{ int a%d[2] = { x, %d }; use(a%d); x += a%d[1]; }\n", id, id, id, id; simple() }
    else simple()
}
BEGIN {
    srand(seed)
    c = 10
    print "#include <pthread.h>\nint g[5], extra; struct { int f0, f1, f2; } s; pthread_mutex_t m;"
    print "void use(int *p);"
    for (fn = 0; fn < 8; fn++) {
        printf "%sint fn%d(int x)\n{\n", fn % 2 ? "static " : "", fn
        list(4, 3)
        print "return x;\n}"
    }
    print "void use(int *p) { p[0]++; }\nint main(void) { return fn0(1) + fn1(2) + fn3(3) + fn5(4) + fn7(5); }"
}
AWK
cat >change.awk <<'AWK'
BEGIN { srand(seed) }
{ text[NR] = $0; if (/^\/\*E\*\//) at[++n] = NR }
END {
    line = at[1 + int(rand() * n)]
    k = int(rand() * 4)
    t = text[line]
    if (k == 0) t = "extra += 3; " t
    else if (k == 1) t = "if (extra > 5) { " t " }"
    else if (k == 2 || t ~ /lock/) t = "x = x;"
    else sub(/[0-9]+;$/, "1000&", t)
    text[line] = t
    print line >"line"
    for (i = 1; i <= NR; i++) print text[i]
}
AWK
for seed in $(seq ${SEEDS:-8}); do
    rm -rf r list.d && mkdir r
    awk -v seed=$seed -f gen.awk >r/r.c </dev/null
    "$BURL" cc -w -O0 r/r.c -o v -lpthread || fail "cannot build random program $seed"
    "$analyze" --extract=list.d v
    cp r/r.c r.c
    for change in 1 2 3 4; do
        awk -v seed=$seed$change -f change.awk r.c >r/r.c
        "$BURL" cc -w -O$((change % 3)) r/r.c -o v -lpthread || fail "cannot build edit $seed $change"
        compare
        line=$(cat line)
        grep '^  [-+~]' out | grep -v ' phi ' >lines || fail "random $seed, edit $change: not seen"
        if [ "$(grep -c '^function' out)" != 1 ] || grep -v ":$line " lines; then
            diff r.c r/r.c || :
            fail "random $seed, edit $change of line $line"
        fi
    done
done

echo "bad lists"
echo "x" >bad
! "$analyze" --diff=bad v >out 2>err || fail "a bad list is accepted"
grep -q 'bad:1: ' err || fail "the message has no place"
! "$analyze" --diff=missing v >out 2>err || fail "a missing list is accepted"
: >bad
! "$analyze" --diff=bad v >out 2>err || fail "an empty list is accepted"
printf '%s\t0123456789abcdef\tx\ta.c\n' "$PWD/cxx/a.cpp" >bad
! "$analyze" --diff=bad v >out 2>err || fail "a list of no bitcode is accepted"
