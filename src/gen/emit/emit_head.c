/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_head.c - the comment at the head of an emitted test: what it shows, why it was
 * written, how the calls overlapped in the run that showed it, which orders of the calls were
 * excluded, how to run it.
 *
 * Written as text first and made a comment in one place, where ends of comments within it (in
 * string literals) are broken up.
 */
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "gen/emit/emit_int.h"

#define MAX_ORDERS 16u /* shown; the table has all */
#define WIDTH 96u

/* ---- calls and their results -------------------------------------------------------- */

/* " = 3" or ", value: 4": one value of a call. */
static void
write_value(const struct burl__gen_emitter *em, const struct burl_gen_value *v, const char *is,
            struct burl_buf *out)
{
    const struct burl_gen_fn *f = em->calls.v[v->call].f;
    const struct burl_gen_param *p =
        v->param > 0 && v->param <= f->params.n ? &f->params.v[v->param - 1] : NULL;

    if (v->param == 0)
        burl_buf_str_append(out, is);
    else if (p && p->name[0])
        burl_buf_printf(out, ", %s: ", p->name);
    else
        burl_buf_printf(out, ", argument %u: ", v->param);
    burl__gen_emit_value(em, v, p ? p->size_b : 1, out);
}

/* "a1 = 3; b1 = 4, value: 2". Calls of the prefix are the same in all. */
static void
write_results(const struct burl__gen_emitter *em, const struct burl_gen_outcome *o,
              struct burl_buf *out)
{
    int last = -1;

    for (size_t k = 0; k < o->values.n; k++) {
        const struct burl_gen_value *v = &o->values.v[k];

        if (em->calls.v[v->call].thread == BURL__GEN_IN_PREFIX)
            continue;
        if (v->call != last)
            burl_buf_printf(out, "%s%s", last >= 0 ? "; " : "", em->calls.v[v->call].name);
        last = v->call;
        write_value(em, v, " = ", out);
    }
    if (last < 0)
        burl_buf_str_append(out, "nothing");
}

static void
write_order(const struct burl_gen_order *order, struct burl_buf *out)
{
    unsigned next[BURL_GEN_MAX_THREADS] = { 0 };

    for (unsigned i = 0; i < order->n; i++)
        burl_buf_printf(out, "%s%c%u", i > 0 ? " " : "", 'a' + order->thread[i],
                        ++next[order->thread[i]]);
}

/* ---- sections ----------------------------------------------------------------------- */

static void
write_calls(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    burl_buf_str_append(out, "The calls:\n");
    burl__gen_emit_describe_stops(em, out);
    for (unsigned i = 0; i < em->calls.n; i++) {
        const struct burl__gen_emit_call *c = &em->calls.v[i];

        if (c->thread == BURL__GEN_IN_DUMPS)
            burl_buf_printf(out, "  %-7s at the end   ", c->name);
        else if (c->thread < 0)
            burl_buf_printf(out, "  %-7s first        ", c->name);
        else
            burl_buf_printf(out, "  %-7s in thread %c  ", c->name, 'A' + c->thread);
        burl_gen_call_print(em->m, em->t, c->c, c->c->slot >= 0, out);
        burl_buf_char(out, '\n');
    }
}

static void
write_event(const struct burl__gen_emitter *em, const struct burl_gen_outcome *run, unsigned thread,
            unsigned call, bool leave, struct burl_buf *out)
{
    const struct burl__gen_emit_call *c = &em->calls.v[call];

    burl_buf_printf(out, "  %*s%c  %s: ", (int)thread * 4, "", 'A' + (int)thread, c->name);
    burl_gen_call_print(em->m, em->t, c->c, false, out);
    burl_buf_str_append(out, leave ? " returns" : " begins");
    for (size_t k = 0; leave && k < run->values.n; k++) {
        if (run->values.v[k].call == call)
            write_value(em, &run->values.v[k], " ", out);
    }
    burl_buf_char(out, '\n');
}

/* The calls as they began and returned, without nested calls. */
static void
write_run(const struct burl__gen_emitter *em, const struct burl_gen_outcome *run,
          struct burl_buf *out)
{
    unsigned depth[BURL_GEN_MAX_THREADS] = { 0 };
    unsigned next[BURL_GEN_MAX_THREADS] = { 0 };

    if (run->events.n == 0)
        return;
    burl_buf_str_append(out, "\nThe run that shows it, from top to bottom:\n");
    for (size_t i = 0; i < run->events.n; i++) {
        const struct burl_gen_event *e = &run->events.v[i];
        const unsigned t = e->thread;
        unsigned call;

        if (t >= em->t->n_threads)
            continue;
        call = burl_gen_test_first_call(em->t, t);
        /* A call that was left out has no events. */
        while (next[t] < em->t->threads[t].n && depth[t] == 0 && !e->leave &&
               run->state[call + next[t]] == BURL_GEN_CALL_NOT_BEGUN)
            next[t]++;
        if (next[t] >= em->t->threads[t].n)
            continue;
        depth[t] -= e->leave && depth[t] > 0;
        if (depth[t] == 0)
            write_event(em, run, t, call + next[t], e->leave, out);
        next[t] += e->leave && depth[t] == 0;
        depth[t] += !e->leave;
    }
    if (run->end == BURL_GEN_END_BLOCKED)
        burl_buf_str_append(out, "  and no thread can make progress\n");
    if (run->end == BURL_GEN_END_FAILED)
        burl_buf_printf(out, "  and it fails: %s%s%.200s\n", burl_verdict_name(run->verdict.kind),
                        run->verdict.text[0] ? ": " : "", run->verdict.text);
}

static void
write_orders(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const struct burl_gen_violation *v = em->e->violation;

    if (em->e->n_linear == 0)
        return;
    if (v && v->verdict.by_results) {
        burl_buf_str_append(out, "\nIt gave\n  ");
        write_results(em, &v->run, out);
    }
    burl_buf_str_append(out, "\nCalls made one after the other give\n");
    for (size_t i = 0; i < em->e->n_linear && i < MAX_ORDERS; i++) {
        burl_buf_str_append(out, "  ");
        write_order(em->e->linear[i].order, out);
        burl_buf_str_append(out, ":  ");
        write_results(em, em->e->linear[i].outcome, out);
        burl_buf_char(out, '\n');
    }
    if (em->e->n_linear > MAX_ORDERS)
        burl_buf_printf(out, "  and %zu more\n", (size_t)em->e->n_linear - MAX_ORDERS);
    burl_buf_str_append(out, "and nothing else; orders with the same results are shown once.\n");
}

static void
write_expectation(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const struct burl_gen_violation *v = em->e->violation;

    if (v && v->is_race)
        burl_buf_str_append(out,
                            "\nThe race is reported by burl (race.data); without burl the test "
                            "may do anything.\n");
    else if (v && v->run.end == BURL_GEN_END_BLOCKED)
        burl_buf_str_append(out, "\nWhen it happens the test does not end.\n");
    else if (v && v->run.end == BURL_GEN_END_FAILED)
        burl_buf_printf(out, "\nWhen it happens the test ends by it: %s.\n",
                        burl_verdict_name(v->run.verdict.kind));
    if (em->checked)
        burl_buf_str_append(out, "\nExit status 0: the results are possible. Otherwise the test "
                                 "prints them and aborts;\nunder burl it reports "
                                 "atomicity.non-linearisable.\n");
}

static void
write_compile(const struct burl_gen_emit *e, const char *compiler, const char *name,
              struct burl_buf *out)
{
    burl_buf_printf(out, "  %s -I. %s.c", compiler, name);
    for (size_t i = 0; i < e->n_words; i++)
        burl_buf_printf(out, " %s", e->words[i]);
    burl_buf_printf(out, " -pthread -o %s\n", name);
}

static void
write_how(const struct burl_gen_emit *e, struct burl_buf *out)
{
    char name[24] = "test";
    unsigned n;
    char end;

    /* A test of a suite is in the file of its name. */
    if (e->name && sscanf(e->name, "test_%u%c", &n, &end) == 1)
        snprintf(name, sizeof name, "test_%u", n);
    burl_buf_str_append(out, "\nTo compile and run, from where burl was run:\n");
    write_compile(e, "cc -g", name, out);
    burl_buf_printf(out, "  ./%s\nTo have burl find the schedule again:\n", name);
    write_compile(e, "burl-cc -g", name, out);
    burl_buf_printf(
        out, "  burl test ./%s\nand `burl replay N` runs the finding with the same steps.\n", name);
}

/* ---- the comment -------------------------------------------------------------------- */

/* Puts one line into the comment; one that is too long is broken at blanks. Lines of a list go on
 * indented, sentences do not. */
static void
write_line(const char *line, size_t n, struct burl_buf *out)
{
    size_t indent = strspn(line, " ");

    for (bool first = true; n > 0 || first; first = false) {
        const size_t left = first || indent == 0 ? 0 : indent + 4;
        size_t cut = n;

        if (n + left > WIDTH) {
            cut = WIDTH - left;
            while (cut > indent + 1 && line[cut] != ' ')
                cut--;
            if (line[cut] != ' ')
                cut = n; /* one long word */
        }
        burl_buf_printf(out, " *%s%*s%.*s\n", n > 0 ? " " : "", (int)left, "", (int)cut, line);
        line += cut;
        n -= cut;
        while (n > 0 && *line == ' ') {
            line++;
            n--;
        }
    }
}

static void
write_comment(const char *text, struct burl_buf *out)
{
    struct burl_buf safe = BURL_BUF_INIT;
    char last = '\0';

    for (const char *p = text; *p; p++) {
        if ((last == '*' && *p == '/') || (last == '/' && *p == '*') ||
            (last == '\\' && *p == '\n'))
            burl_buf_char(&safe, ' ');
        burl_buf_char(&safe, *p);
        last = *p;
    }
    burl_buf_str_append(out, "/*\n");
    for (const char *p = burl_buf_str(&safe); *p;) {
        const size_t n = strcspn(p, "\n");

        write_line(p, n, out);
        p += n + (p[n] == '\n');
    }
    burl_buf_str_append(out, " */\n");
    burl_buf_deinit(&safe);
}

void
burl__gen_emit_head(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const struct burl_gen_violation *v = em->e->violation;
    struct burl_buf text = BURL_BUF_INIT;

    burl_buf_printf(&text, "%s of %s, written by burl.\n\n", em->e->name ? em->e->name : "A test",
                    em->m->header);
    if (v && v->is_race)
        burl_buf_str_append(&text, "Shows: a data race within the API.\n\n");
    else if (v)
        burl_buf_printf(&text, "Shows: %s.\n\n", v->verdict.why);
    if (em->e->story != NULL)
        burl_buf_printf(&text, "%s\n", em->e->story);
    write_calls(em, &text);
    if (v)
        write_run(em, &v->run, &text);
    write_orders(em, &text);
    write_expectation(em, &text);
    write_how(em->e, &text);
    write_comment(burl_buf_str(&text), out);
    burl_buf_deinit(&text);
}
