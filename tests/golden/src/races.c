/* SPDX-License-Identifier: Apache-2.0 */
#include <burl/burl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t m;
    int count;
};

static int hits;
static struct queue *q;
static _Atomic int ready;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int from_account, to_account;

static void
bump(int *p)
{
    *p = *p + 1;
}

static void *
worker(void *arg)
{
    (void)arg;
    bump(&hits);
    return NULL;
}

static void *
reader(void *arg)
{
    (void)arg;
    return (void *)(long)hits;
}

static void
lock_it(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
}

static void *
pusher(void *arg)
{
    (void)arg;
    lock_it(&table_lock);
    pthread_mutex_lock(&q->m);
    q->count++;
    pthread_mutex_unlock(&q->m);
    pthread_mutex_unlock(&table_lock);
    return NULL;
}

static void *
poller(void *arg)
{
    struct queue *mine = arg;
    while (mine->count == 0)
        ;
    return NULL;
}

static void *
setter(void *arg)
{
    (void)arg;
    atomic_store(&ready, 1);
    return NULL;
}

static void
reset(void)
{
    *(int *)&ready = 0;
}

static void *
mover(void *arg)
{
    (void)arg;
    BURL_ATOMIC_BEGIN("transfer");
    from_account -= 10;
    to_account += 10;
    BURL_ATOMIC_END();
    return NULL;
}

static void *
auditor(void *arg)
{
    (void)arg;
    return (void *)(long)(from_account + to_account);
}

static struct queue *
make_queue(void)
{
    struct queue *made = calloc(1, sizeof *made);
    pthread_mutex_init(&made->m, NULL);
    return made;
}

int
main(void)
{
    pthread_t a, b;

    q = make_queue();
    pthread_create(&a, NULL, worker, q);
    pthread_create(&b, NULL, reader, q);
    reset();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
