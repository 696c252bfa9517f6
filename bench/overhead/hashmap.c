/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/overhead/hashmap.c - a hash map with a lock for every few buckets, under contention: two
 * threads insert, look up and remove the same keys; nodes come from malloc. Correct.
 *
 *     hashmap [THOUSANDS OF OPERATIONS PER THREAD]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N_BUCKETS 4096u
#define N_LOCKS 64u
#define N_KEYS 20000u
#define N_THREADS 2

struct node {
    struct node *next;
    uint64_t key;
    uint64_t value;
    uint32_t hits;
};

static struct node *buckets[N_BUCKETS];
static pthread_mutex_t locks[N_LOCKS];

static uint64_t
hash(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    return x ^ (x >> 33);
}

static struct node **
find(uint64_t key, uint64_t h)
{
    struct node **p = &buckets[h % N_BUCKETS];

    while (*p != NULL && (*p)->key != key)
        p = &(*p)->next;
    return p;
}

static void
put(uint64_t key, uint64_t value, uint64_t h)
{
    struct node **p = find(key, h);

    if (*p == NULL) {
        *p = malloc(sizeof **p);
        (*p)->next = NULL;
        (*p)->key = key;
        (*p)->hits = 0;
    }
    (*p)->value = value;
}

static uint64_t
get(uint64_t key, uint64_t h)
{
    struct node *n = *find(key, h);

    if (n == NULL)
        return 0;
    n->hits++;
    return n->value;
}

static void
drop(uint64_t key, uint64_t h)
{
    struct node **p = find(key, h);
    struct node *n = *p;

    if (n == NULL)
        return;
    *p = n->next;
    free(n);
}

static void *
work(void *arg)
{
    uint64_t n = *(uint64_t *)arg * 1000;
    uint64_t seed = (uintptr_t)&n;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t key;
        uint64_t h;

        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        key = (seed >> 33) % N_KEYS;
        h = hash(key);
        pthread_mutex_lock(&locks[h % N_LOCKS]);
        if (seed >> 62 == 0)
            put(key, i, h);
        else if (seed >> 60 == 15)
            drop(key, h);
        else
            sum += get(key, h);
        pthread_mutex_unlock(&locks[h % N_LOCKS]);
    }
    *(uint64_t *)arg = sum;
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    uint64_t args[N_THREADS];

    for (unsigned i = 0; i < N_LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < N_THREADS; i++) {
        args[i] = argc > 1 ? (uint64_t)atoi(argv[1]) : 1000;
        pthread_create(&threads[i], NULL, work, &args[i]);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
