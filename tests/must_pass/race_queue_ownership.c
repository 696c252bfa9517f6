/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The message is complete before it changes hands; from then on the consumer alone
 *   owns it.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct message {
    struct message *next;
    int body;
    int stamp;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards head */
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static struct message *head;

static void
push(struct message *m)
{
    pthread_mutex_lock(&mutex);
    m->next = head;
    head = m;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static struct message *
pop(void)
{
    struct message *m;

    pthread_mutex_lock(&mutex);
    while (head == NULL)
        pthread_cond_wait(&not_empty, &mutex);
    m = head;
    head = m->next;
    pthread_mutex_unlock(&mutex);
    return m;
}

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        struct message *m = calloc(1, sizeof *m);

        m->body = i;
        m->stamp = 100 + i;
        push(m);
    }
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int sum = 0;

    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; i < 2; i++) {
        struct message *m = pop();

        sum += m->body + m->stamp;
        m->body = -1;
        free(m);
    }
    pthread_join(thread, NULL);
    return sum > 0 ? 0 : 1;
}
