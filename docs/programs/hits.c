/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/hits.c - counts requests under a lock and reports them without it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct stats {
    long requests;
    pthread_mutex_t m;
};

static void
count_request(struct stats *s)
{
    pthread_mutex_lock(&s->m);
    s->requests++;
    pthread_mutex_unlock(&s->m);
}

static void *
serve(void *arg)
{
    for (int i = 0; i < 1000; i++)
        count_request(arg);
    return NULL;
}

static void *
report(void *arg)
{
    struct stats *s = arg;

    sleep(1); /* by then all requests have come: not because anything orders it */
    printf("%ld requests\n", s->requests);
    return NULL;
}

int
main(void)
{
    struct stats *s = calloc(1, sizeof *s);
    pthread_t a, b;

    pthread_mutex_init(&s->m, NULL);
    pthread_create(&a, NULL, serve, s);
    pthread_create(&b, NULL, report, s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(s);
    return 0;
}
