/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes from thread to thread and back: a list that one thread builds and the others
 * walk, from more sites than are remembered side by side; blocks that are freed by one thread and
 * come back to another; parts of 8 bytes; threads that ended, and the next ones in their place. */
#include <stdint.h>
#include <stdlib.h>

#include "turn.h"

struct node {
    struct node *next;
    uint64_t key;
    uint32_t low;
    uint32_t high;
    uint8_t part[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static uint64_t shared;
static uint64_t private_until_late;
static volatile uint64_t many;

static void
push(uint64_t key)
{
    struct node *n = calloc(1, sizeof *n);

    n->key = key;
    n->next = head;
    head = n;
}

static uint64_t
walk(void)
{
    uint64_t sum = 0;

    for (struct node **p = &head; *p != NULL; p = &(*p)->next) {
        sum += (*p)->key;
        (*p)->low++;
    }
    return sum;
}

static void
drop(void)
{
    struct node *n = head;

    if (n == NULL)
        return;
    head = n->next;
    free(n);
}

/* Twenty sites at one variable: fewer than the 32 accesses that a window keeps under control. */
static void
from_many_sites(void)
{
#define TWO (void)many; many = 1;
#define TEN TWO TWO TWO TWO TWO
    TEN TEN
}

static void *
first(void *arg)
{
    (void)arg;
    await_turn(0);
    pthread_mutex_lock(&lock);
    push(1);
    push(2);
    shared = walk();
    pthread_mutex_unlock(&lock);
    private_until_late = shared;
    private_until_late++;
    from_many_sites();
    give_turn(1);
    await_turn(2);
    pthread_mutex_lock(&lock);
    shared += walk(); /* it is back */
    head->part[1] = head->part[2];
    drop();
    pthread_mutex_unlock(&lock);
    from_many_sites();
    give_turn(3);
    return NULL;
}

static void *
second(void *arg)
{
    (void)arg;
    await_turn(1);
    pthread_mutex_lock(&lock);
    shared += walk();
    shared += walk();
    head->part[1] = 1;
    *(volatile uint32_t *)(void *)&head->part[4] = 2;
    drop();
    push(3); /* perhaps the block that was just freed */
    pthread_mutex_unlock(&lock);
    from_many_sites();
    (void)many;
    give_turn(2);
    await_turn(3);
    pthread_mutex_lock(&lock);
    push(4);
    shared = walk() + head->high;
    *(volatile uint64_t *)(void *)&head->low = 5;
    pthread_mutex_unlock(&lock);
    (void)many;
    from_many_sites();
    return NULL;
}

/* The threads before have ended; this one has the place of one of them. */
static void *
later(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    shared += walk();
    head->high++;
    drop();
    push(6);
    pthread_mutex_unlock(&lock);
    private_until_late++;
    from_many_sites();
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    turns_init();
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    give_turn(0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    run_alone(later, NULL);
    shared += walk();
    run_alone(later, NULL);
    from_many_sites();
    return shared + private_until_late + many == 0;
}
