#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A store that came with a checkout: no link in it is followed, no other program is run, nothing blocks;
# printed commands can be pasted, and nothing that is printed acts on the terminal.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >race.c <<'X'
#include <pthread.h>
static int x;
static void *w(void *a) { x++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
X
build race
t() { timeout 20 "$BURL" "$@"; }

# ---- links: the victim stays as it is, for every file and directory that burl writes in a store
for name in lock burl.db burl.db-journal burl.db-wal burl.db-shm findings corpus findings/1; do
    rm -rf s victim
    mkdir -p s victim.d
    case $name in */*) mkdir -p "s/${name%/*}" ;; esac
    echo precious >victim
    echo precious >victim.d/file
    case $name in findings* | corpus) to=victim.d ;; *) to=victim ;; esac
    ln -s "$PWD/$to" "s/$name"
    want 2 "is a symbolic link" t test --runs=300 --seed=1 --dir=s -- ./race
    [ "$(cat victim)" = precious ] || fail "$name: the file behind the link was changed"
    [ "$(ls victim.d)" = file ] || fail "$name: files were written behind the link"
done
rm -rf s
run 1 t test --runs=300 --seed=1 --dir=s -- ./race
ln -s s linked # the user's own choice
run 1 t replay --dir=linked 1

# ---- links that are read: the same, in every file and directory of a finding
echo '{"secret": 1}' >secret
for name in schedule.txt finding.json report.txt; do
    rm -rf l
    cp -r s l
    rm l/findings/1/$name
    ln -s "$PWD/secret" l/findings/1/$name
    case $name in
    schedule.txt) c="replay --dir=l 1" ;;
    finding.json) c="show --json --dir=l 1" ;;
    *)
        rm l/findings/1/finding.json # else the report is made of it
        c="show --dir=l/ 1"
        ;;
    esac
    want 2 "$name is a symbolic link" t $c
    hasnt out secret\"
done
for name in findings findings/1; do
    rm -rf l outside
    cp -r s l
    mv l/$name outside
    ln -s "$PWD/outside" l/$name
    want 2 "$name is a symbolic link" t replay --dir=l 1
    want 2 "$name is a symbolic link" t show --dir=l 1
done
# A hard link: what is written in place would change the other file.
for name in lock burl.db; do
    rm -rf l
    cp -r s l
    rm -f l/$name victim
    cp s/burl.db victim
    ln victim l/$name
    cp victim before
    want 2 "hard link" t test --runs=2 --dir=l -- ./race
    cmp -s victim before || fail "$name: the file behind the hard link was changed"
done
# Directories in which compilers and the analysis write.
printf 'struct q; struct q *q_new(void); void q_free(struct q *q); int q_add(struct q *q);\n' >q.h
printf '#include <stdlib.h>\n#include "q.h"\nstruct q { int n; };\nstruct q *q_new(void) { return calloc(1, 4); }\n' >q.c
printf 'void q_free(struct q *q) { free(q); }\nint q_add(struct q *q) { return q->n++; }\n' >>q.c
mkdir -p g/gen
echo precious >victim
ln -s "$PWD/victim" g/gen/source0.o
want 2 "is a symbolic link" t gen --time=1s --dir=g q.h -- q.c
[ "$(cat victim)" = precious ] || fail "gen: the file behind the link was changed"
rm -rf c victim.d
mkdir c victim.d
ln -s "$PWD/victim.d" c/targets
timeout 60 "$BURL" cover --runs=4 --dir=c -- ./race >out 2>&1
[ -z "$(ls victim.d)" ] || fail "cover: files were written behind the link"

# ---- a database of unknown origin
sql() { sqlite3 d/burl.db "$1" || fail "sqlite3: $1"; }
fresh() { rm -rf d; cp -r s d; }
run 0 t cover --runs=20 --dir=s --seed=1 -- ./race
mkdir -p away/inside
fresh
sql "UPDATE cover_schedules SET file = '../away'"
[ "$(sqlite3 d/burl.db 'SELECT count(*) FROM cover_schedules')" -gt 0 ] || fail "no schedule of coverage"
want 3 "outside of the store" t cover --runs=4 --forget --dir=d -- ./race
[ -d away/inside ] || fail "cover --forget removed a directory outside of the store"
fresh
echo precious >away/corpus
sql "UPDATE corpus SET file = '$PWD/away/corpus'"
want 3 "outside of the store" t test --runs=20 --dir=d -- ./race
[ -e away/corpus ] || fail "a file outside of the store was removed"
for planted in "CREATE TRIGGER t AFTER INSERT ON campaigns BEGIN DELETE FROM findings; END" \
    "CREATE VIEW v AS SELECT * FROM findings"; do
    fresh
    sql "$planted"
    want 3 "triggers, views or virtual tables" t test --runs=20 --dir=d -- ./race
    want 3 "triggers, views or virtual tables" t findings --dir=d
    [ "$(sqlite3 d/burl.db 'SELECT count(*) FROM findings')" -gt 0 ] || fail "the trigger ran"
done

# ---- very large and deeply nested
fresh
truncate -s 10G d/findings/1/schedule.txt
want 3 "schedule.txt" t replay --dir=d 1
head -c 200000 /dev/zero | tr '\0' '[' >deep.json
fresh
cp deep.json d/findings/1/finding.json
t show --json --dir=d 1 >out 2>&1
[ $? -lt 128 ] || fail "burl show of a deeply nested document"

# ---- another program in the schedule
cp -r s other
sed -i 's|\./race|./evil|; s|^checksum .*|checksum none|' other/findings/1/schedule.txt
printf '#!/bin/sh\necho ran >evil.ran\n' >evil
chmod +x evil
want 2 "names the program ./evil" t replay --dir=other 1
has out "burl replay 1 ./race"
[ ! -e evil.ran ] || fail "the program of the schedule was run"
run 1 t replay --dir=other 1 ./race

# ---- what is no regular file neither blocks nor is read for ever
mkfifo fifo
for bad in fifo /dev/zero .; do
    rm -rf f
    cp -r s f
    rm f/findings/1/schedule.txt
    ln -s "$(realpath $bad)" f/findings/1/schedule.txt
    t replay --dir=f 1 >out 2>&1
    [ $? -eq 2 ] || fail "schedule.txt is $bad"
    rm f/findings/1/schedule.txt
    mkfifo f/findings/1/schedule.txt
    want 2 "not a regular file" t replay --dir=f 1
    want 2 "not a regular file" t run --noise=$bad --dir=x -- ./race
    want 2 "not a regular file" t test --suppressions=$bad --dir=x --runs=2 -- ./race
    want 2 "not a regular file" t replay --schedule=$bad
done

# ---- commands that can be pasted
dir='a $(touch pasted) b'
run 1 t test --runs=300 --seed=1 --dir="$dir" -- ./race
command=$(sed -n 's/.*replay it: burl/burl/p' out | head -n 1)
(burl() { "$BURL" "$@"; }; eval "$command" >pasted.out 2>&1)
has pasted.out "reproduced"
[ ! -e pasted ] || fail "the printed command ran a part of the name of the directory"

# ---- control and bidi characters
esc=$(printf 'r\033[2Jx\342\200\256y\377')
cp race.c "$esc.c"
"$BURL" cc -g -O1 "$esc.c" -o "$esc" -lpthread || fail "cannot build a program with a strange name"
for c in "test --runs=300 --seed=1 --dir=e" "run --dir=e2" "replay --dir=e 1" "findings --dir=e" "show --dir=e 1"; do
    case $c in replay* | findings* | show*) t $c >out 2>&1 ;; *) t $c -- "./$esc" >out 2>&1 ;; esac
    has out race.data
    LC_ALL=C grep -q "$(printf '\033\\[2J\\|\342\200\256')" out && fail "burl $c prints control characters"
    iconv -f UTF-8 -t UTF-8 out >/dev/null 2>&1 || fail "burl $c: not UTF-8"
done
t test --runs=1 "./no$esc" >out 2>&1
LC_ALL=C grep -q "$(printf '\033\\[2J\\|\342\200\256')" out && fail "an error message prints control characters"

# ---- a program with the rights of another user
if [ "$(id -u)" = 0 ]; then
    cp race setuid && chown 65534 setuid && chmod 4755 setuid
    BURL_CTL_FD=77 ./setuid || fail "a setuid program obeys BURL_CTL_FD"
    BURL_HISTORY=$PWD/hist ./setuid || fail "a setuid program with BURL_HISTORY"
    [ ! -e hist ] || fail "a setuid program obeys BURL_HISTORY"
fi
exit 0
