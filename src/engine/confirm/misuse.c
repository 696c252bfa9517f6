/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/misuse.c - executions that end at a misuse.
 *
 * Runs in the host. An execution goes on after most misuses, so the orders that confirm, minimize
 * and replay one end it there: at the call, with the innermost functions of its stack.
 */
#include "engine/engine_int.h"

struct burl_work
burl__stop_at_misuse(const struct burl_work *w, const struct burl_wire_verdict *v)
{
    struct burl_work again = *w;
    struct burl_wire_watch *stop = &again.stop;

    *stop = (struct burl_wire_watch){ .kind = BURL_SUSPECT_MISUSE, .n_sites = 1 };
    stop->sites[0] = v->site;
    again.stop_ops[0] = v->op;
    for (uint32_t i = 0; i + 1 < BURL_WIRE_MISUSE_SITES && v->sides[0].stack[i] != 0; i++) {
        again.stop_ops[stop->n_sites] = BURL_OP_ENTER;
        stop->sites[stop->n_sites++] = v->sides[0].stack[i];
    }
    again.stop_key = burl_wire_misuse_key(v->kind, stop->sites, stop->n_sites);
    return again;
}
