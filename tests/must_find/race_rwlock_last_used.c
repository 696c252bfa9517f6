/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The look-up notes when an entry was last used while it holds the lock for reading
 *   only; two readers do not keep each other out.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct entry {
    int key;
    int value;
    int last_used;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* guards entries */
static struct entry entries[2] = { { 1, 10, 0 }, { 2, 20, 0 } };

static int
look_up(int key, int now)
{
    int value = -1;

    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 2; i++) {
        if (entries[i].key == key) {
            entries[i].last_used = now;
            value = entries[i].value;
        }
    }
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *
ask(void *arg)
{
    return look_up(2, *(int *)arg) > 0 ? NULL : arg;
}

static void *
renew(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    entries[1].value = *(int *)arg;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];
    int args[3] = { 100, 101, 30 };

    pthread_create(&threads[0], NULL, ask, &args[0]);
    pthread_create(&threads[1], NULL, ask, &args[1]);
    pthread_create(&threads[2], NULL, renew, &args[2]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return entries[1].value == 30 ? 0 : 1;
}
