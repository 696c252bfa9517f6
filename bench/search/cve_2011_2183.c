/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2011_2183.c - ConVul: a scanner of memory walks a ring of slots while a process leaves it.
 *
 * The scanner sees that the ring is not empty, and takes the next slot in a second step. When the
 * last process has left in between, the next slot is the head of the ring, which belongs to
 * no process. FIXED: it takes the next slot with the lock with which it looked.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct mm {
    int users;
};

struct slot {
    struct slot *next;
    struct mm *mm; /* NULL: the head */
};

static pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot head = { &head, NULL };
static struct slot one;

static struct slot *
next_slot(void)
{
    struct slot *next = NULL;
    bool empty;

    pthread_mutex_lock(&ring_lock);
    empty = head.next == &head;
#ifdef FIXED
    if (!empty)
        next = head.next;
    pthread_mutex_unlock(&ring_lock);
#else
    pthread_mutex_unlock(&ring_lock);
    if (!empty) {
        pthread_mutex_lock(&ring_lock);
        next = head.next;
        pthread_mutex_unlock(&ring_lock);
    }
#endif
    return next;
}

static void *
scan(void *arg)
{
    struct slot *s = next_slot();

    (void)arg;
    if (s != NULL)
        __atomic_fetch_add(&s->mm->users, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *
leave(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&ring_lock);
    head.next = one.next;
    pthread_mutex_unlock(&ring_lock);
    return NULL;
}

int
main(void)
{
    static struct mm mm;
    pthread_t threads[2];

    one.mm = &mm;
    one.next = &head;
    head.next = &one;
    pthread_create(&threads[0], NULL, scan, NULL);
    pthread_create(&threads[1], NULL, leave, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
