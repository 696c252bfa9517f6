/* SPDX-License-Identifier: Apache-2.0 */
/*
 * airlines.c - agents sell the seats of flights.
 *
 *     airlines [AGENTS [FLIGHTS [SEATS]]]     5 5 10
 *
 * Agents serve customers: look for a flight with a free seat, agree on a price, sell. A flight's
 * counters are guarded by its lock at all times, there is no data race.
 *
 * The bug: whether a seat is free and the sale are two critical sections. Two agents that see
 * the last seat at the same time both sell it. The audit at the end finds a flight with more
 * tickets than seats. The twin looks again in the critical section of the sale.
 */
#include "subject.h"

#define AGENTS_MAX 32
#define FLIGHTS_MAX 32
#define SEATS_MAX 200
#define LEDGER_MAX (FLIGHTS_MAX * SEATS_MAX * 2)

struct flight {
    pthread_mutex_t lock; /* guards the rest */
    unsigned number;
    unsigned seats;
    unsigned sold;
    unsigned revenue;
};

/* One line of the common ledger. */
struct ticket {
    unsigned flight;
    unsigned agent;
    unsigned price;
};

struct agency {
    unsigned n_flights;
    struct flight flights[FLIGHTS_MAX];
    pthread_mutex_t ledger_lock; /* guards n_tickets and tickets */
    unsigned n_tickets;
    struct ticket tickets[LEDGER_MAX];
};

struct agent {
    struct agency *agency;
    pthread_t thread;
    unsigned id;
    unsigned sold;
    unsigned turned_away; /* customers without a seat */
    uint64_t random;
};

static void
flight_init(struct flight *f, unsigned number, unsigned seats)
{
    pthread_mutex_init(&f->lock, NULL);
    f->number = number;
    f->seats = seats;
    f->sold = 0;
    f->revenue = 0;
}

static bool
flight_has_seat(struct flight *f)
{
    bool has;

    pthread_mutex_lock(&f->lock);
    has = f->sold < f->seats;
    pthread_mutex_unlock(&f->lock);
    return has;
}

/* False: no seat is left. */
static bool
flight_sell(struct flight *f, unsigned price)
{
    bool done = true;

    pthread_mutex_lock(&f->lock);
    if (TWIN)
        done = f->sold < f->seats;
    if (done) {
        f->sold++;
        f->revenue += price;
    }
    pthread_mutex_unlock(&f->lock);
    return done;
}

/* Falls with the distance to the flight that the customer wanted. */
static unsigned
price_of(const struct flight *f, unsigned wanted)
{
    unsigned distance = f->number > wanted ? f->number - wanted : wanted - f->number;

    return 400 - 10 * (distance < 30 ? distance : 30);
}

static void
ledger_add(struct agency *a, unsigned flight, unsigned agent, unsigned price)
{
    pthread_mutex_lock(&a->ledger_lock);
    if (a->n_tickets < LEDGER_MAX)
        a->tickets[a->n_tickets++] = (struct ticket){ flight, agent, price };
    pthread_mutex_unlock(&a->ledger_lock);
}

/* The customer takes the wanted flight, or the next one with a seat. */
static bool
serve(struct agent *g, unsigned wanted)
{
    struct agency *a = g->agency;

    for (unsigned i = 0; i < a->n_flights; i++) {
        unsigned n = (wanted + i) % a->n_flights;
        struct flight *f = &a->flights[n];
        unsigned price = price_of(f, wanted);

        if (!flight_has_seat(f))
            continue;
        if (!flight_sell(f, price))
            continue;
        ledger_add(a, n, g->id, price);
        return true;
    }
    return false;
}

static void *
work(void *arg)
{
    struct agent *g = arg;

    /* Two customers without a seat: the agency is sold out. */
    while (g->turned_away < 2) {
        unsigned wanted = random_in(&g->random, 0, g->agency->n_flights - 1);

        pause_us(random_in(&g->random, 50, 400));
        if (serve(g, wanted))
            g->sold++;
        else
            g->turned_away++;
    }
    return NULL;
}

/* After all agents have left. The number of mistakes. */
static unsigned
audit(const struct agency *a, const struct agent *agents, unsigned n_agents)
{
    unsigned wrong = 0, sold = 0, by_agents = 0;
    unsigned in_ledger[FLIGHTS_MAX] = { 0 }, revenue[FLIGHTS_MAX] = { 0 };

    for (unsigned i = 0; i < a->n_tickets; i++) {
        in_ledger[a->tickets[i].flight]++;
        revenue[a->tickets[i].flight] += a->tickets[i].price;
    }
    for (unsigned i = 0; i < a->n_flights; i++) {
        const struct flight *f = &a->flights[i];

        sold += f->sold;
        if (f->sold > f->seats) {
            printf("flight %u: %u tickets for %u seats\n", f->number, f->sold, f->seats);
            wrong++;
        }
        if (f->sold != in_ledger[i] || f->revenue != revenue[i]) {
            printf("flight %u: %u tickets, %u in the ledger\n", f->number, f->sold, in_ledger[i]);
            wrong++;
        }
    }
    for (unsigned i = 0; i < n_agents; i++)
        by_agents += agents[i].sold;
    if (by_agents != sold) {
        printf("%u tickets sold by agents, %u by flights\n", by_agents, sold);
        wrong++;
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    static struct agency agency;
    static struct agent agents[AGENTS_MAX];
    unsigned n_agents = argument(argc, argv, 1, 5, AGENTS_MAX);
    unsigned n_flights = argument(argc, argv, 2, 5, FLIGHTS_MAX);
    unsigned n_seats = argument(argc, argv, 3, 10, SEATS_MAX);

    agency.n_flights = n_flights;
    pthread_mutex_init(&agency.ledger_lock, NULL);
    for (unsigned i = 0; i < n_flights; i++)
        flight_init(&agency.flights[i], i, n_seats);
    for (unsigned i = 0; i < n_agents; i++) {
        agents[i] = (struct agent){ .agency = &agency, .id = i, .random = i + 1 };
        start_thread(&agents[i].thread, work, &agents[i]);
    }
    for (unsigned i = 0; i < n_agents; i++)
        pthread_join(agents[i].thread, NULL);
    return audit(&agency, agents, n_agents) != 0;
}
