/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: An exchange decides which is the server; the second to come is the client and writes
 *   first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

struct peer {
    pthread_t thread;
    int in;
    int out;
    char got;
};

static struct peer peers[2];
static atomic_int n_started;

static void *
exchange(void *arg)
{
    struct peer *p = arg;
    char mine = 'x';
    ssize_t n;
    int is_server = atomic_fetch_add(&n_started, 1) == 0;

    if (is_server) {
        n = read(p->in, &p->got, 1);
        assert(n == 1);
        n = write(p->out, &mine, 1);
        assert(n == 1);
    } else {
        n = write(p->out, &mine, 1);
        assert(n == 1);
        n = read(p->in, &p->got, 1);
        assert(n == 1);
    }
    return NULL;
}

int
main(void)
{
    int forth[2];
    int back[2];

    if (pipe(forth) != 0 || pipe(back) != 0)
        return 2;
    peers[0].in = back[0];
    peers[0].out = forth[1];
    peers[1].in = forth[0];
    peers[1].out = back[1];
    for (int i = 0; i < 2; i++)
        pthread_create(&peers[i].thread, NULL, exchange, &peers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(peers[i].thread, NULL);
    assert(peers[0].got == 'x' && peers[1].got == 'x');
    return 0;
}
