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
