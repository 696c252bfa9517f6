/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/pool/crowd.c - processes of the program that disturb each other.
 *
 * Runs in the host. Several processes execute the program at the same time, in one directory. A
 * program that writes a file of a fixed name, or binds a fixed port, then fails because of another
 * process, although it is correct. So failures are confirmed while no other process executes, and
 * one that is not reproduced makes the campaign go on with one process at a time: if the program
 * is to blame, it fails again.
 */
#include "engine/engine_int.h"

void
burl__pool_quiet(struct burl_campaign *c)
{
    struct burl_pool *p = &c->pool;

    for (uint32_t i = 0; i < p->n_slots; i++) {
        if (p->slots[i].has_order)
            (void)burl_target_wait(p->slots[i].worker.t);
    }
}

bool
burl__pool_blames_crowd(struct burl_campaign *c, uint64_t count)
{
    struct burl_pool *p = &c->pool;
    struct burl_campaign_stats *s = c->stats;

    if (!p->crowded)
        return false;
    if (!p->alone)
        s->crowded_schedules = s->schedules;
    p->alone = true;
    s->n_crowded += count;
    return true;
}
