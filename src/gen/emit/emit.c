/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit.c - a test as C source from top to bottom: contract in emit.h.
 *
 * The functions are written first, into a buffer, because they decide which payloads, helpers and
 * headers must precede them. So a test contains nothing that it does not use and compiles without
 * warnings. The text depends on the test and its outcomes alone.
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

/* ---- calls in their numbers --------------------------------------------------------- */

static void
add_calls(struct burl__gen_emitter *em, const struct burl_gen_calls *calls, int thread)
{
    for (size_t i = 0; i < calls->n; i++) {
        struct burl__gen_emit_call *c = BURL_VEC_ADD(&em->calls);

        c->c = &calls->v[i];
        c->f = &em->m->fns.v[c->c->fn];
        c->thread = thread;
        if (thread >= 0)
            snprintf(c->name, sizeof c->name, "%c%u", 'a' + thread, (unsigned)i + 1);
        else
            snprintf(c->name, sizeof c->name, "%s%u",
                     thread == BURL__GEN_IN_PREFIX ? "first" : "last", (unsigned)i + 1);
    }
}

static void
number_calls(struct burl__gen_emitter *em)
{
    em->dumps = burl_gen_test_dumps(em->t, em->m);
    add_calls(em, &em->t->prefix, BURL__GEN_IN_PREFIX);
    for (unsigned k = 0; k < em->t->n_threads; k++)
        add_calls(em, &em->t->threads[k], (int)k);
    add_calls(em, &em->dumps, BURL__GEN_IN_DUMPS);
}

/* ---- functions ---------------------------------------------------------------------- */

static void
write_calls_of(struct burl__gen_emitter *em, int thread)
{
    for (unsigned i = 0; i < em->calls.n; i++) {
        if (em->calls.v[i].thread == thread)
            burl__gen_emit_call(em, i);
    }
}

static void
write_threads(struct burl__gen_emitter *em)
{
    for (unsigned k = 0; k < em->t->n_threads; k++) {
        burl_buf_printf(&em->body, "static void *\nthread_%c(void *arg)\n{\n    (void)arg;\n%s",
                        'a' + (int)k, em->e->start_together ? "    meet();\n" : "");
        write_calls_of(em, (int)k);
        burl_buf_str_append(&em->body, "    return NULL;\n}\n\n");
    }
}

static void
write_main(struct burl__gen_emitter *em)
{
    struct burl_buf *out = &em->body;
    const unsigned n = em->t->n_threads;

    burl_buf_str_append(out, "int\nmain(void)\n{\n");
    if (n > 0)
        burl_buf_printf(out, "    pthread_t threads[%u];\n\n", n);
    burl__gen_emit_run_stops(em);
    write_calls_of(em, BURL__GEN_IN_PREFIX);
    burl_buf_char(out, '\n');
    for (unsigned k = 0; k < n; k++)
        burl_buf_printf(out, "%spthread_create(&threads[%u], NULL, thread_%c, NULL) != 0%s",
                        k == 0 ? "    if (" : "        ", k, 'a' + (int)k,
                        k + 1 < n ? " ||\n" : ") {\n");
    if (n > 0)
        burl_buf_str_append(out, "        fprintf(stderr, \"no thread can be made\\n\");\n"
                                 "        return 2;\n    }\n");
    for (unsigned k = 0; k < n; k++)
        burl_buf_printf(out, "    pthread_join(threads[%u], NULL);\n", k);
    for (size_t i = 0; i < em->fields.n; i++) {
        if (em->fields.v[i].is_lent)
            burl_buf_printf(out, "    recheck(&got.%s, %s_lent);\n", em->fields.v[i].name,
                            em->fields.v[i].name);
    }
    burl_buf_char(out, '\n');
    write_calls_of(em, BURL__GEN_IN_DUMPS);
    for (int s = em->t->n_slots; s-- > 0;)
        burl__gen_emit_end(em, s);
    burl_buf_str_append(out, em->checked ? "    check();\n" : "");
    if (em->t->stops.n > 0)
        burl_buf_str_append(out, "    /* What a seed registered with atexit() is not for this "
                                 "test. */\n"
                                 "    fflush(NULL);\n    _Exit(0);\n}\n");
    else
        burl_buf_str_append(out, "    return 0;\n}\n");
}

/* ---- declarations before them ------------------------------------------------------- */

static bool
has_field(const struct burl__gen_emitter *em, enum burl__gen_field_kind kind)
{
    for (size_t i = 0; i < em->fields.n; i++) {
        if (em->fields.v[i].kind == kind)
            return true;
    }
    return false;
}

static void
write_includes(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (em->t->stops.n > 0)
        burl_buf_str_append(out, "#ifndef _GNU_SOURCE\n"
                                 "#define _GNU_SOURCE /* a seed may need it */\n#endif\n");
    if (has_field(em, BURL__GEN_FIELD_REAL) && em->checked)
        burl_buf_str_append(out, "#include <math.h>\n");
    burl_buf_str_append(out, "#include <pthread.h>\n");
    if (em->e->start_together)
        burl_buf_str_append(out, "#include <sched.h>\n#include <stdatomic.h>\n");
    burl_buf_str_append(out, "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
                             "#include <stdlib.h>\n#include <string.h>\n");
    burl_buf_str_append(out, em->t->stops.n > 0 ? "#include <ucontext.h>\n\n" : "\n");
    burl__gen_emit_labels(em, out);
    for (size_t i = 0; i < em->m->includes.n; i++)
        burl_buf_printf(out, "#include %s\n", em->m->includes.v[i]);
    burl_buf_printf(out, "#include \"%s\"\n\n", em->m->header);
    if (em->checked)
        burl_buf_str_append(out, "#ifdef __BURL__\n"
                                 "int __burl_contended(void);\n"
                                 "void __burl_non_linearizable(const char *text);\n#endif\n\n");
}

/* Makers of zeroed structs that the test calls. */
static void
write_makers(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t fn = 0; fn < em->m->fns.n; fn++) {
        bool called = false;

        for (size_t i = 0; i < em->calls.n; i++)
            called |= em->calls.v[i].c->fn == (int)fn;
        if (called && em->m->fns.v[fn].is_ours)
            burl__gen_write_zeroed(em->m, &em->m->fns.v[fn], out);
    }
}

static void
write_memory(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (em->uses_payload)
        burl_buf_printf(out,
                        "/* Things to be kept by the API and given back. */\n"
                        "static struct {\n    long long words[8];\n} payload[%d];\n\n",
                        BURL_GEN_PAYLOADS);
    if (em->uses_context)
        burl_buf_str_append(out, "static struct {\n    long long words[8];\n} context;\n\n");
    write_makers(em, out);
    if (em->e->start_together)
        burl_buf_printf(out,
                        "/* Creating a thread takes longer than its calls: they begin together. "
                        "burl needs no help. */\n"
                        "#ifndef __BURL__\nstatic atomic_uint arrived;\n#endif\n\n"
                        "static void\nmeet(void)\n{\n#ifndef __BURL__\n"
                        "    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);\n"
                        "    for (unsigned i = 1; atomic_load_explicit(&arrived, "
                        "memory_order_relaxed) < %u; i++) {\n"
                        "        if (i %% 1024 == 0)\n"
                        "            sched_yield();\n"
                        "    }\n#endif\n}\n\n",
                        em->t->n_threads);
}

static void
write_text_helpers(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (!has_field(em, BURL__GEN_FIELD_TEXT))
        return;
    /* Memory of the API that a call returned a pointer to: what the test does with it is its own
     * doing, so a race of this read is none within the API. The driver reads without hooks, too. */
    burl_buf_str_append(out, "#ifdef __BURL__ /* the copies of the test are not observed */\n"
                             "#define UNOBSERVED __attribute__((annotate(\"burl.ignore\")))\n"
                             "#else\n#define UNOBSERVED\n#endif\n\n");
    burl_buf_printf(out,
                    "/* Characters that came back: how many, and the first of them. */\n"
                    "struct text {\n    long length; /* -1: NULL */\n    char bytes[%d];\n"
                    "};\n\n",
                    BURL_GEN_VALUE_BYTES_B + 1);
    burl_buf_printf(
        out,
        "UNOBSERVED static void\nkeep_bytes(struct text *t, const void *p, size_t n)\n{\n"
        "    t->length = (long)n;\n"
        "    memcpy(t->bytes, p, n < %d ? n : %d);\n}\n\n",
        BURL_GEN_VALUE_BYTES_B, BURL_GEN_VALUE_BYTES_B);
    if (em->uses_string)
        burl_buf_str_append(out,
                            "UNOBSERVED static void\nkeep_string(struct text *t, const char *s)\n"
                            "{\n"
                            "    if (s != NULL)\n"
                            "        keep_bytes(t, s, strlen(s));\n"
                            "    else\n"
                            "        t->length = -1;\n}\n\n");
}

/* Strings that stay the API's, and may be written while the test copies them. */
static void
write_lent_helpers(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (!em->uses_lent)
        return;
    burl_buf_str_append(out, "/* Strings that calls returned. They stay the API's, which may write "
                             "them while the test copies\n * one without its lock: such a copy is "
                             "not compared. */\nenum { CHANGED = 1 << 30 };\n");
    for (size_t i = 0; i < em->fields.n; i++) {
        if (em->fields.v[i].is_lent)
            burl_buf_printf(out, "static const char *%s_lent;\n", em->fields.v[i].name);
    }
    burl_buf_str_append(out, "\nUNOBSERVED static void\nrecheck(struct text *t, const char *s)\n{\n"
                             "#ifdef __BURL__\n    const size_t n = (size_t)t->length;\n\n"
                             "    if (s != NULL && t->length >= 0 &&\n"
                             "        (strlen(s) != n ||\n"
                             "         memcmp(s, t->bytes, n < sizeof t->bytes ? n : "
                             "sizeof t->bytes - 1) != 0))\n"
                             "        t->length = CHANGED;\n"
                             "#else /* it may be freed by now */\n    (void)t;\n    (void)s;\n"
                             "#endif\n}\n\n");
}

void
burl_gen_emit_test(const struct burl_gen_emit *e, struct burl_buf *out)
{
    struct burl__gen_emitter em = { .e = e, .m = e->model, .t = e->test };
    struct burl_buf callbacks = BURL_BUF_INIT;

    burl_buf_init(&em.body, BURL_BUF_NO_LIMIT);
    number_calls(&em);
    burl__gen_emit_find_fields(&em);
    burl__gen_emit_callbacks(&em, &callbacks);
    write_threads(&em);
    write_main(&em);

    burl__gen_emit_head(&em, out);
    write_includes(&em, out);
    burl__gen_emit_stops(&em, out);
    write_memory(&em, out);
    burl__gen_emit_slots(&em, out);
    write_text_helpers(&em, out);
    write_lent_helpers(&em, out);
    burl__gen_emit_struct(&em, out);
    burl__gen_emit_table(&em, out);
    burl__gen_emit_seeing(&em, out);
    burl_buf_append(out, callbacks.p, callbacks.n);
    burl_buf_append(out, em.body.p, em.body.n);

    burl_buf_deinit(&callbacks);
    burl_buf_deinit(&em.body);
    burl_gen_calls_deinit(&em.dumps);
    BURL_VEC_FREE(&em.calls);
    BURL_VEC_FREE(&em.fields);
}
