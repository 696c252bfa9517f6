/* SPDX-License-Identifier: Apache-2.0 */
/* shrink.c - makes a program smaller while burl's answer to it stays wrong. */
#include <string.h>
#include <unistd.h>

#include "prog.h"

static bool
is_still_wrong(const struct prog *p, const struct asker *a, const char *wrong)
{
    const struct prog *const one[] = { p };
    char source[512], program[512];
    const char *now;
    struct answer x;
    struct ends ends;
    FILE *out;

    prog_explore(p, a->spurious, &ends);
    if (ends.too_many || ends.n == 0)
        return false;
    snprintf(source, sizeof source, "%s/shrink.c", a->dir);
    snprintf(program, sizeof program, "%s/shrink", a->dir);
    out = fopen(source, "w");
    if (out == NULL)
        return false;
    prog_emit_file(out, one, &ends, 1);
    fclose(out);
    if (!ask_build(a, source, program))
        return false;
    x = ask(a, program, 0, "all", "--strategy=exhaustive --detect=none");
    now = ask_judge(&x, &ends, ASK_ALL);
    return now != NULL && strcmp(now, wrong) == 0;
}

static bool
concerns_thread(const struct ins *i, uint8_t t)
{
    return i->op >= OP_CREATE && i->op <= OP_CANCEL && i->op != OP_EXIT && i->b == t;
}

static void
drop_thread(struct prog *p, uint8_t t)
{
    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = 0; i < p->bodies[b].n; i++) {
            if (concerns_thread(&p->bodies[b].ins[i], t))
                p->bodies[b].ins[i].op = OP_NOP;
        }
    }
}

/* Tries a smaller program; keeps it when the answer is still wrong. */
static bool
try(struct prog *p, const struct prog *smaller, const struct asker *a, const char *wrong)
{
    if (!is_still_wrong(smaller, a, wrong))
        return false;
    *p = *smaller;
    return true;
}

static bool
drop_some(struct prog *p, const struct asker *a, const char *wrong)
{
    bool any = false;

    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = p->bodies[b].n; i > 0; i--) {
            struct prog smaller = *p;
            struct ins *x = &smaller.bodies[b].ins[i - 1];

            if (x->op == OP_NOP || x->op == OP_FINISH || x->op == OP_CREATE)
                continue;
            x->op = OP_NOP;
            any |= try(p, &smaller, a, wrong);
        }
    }
    return any;
}

static void
simplify(struct prog *p, const struct asker *a, const char *wrong)
{
    struct prog smaller = *p;

    for (uint8_t v = 0; v < p->n_vars; v++) {
        smaller = *p;
        if (smaller.var_kind[v] <= VAR_ATOMIC || smaller.var_kind[v] == VAR_FIELD)
            continue;
        smaller.var_kind[v] = VAR_PLAIN;
        try(p, &smaller, a, wrong);
    }
    smaller = *p;
    smaller.c11 = false;
    if (p->c11)
        try(p, &smaller, a, wrong);
    for (uint8_t b = 0; b < p->n_bodies; b++) {
        smaller = *p;
        smaller.bodies[b].returns_regs = false;
        if (p->bodies[b].returns_regs)
            try(p, &smaller, a, wrong);
    }
}

void
prog_shrink(struct prog *p, const struct asker *a, const char *wrong)
{
    if (!is_still_wrong(p, a, wrong))
        return;
    for (uint8_t t = (uint8_t)(p->n_threads - 1); t > 0; t--) {
        struct prog smaller = *p;

        drop_thread(&smaller, t);
        try(p, &smaller, a, wrong);
    }
    while (drop_some(p, a, wrong))
        ;
    simplify(p, a, wrong);
}
