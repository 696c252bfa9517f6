#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/test_beside.sh - correct programs that use one file or one socket fail when two processes of them run at
# the same time, as they do with --jobs=2: that is no finding. What fails in a process of its own still is.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >file.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FILE *f;
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        fprintf(f, "%s\n", (const char *)arg);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    char line[16];
    int n = 0;
    if (!(f = fopen("log.txt", "w")))
        return 2;
    pthread_create(&t[0], NULL, work, "a");
    pthread_create(&t[1], NULL, work, "b");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    fclose(f);
    if ((f = fopen("log.txt", "r"))) {
        while (fgets(line, sizeof line, f))
            n++;
        fclose(f);
    }
    unlink("log.txt");
    return n != 6;
}
C
# A socket of one name for all processes, as a server with a fixed port has. It is gone with its last descriptor.
cat >name.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_un a = { .sun_family = AF_UNIX };
static int fd, served;
static void *client(void *arg)
{
    char c = 'x';
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&a, sizeof a) || write(s, &c, 1) != 1 || read(s, &c, 1) != 1)
        exit(3);
    close(s);
    return arg;
}
static void *serve(void *arg)
{
    char c;
    int s = accept(fd, NULL, NULL);
    if (read(s, &c, 1) == 1) {
        pthread_mutex_lock(&m);
        served++;
        pthread_mutex_unlock(&m);
        if (write(s, &c, 1) != 1)
            exit(4);
    }
    close(s);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    (void)argc;
    snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "burl-test-%s", argv[1]);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 8))
        return 2;
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? serve : client, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    close(fd);
    return served != 2;
}
C
# Fails in every third execution, once several processes are at work: nothing of it can be replayed.
cat >third.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    int count = 0;
    FILE *f = fopen("count.txt", "r+");
    if (!f || fscanf(f, "%d", &count) != 1)
        return 0;
    rewind(f);
    fprintf(f, "%d\n", count + 1);
    fclose(f);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return count > 300 && count % 3 == 2;
}
C
build file
build name
build third

# beside PROGRAM ARGUMENT...: no finding. Exit code 4 is for failures at the end, when too few executions follow.
beside() {
    "$BURL" test --jobs=2 --runs=4000 --json --dir="store-$1" "./$@" >out.json 2>err
    code=$?
    [ $code -eq 0 ] || [ $code -eq 4 ] || fail "$1: exit code $code: $(cat out.json err)"
    holds '.findings == [] and (.unstable // []) == []' "$1: a finding"
    "$BURL" test --jobs=1 --runs=300 --json --dir="alone-$1" "./$@" >out.json 2>err || fail "$1 alone: $(cat out.json err)"
    holds '.findings == [] and .failed_beside_others == 0' "$1: a finding alone"
}
beside file
beside name $$

# With enough executions the two processes meet.
i=0
while [ $i -lt 20 ]; do
    "$BURL" test --jobs=2 --runs=3000 --json --seed=$i --dir=again ./file >out.json 2>err
    jq -e '.failed_beside_others > 0' out.json >/dev/null && break
    i=$((i + 1))
done
[ $i -lt 20 ] || fail "no execution of ./file failed beside another: $(cat out.json)"
holds '.findings == []' "failures beside another process are findings"
"$BURL" test --jobs=2 --runs=3000 --seed=$i --dir=words ./file >out 2>err
if grep -q 'failed while other processes' out; then
    grep -q -e '--jobs=1' out || fail "it does not say what to do: $(cat out)"
fi

echo 0 >count.txt
"$BURL" test --jobs=2 --strategy=random --runs=2000 --json --dir=store-third ./third >out.json 2>err
[ $? -eq 1 ] || fail "what fails alone is no finding: $(cat out.json err)"
holds '[.findings[].kind] == ["nondeterminism.not-reproducible"]' "another finding: $(jq -c .findings out.json)"
exit 0
