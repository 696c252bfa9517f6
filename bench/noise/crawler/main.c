/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - reads the whole web with a few workers, and checks what they say.
 *
 *     crawler [WORKERS]     4
 */
#include "crawler.h"

#define ROUND_US 400
#define MAX_AGE 4 /* rounds; a page that ends takes less, unless the machine is slow */

static bool
is_stopping(struct crawler *c)
{
    bool yes;

    pthread_mutex_lock(&c->lock);
    yes = c->stopping;
    pthread_mutex_unlock(&c->lock);
    return yes;
}

static void *
manage(void *crawler)
{
    struct crawler *c = crawler;

    while (!is_stopping(c)) {
        for (unsigned i = 0; i < c->n_workers; i++)
            worker_grow_older(&c->workers[i], MAX_AGE);
        pause_us(ROUND_US);
    }
    return NULL;
}

void
crawler_run(struct crawler *c, unsigned n_workers, const char *start)
{
    struct url u;

    frontier_init(&c->frontier);
    words_init(&c->words);
    pthread_mutex_init(&c->lock, NULL);
    must(url_parse(&u, start), "the first address");
    frontier_add(&c->frontier, &u);
    c->n_workers = n_workers;
    for (unsigned i = 0; i < n_workers; i++) {
        c->workers[i].crawler = c;
        pthread_mutex_init(&c->workers[i].lock, NULL);
    }
    start_thread(&c->manager, manage, c);
    for (unsigned i = 0; i < n_workers; i++)
        start_thread(&c->workers[i].thread, worker_run, &c->workers[i]);
    for (unsigned i = 0; i < n_workers; i++)
        pthread_join(c->workers[i].thread, NULL);
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->manager, NULL);
}

/* The number of mistakes. */
static unsigned
check(const struct crawler *c)
{
    unsigned wrong = 0, n_read = 0, n_missing = 0, n_aborted = 0, n_closed = 0;

    for (unsigned i = 0; i < c->n_workers; i++) {
        const struct worker *w = &c->workers[i];

        n_read += w->n_read;
        n_missing += w->n_missing;
        n_aborted += w->n_aborted;
        n_closed += w->n_closed;
        if (w->conn != NULL) {
            printf("worker %u has left a connection open\n", i);
            wrong++;
        }
    }
    if (n_read + n_missing + n_aborted != c->frontier.seen.n) {
        printf("%u addresses, but %u pages read, %u missing, %u aborted\n", c->frontier.seen.n,
               n_read, n_missing, n_aborted);
        wrong++;
    }
    /* A page may end between the close and the next read, so that fewer are aborted than closed. */
    if (n_aborted > n_closed) {
        printf("%u pages aborted, but only %u closed\n", n_aborted, n_closed);
        wrong++;
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    static struct crawler crawler;
    unsigned wrong;

    crawler_run(&crawler, argument(argc, argv, 1, 4, WORKERS_MAX), "http://h0.test/");
    wrong = check(&crawler);
    words_deinit(&crawler.words);
    frontier_deinit(&crawler.frontier);
    return wrong != 0;
}
