/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_queue.h - a small API for tests of the executor of `burl gen`, with its model filled in by
 * hand: nothing here depends on how models are guessed.
 */
#ifndef BURL_TEST_GEN_QUEUE_H
#define BURL_TEST_GEN_QUEUE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/exec/exec.h"

static const char gen_queue_header[] =
    "#ifndef QUEUE_H\n"
    "#define QUEUE_H\n"
    "#include <stddef.h>\n"
    "struct queue;\n"
    "struct cell { int value; };\n"
    "struct queue *queue_new(int capacity);\n"
    "void queue_free(struct queue *q);\n"
    "int queue_push(struct queue *q, int value);\n"
    "int queue_pop(struct queue *q);\n"
    "int queue_wait(struct queue *q);\n"
    "size_t queue_length(const struct queue *q);\n"
    "int queue_push_twice(struct queue *q, int value);\n"
    "int queue_read(struct queue *q, char *out, size_t n);\n"
    "int queue_first(struct queue *q, short *out);\n"
    "int queue_each(struct queue *q, int (*fn)(int value, void *arg), void *arg);\n"
    "const char *queue_name(struct queue *q);\n"
    "int queue_set_name(struct queue *q, const char *name);\n"
    "void *queue_swap(struct queue *q, void *user);\n"
    "int queue_where(struct queue *q);\n"
    "int queue_crash(struct queue *q);\n"
    "int cell_init(struct cell *c, int value);\n"
    "void cell_done(struct cell *c);\n"
    "int queue_put_cell(struct queue *q, struct cell *c);\n"
    "int queue_push_later(struct queue *q);\n"
    "#endif\n";

/* With FIXED the lock is held over all of push; without, an element can be lost. */
static const char gen_queue_source[] =
    "#include \"queue.h\"\n"
    "#include <pthread.h>\n"
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "struct queue { pthread_mutex_t m; pthread_cond_t c; int n; int cap; int v[16];\n"
    "               char name[32]; void *user; };\n"
    "struct queue *queue_new(int cap) {\n"
    "    struct queue *q;\n"
    "    if (cap < 1 || cap > 16) return NULL;\n"
    "    q = calloc(1, sizeof *q);\n"
    "    pthread_mutex_init(&q->m, NULL);\n"
    "    pthread_cond_init(&q->c, NULL);\n"
    "    q->cap = cap;\n"
    "    return q;\n"
    "}\n"
    "void queue_free(struct queue *q) {\n"
    "    pthread_cond_destroy(&q->c); pthread_mutex_destroy(&q->m); free(q);\n"
    "}\n"
    "int queue_push(struct queue *q, int value) {\n"
    "    int n;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    n = q->n;\n"
    "    if (n == q->cap) { pthread_mutex_unlock(&q->m); return -1; }\n"
    "#ifndef FIXED\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    pthread_mutex_lock(&q->m);\n"
    "#endif\n"
    "    q->v[n] = value;\n"
    "    q->n = n + 1;\n"
    "    pthread_cond_signal(&q->c);\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return 0;\n"
    "}\n"
    "int queue_pop(struct queue *q) {\n"
    "    int r = -1;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    if (q->n > 0) { r = q->v[0]; memmove(q->v, q->v + 1, sizeof q->v - sizeof q->v[0]); "
    "q->n--; }\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return r;\n"
    "}\n"
    "int queue_wait(struct queue *q) {\n"
    "    int r;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    while (q->n == 0) pthread_cond_wait(&q->c, &q->m);\n"
    "    r = q->v[0];\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return r;\n"
    "}\n"
    "size_t queue_length(const struct queue *q) {\n"
    "    size_t n;\n"
    "    pthread_mutex_lock((pthread_mutex_t *)&q->m); n = (size_t)q->n;\n"
    "    pthread_mutex_unlock((pthread_mutex_t *)&q->m);\n"
    "    return n;\n"
    "}\n"
    "int queue_push_twice(struct queue *q, int value) {\n"
    "    return queue_push(q, value) + queue_push(q, value + 1);\n"
    "}\n"
    "int queue_read(struct queue *q, char *out, size_t n) {\n"
    "    size_t i;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    for (i = 0; i < n && i < (size_t)q->n; i++) out[i] = (char)('a' + q->v[i]);\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return (int)i;\n"
    "}\n"
    "int queue_first(struct queue *q, short *out) {\n"
    "    int ok;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    ok = q->n > 0; if (ok) *out = (short)-q->v[0];\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return ok;\n"
    "}\n"
    "int queue_each(struct queue *q, int (*fn)(int, void *), void *arg) {\n"
    "    int sum = 0;\n"
    "    pthread_mutex_lock(&q->m);\n"
    "    for (int i = 0; i < q->n; i++) sum += fn(q->v[i], arg);\n"
    "    pthread_mutex_unlock(&q->m);\n"
    "    return sum;\n"
    "}\n"
    "const char *queue_name(struct queue *q) { return q->name[0] ? q->name : NULL; }\n"
    "int queue_set_name(struct queue *q, const char *name) {\n"
    "    pthread_mutex_lock(&q->m); strncpy(q->name, name, 31); pthread_mutex_unlock(&q->m);\n"
    "    return (int)strlen(name);\n"
    "}\n"
    "void *queue_swap(struct queue *q, void *user) {\n"
    "    void *old;\n"
    "    pthread_mutex_lock(&q->m); old = q->user; q->user = user; pthread_mutex_unlock(&q->m);\n"
    "    return old;\n"
    "}\n"
    "int queue_where(struct queue *q) { return (int)((uintptr_t)q >> 4 & 0xffff); }\n"
    "int queue_crash(struct queue *q) { if (q->n == 2) *(volatile int *)8 = 1; return 0; }\n"
    "int cell_init(struct cell *c, int value) { c->value = value; return value < 0 ? -1 : 0; }\n"
    "void cell_done(struct cell *c) { c->value = -1; }\n"
    "int queue_put_cell(struct queue *q, struct cell *c) { return queue_push(q, c->value); }\n"
    "static void *later(void *q) { queue_push(q, 4); return NULL; }\n"
    "int queue_push_later(struct queue *q) {\n"
    "    pthread_t t;\n"
    "    if (pthread_create(&t, NULL, later, q) != 0) return -1;\n"
    "    return pthread_detach(t);\n"
    "}\n";

enum gen_queue_fn {
    Q_NEW = 0,
    Q_FREE,
    Q_PUSH,
    Q_POP,
    Q_WAIT,
    Q_LENGTH,
    Q_PUSH_TWICE,
    Q_READ,
    Q_FIRST,
    Q_EACH,
    Q_NAME,
    Q_SET_NAME,
    Q_SWAP,
    Q_WHERE,
    Q_CRASH,
    C_INIT,
    C_DONE,
    Q_PUT_CELL,
    Q_PUSH_LATER
};

static struct burl_gen_param *
gen_param(struct burl_gen_fn *f, enum burl_gen_role role, const char *ctype)
{
    struct burl_gen_param *p = BURL_VEC_ADD(&f->params);

    p->name = "";
    p->ctype = ctype;
    p->role = role;
    p->type = -1;
    p->partner = -1;
    if (role == BURL_GEN_ROLE_INT)
        p->size_b = 4;
    return p;
}

static struct burl_gen_fn *
gen_fn(struct burl_gen_model *m, const char *name, enum burl_gen_kind kind,
       enum burl_gen_result result)
{
    struct burl_gen_fn *f = BURL_VEC_ADD(&m->fns);

    f->name = name;
    f->kind = kind;
    f->result = result;
    f->result_type = -1;
    f->self = -1;
    f->makes = -1;
    f->zero_is_success = true;
    return f;
}

static struct burl_gen_fn *
gen_method(struct burl_gen_model *m, const char *name, enum burl_gen_result result)
{
    struct burl_gen_fn *f = gen_fn(m, name, BURL_GEN_METHOD, result);

    f->self = 0;
    gen_param(f, BURL_GEN_ROLE_OBJECT, "struct queue *")->type = 0;
    return f;
}

/* Functions in the order of enum gen_queue_fn. */
static void
gen_queue_model(struct burl_gen_model *m, const char *header)
{
    struct burl_gen_fn *f;
    struct burl_gen_param *p;

    memset(m, 0, sizeof *m);
    m->header = burl_gen_memory_keep(&m->memory, burl_xstrdup(header));
    BURL_VEC_PUSH(&m->types, (struct burl_gen_type){ .name = "struct queue",
                                                     .destroy = Q_FREE });
    BURL_VEC_PUSH(&m->types, (struct burl_gen_type){ .name = "struct cell",
                                                     .complete = true,
                                                     .destroy = C_DONE,
                                                     .free_it = true });
    f = gen_fn(m, "queue_new", BURL_GEN_MAKE, BURL_GEN_RESULT_OBJECT);
    f->result_type = f->makes = 0;
    gen_param(f, BURL_GEN_ROLE_INT, "int");
    f = gen_method(m, "queue_free", BURL_GEN_RESULT_VOID);
    f->kind = BURL_GEN_DESTROY;
    gen_param(gen_method(m, "queue_push", BURL_GEN_RESULT_INT), BURL_GEN_ROLE_INT, "int");
    gen_method(m, "queue_pop", BURL_GEN_RESULT_INT);
    gen_method(m, "queue_wait", BURL_GEN_RESULT_INT)->may_block = true;
    gen_method(m, "queue_length", BURL_GEN_RESULT_INT)->dump = true;
    gen_param(gen_method(m, "queue_push_twice", BURL_GEN_RESULT_INT), BURL_GEN_ROLE_INT, "int");
    f = gen_method(m, "queue_read", BURL_GEN_RESULT_INT);
    gen_param(f, BURL_GEN_ROLE_BYTES_OUT, "char *")->partner = 2;
    gen_param(f, BURL_GEN_ROLE_LENGTH, "size_t")->partner = 1;
    f = gen_method(m, "queue_first", BURL_GEN_RESULT_INT);
    gen_param(f, BURL_GEN_ROLE_OUT_VALUE, "short *")->size_b = 2;
    f = gen_method(m, "queue_each", BURL_GEN_RESULT_INT);
    p = gen_param(f, BURL_GEN_ROLE_CALLBACK, "int (*)(int, void *)");
    p->callback = "int (int, void *)";
    gen_param(f, BURL_GEN_ROLE_CONTEXT, "void *")->partner = 1;
    gen_method(m, "queue_name", BURL_GEN_RESULT_STRING);
    gen_param(gen_method(m, "queue_set_name", BURL_GEN_RESULT_INT), BURL_GEN_ROLE_STRING,
              "const char *");
    gen_param(gen_method(m, "queue_swap", BURL_GEN_RESULT_PAYLOAD), BURL_GEN_ROLE_PAYLOAD,
              "void *");
    gen_method(m, "queue_where", BURL_GEN_RESULT_INT);
    gen_method(m, "queue_crash", BURL_GEN_RESULT_INT);
    f = gen_fn(m, "cell_init", BURL_GEN_MAKE, BURL_GEN_RESULT_INT);
    f->makes = 1;
    gen_param(f, BURL_GEN_ROLE_STORAGE, "struct cell *")->type = 1;
    gen_param(f, BURL_GEN_ROLE_INT, "int");
    f = gen_fn(m, "cell_done", BURL_GEN_DESTROY, BURL_GEN_RESULT_VOID);
    f->self = 0;
    gen_param(f, BURL_GEN_ROLE_OBJECT, "struct cell *")->type = 1;
    gen_param(gen_method(m, "queue_put_cell", BURL_GEN_RESULT_INT), BURL_GEN_ROLE_OBJECT,
              "struct cell *")
        ->type = 1;
    gen_method(m, "queue_push_later", BURL_GEN_RESULT_INT);
}

/* ---- tests by hand --------------------------------------------------------------------- */

static struct burl_gen_call *
gen_call(struct burl_gen_calls *to, const struct burl_gen_model *m, int fn, int self)
{
    struct burl_gen_call *c = BURL_VEC_ADD(to);

    *c = burl_gen_call_on(m, fn, self);
    return c;
}

/* Any call with an integer as its last argument. */
static void
gen_call_int(struct burl_gen_calls *to, const struct burl_gen_model *m, int fn, int self, int64_t i)
{
    struct burl_gen_call *c = gen_call(to, m, fn, self);

    c->args.v[c->args.n - 1] = (struct burl_gen_arg){ .kind = BURL_GEN_ARG_INT, .i = i };
}

/* A test of one queue with `capacity`, and n threads without calls. */
static struct burl_gen_test
gen_queue_test(const struct burl_gen_model *m, int64_t capacity, unsigned n_threads)
{
    struct burl_gen_test t = { .n_threads = n_threads, .n_slots = 1, .self = 0 };

    gen_call_int(&t.prefix, m, Q_NEW, 0, capacity);
    t.prefix.v[0].slot = 0;
    return t;
}

#endif
