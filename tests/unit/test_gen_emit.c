/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gen_emit.c - emitted tests compile without a warning under gcc and clang, pass when the
 * results are possible and abort with a sentence when they are not.
 *
 * The API below has a parameter of every role and a result of every kind. Outcomes are written by
 * hand, so that the table is checked against what the C code really gives.
 */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "gen/emit/emit.h"

static const char box_h[] =
    "#ifndef BOX_H\n#define BOX_H\n#include <stddef.h>\n#include <stdint.h>\n"
    "enum box_mode { BOX_OPEN = 1, BOX_SHUT = 2 };\n"
    "struct box;\n"
    "struct cell { int used; int value; };\n"
    "struct box_options { int size; char name[8]; };\n"
    "typedef int box_visit(int key, void *item, void *context);\n"
    "struct box *box_new(enum box_mode mode, const struct box_options *o, int flags);\n"
    "void box_free(struct box *b);\n"
    "int cell_init(struct cell *c, int value);\n"
    "void cell_done(struct cell *c);\n"
    "int box_open(struct box **out, const char *name);\n"
    "int box_put(struct box *b, signed char key, void *item);\n"
    "void *box_take(struct box *b);\n"
    "int box_find(struct box *b, unsigned char key, int *value, void **item);\n"
    "double box_mean(struct box *b, double scale);\n"
    "const char *box_name(struct box *b);\n"
    "char *box_text(struct box *b);\n"
    "int box_read(struct box *b, char *buf, size_t n);\n"
    "int box_write(struct box *b, const unsigned char *p, size_t n);\n"
    "int box_append(struct box *b, char *text);\n"
    "int box_array(struct box *b, const int *values, size_t n);\n"
    "int box_copy(struct box *b, int *out, size_t *n);\n"
    "int box_each(struct box *b, box_visit *fn, void *context);\n"
    "unsigned long box_swap(struct box *b, long *inout);\n"
    "void box_add(struct box *b, struct cell *c);\n"
    "void box_give(struct box *b, struct cell *c);\n"
    "int box_size(const struct box *b);\n"
    "#endif\n";

static const char box_c[] =
    "#include \"box.h\"\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "struct box { pthread_mutex_t lock; void *item; int n; long kept; };\n"
    "#define IN(b) pthread_mutex_lock(&(b)->lock)\n"
    "#define OUT(b) pthread_mutex_unlock(&(b)->lock)\n"
    "struct box *box_new(enum box_mode mode, const struct box_options *o, int flags)\n"
    "{ struct box *b; if (mode != BOX_OPEN || (o && o->size) || flags != 7) return NULL;\n"
    "  b = calloc(1, sizeof *b); pthread_mutex_init(&b->lock, NULL); return b; }\n"
    "void box_free(struct box *b) { pthread_mutex_destroy(&b->lock); free(b); }\n"
    "int cell_init(struct cell *c, int value)\n"
    "{ if (c->used) abort(); c->used = 1; c->value = value; return value < 0; }\n"
    "void cell_done(struct cell *c) { if (!c->used) abort(); c->used = 0; }\n"
    "int box_open(struct box **out, const char *name)\n"
    "{ if (strcmp(name, \"a?\\n\\\"\")) return -1;\n"
    "  *out = box_new(BOX_OPEN, NULL, 7); return 0; }\n"
    "int box_put(struct box *b, signed char key, void *item)\n"
    "{ int n; IN(b); b->item = item; n = b->n += key; OUT(b); return n; }\n"
    "void *box_take(struct box *b)\n"
    "{ void *p; IN(b); p = b->item; b->item = NULL; OUT(b); return p; }\n"
    "int box_find(struct box *b, unsigned char key, int *value, void **item)\n"
    "{ IN(b); *value = b->n + key; if (item) *item = b->item; OUT(b); return 0; }\n"
    "double box_mean(struct box *b, double scale)\n"
    "{ double x; IN(b); x = b->n * scale; OUT(b); return x; }\n"
    "const char *box_name(struct box *b) { (void)b; return \"box \\\"1\\\"\"; }\n"
    "char *box_text(struct box *b) { (void)b; return strdup(\"text\"); }\n"
    "int box_read(struct box *b, char *buf, size_t n)\n"
    "{ (void)b; memset(buf, 'x', n / 2); return (int)n; }\n"
    "int box_write(struct box *b, const unsigned char *p, size_t n)\n"
    "{ int s = 0; (void)b; while (n-- > 0) s += *p++; return s; }\n"
    "int box_append(struct box *b, char *text) { (void)b; text[0] = 'z'; return (int)strlen(text); "
    "}\n"
    "int box_array(struct box *b, const int *values, size_t n)\n"
    "{ int s = 0; (void)b; while (n-- > 0) s += *values++; return s; }\n"
    "int box_copy(struct box *b, int *out, size_t *n)\n"
    "{ (void)b; out[*n - 1] = 5; return (int)*n; }\n"
    "int box_each(struct box *b, box_visit *fn, void *context)\n"
    "{ if (fn(3, b->item, context)) return 1; return fn(4, NULL, context) ? 2 : 0; }\n"
    "unsigned long box_swap(struct box *b, long *inout)\n"
    "{ long x; IN(b); x = b->kept; b->kept = *inout; *inout = x; OUT(b); return 9; }\n"
    "void box_add(struct box *b, struct cell *c) { IN(b); b->n += c->value; OUT(b); }\n"
    "void box_give(struct box *b, struct cell *c)\n"
    "{ IN(b); b->n += c->value; OUT(b); c->used = 0; free(c); }\n"
    "int box_size(const struct box *b) { return b->n; }\n";

enum {
    BOX_NEW = 0,
    BOX_FREE,
    CELL_INIT,
    CELL_DONE,
    BOX_OPEN_,
    BOX_PUT,
    BOX_TAKE,
    BOX_FIND,
    BOX_MEAN,
    BOX_NAME,
    BOX_TEXT,
    BOX_READ,
    BOX_WRITE,
    BOX_APPEND,
    BOX_ARRAY,
    BOX_COPY,
    BOX_EACH,
    BOX_SWAP,
    BOX_ADD,
    BOX_GIVE,
    BOX_SIZE
};

static struct burl_gen_model model;

/* ---- the model ---------------------------------------------------------------------- */

static struct burl_gen_fn *
fn(const char *name, enum burl_gen_kind kind, enum burl_gen_result result, const char *ctype)
{
    struct burl_gen_fn *f = BURL_VEC_ADD(&model.fns);

    f->name = name;
    f->kind = kind;
    f->result = result;
    f->result_ctype = ctype;
    f->result_type = result == BURL_GEN_RESULT_OBJECT ? 0 : -1;
    f->makes = -1;
    f->self = -1;
    f->zero_is_success = true;
    return f;
}

static struct burl_gen_param *
param(struct burl_gen_fn *f, const char *name, const char *ctype, enum burl_gen_role role)
{
    struct burl_gen_param *p = BURL_VEC_ADD(&f->params);

    p->name = name;
    p->ctype = ctype;
    p->role = role;
    p->type = -1;
    p->partner = -1;
    p->size_b = role == BURL_GEN_ROLE_INT ? 4 : 0;
    return p;
}

/* A method: its first parameter is the box. */
static struct burl_gen_fn *
method(const char *name, enum burl_gen_result result, const char *ctype)
{
    struct burl_gen_fn *f = fn(name, BURL_GEN_METHOD, result, ctype);
    struct burl_gen_param *p = param(f, "b", "struct box *", BURL_GEN_ROLE_OBJECT);

    p->type = 0;
    f->self = 0;
    return f;
}

static void
pair(struct burl_gen_fn *f, enum burl_gen_role role, const char *ctype, const char *length,
     uint8_t size_b)
{
    struct burl_gen_param *p = param(f, "p", ctype, role);

    p->partner = 2;
    p->size_b = size_b;
    p = param(f, "n", length, BURL_GEN_ROLE_LENGTH);
    p->partner = 1;
}

static void
make_types(void)
{
    struct burl_gen_type *t = BURL_VEC_ADD(&model.types);
    struct burl_gen_type *u;

    t->name = "struct box";
    t->destroy = BOX_FREE;
    u = BURL_VEC_ADD(&model.types);
    u->name = "struct cell";
    u->complete = true;
    u->destroy = CELL_DONE;
    u->free_it = true;
    model.header = "box.h";
}

static void
make_makers(void)
{
    struct burl_gen_fn *f = fn("box_new", BURL_GEN_MAKE, BURL_GEN_RESULT_OBJECT, "struct box *");
    struct burl_gen_param *p = param(f, "mode", "enum box_mode", BURL_GEN_ROLE_INT);
    struct burl_gen_value_name open = { "BOX_OPEN", 1 };

    f->makes = 0;
    BURL_VEC_PUSH(&p->values, open);
    param(f, "o", "const struct box_options *", BURL_GEN_ROLE_RECORD)->nullable = true;
    param(f, "flags", "int", BURL_GEN_ROLE_FIXED)->expr = "3 + 4";
    f = fn("box_free", BURL_GEN_DESTROY, BURL_GEN_RESULT_VOID, "void");
    param(f, "b", "struct box *", BURL_GEN_ROLE_OBJECT)->type = 0;
    f->self = 0;
    f = fn("cell_init", BURL_GEN_MAKE, BURL_GEN_RESULT_INT, "int");
    param(f, "c", "struct cell *", BURL_GEN_ROLE_STORAGE)->type = 1;
    param(f, "value", "int", BURL_GEN_ROLE_INT);
    f->makes = 1;
    f = fn("cell_done", BURL_GEN_DESTROY, BURL_GEN_RESULT_VOID, "void");
    param(f, "c", "struct cell *", BURL_GEN_ROLE_OBJECT)->type = 1;
    f->self = 0;
    f = fn("box_open", BURL_GEN_MAKE, BURL_GEN_RESULT_INT, "int");
    param(f, "out", "struct box **", BURL_GEN_ROLE_OUT_OBJECT)->type = 0;
    param(f, "name", "const char *", BURL_GEN_ROLE_STRING);
    f->makes = 0;
}

static void
make_methods(void)
{
    struct burl_gen_fn *f = method("box_put", BURL_GEN_RESULT_INT, "int");
    struct burl_gen_param *p;

    param(f, "key", "signed char", BURL_GEN_ROLE_INT)->size_b = 1;
    param(f, "item", "void *", BURL_GEN_ROLE_PAYLOAD);
    method("box_take", BURL_GEN_RESULT_PAYLOAD, "void *");
    f = method("box_find", BURL_GEN_RESULT_INT, "int");
    p = param(f, "key", "unsigned char", BURL_GEN_ROLE_INT);
    p->size_b = 1;
    p->is_unsigned = true;
    param(f, "value", "int *", BURL_GEN_ROLE_OUT_VALUE)->size_b = 4;
    p = param(f, "item", "void **", BURL_GEN_ROLE_OUT_VALUE);
    p->is_payload = true;
    p->nullable = true;
    f = method("box_mean", BURL_GEN_RESULT_REAL, "double");
    param(f, "scale", "double", BURL_GEN_ROLE_REAL)->size_b = 8;
    method("box_name", BURL_GEN_RESULT_STRING, "const char *");
    method("box_text", BURL_GEN_RESULT_OWN_STRING, "char *");
    f = method("box_read", BURL_GEN_RESULT_INT, "int");
    pair(f, BURL_GEN_ROLE_BYTES_OUT, "char *", "size_t", 1);
    f = method("box_write", BURL_GEN_RESULT_INT, "int");
    pair(f, BURL_GEN_ROLE_BYTES_IN, "const unsigned char *", "size_t", 1);
    f = method("box_append", BURL_GEN_RESULT_INT, "int");
    param(f, "text", "char *", BURL_GEN_ROLE_STRING);
    f = method("box_array", BURL_GEN_RESULT_INT, "int");
    pair(f, BURL_GEN_ROLE_BYTES_IN, "const int *", "size_t", 4);
    f = method("box_copy", BURL_GEN_RESULT_INT, "int");
    pair(f, BURL_GEN_ROLE_BYTES_OUT, "int *", "size_t *", 4);
    f = method("box_each", BURL_GEN_RESULT_INT, "int");
    p = param(f, "fn", "box_visit *", BURL_GEN_ROLE_CALLBACK);
    p->callback = "int (int, void *, void *)";
    param(f, "context", "void *", BURL_GEN_ROLE_CONTEXT);
    f = method("box_swap", BURL_GEN_RESULT_INT, "unsigned long");
    param(f, "inout", "long *", BURL_GEN_ROLE_INOUT_VALUE)->size_b = 8;
    f = method("box_add", BURL_GEN_RESULT_VOID, "void");
    param(f, "c", "struct cell *", BURL_GEN_ROLE_OBJECT)->type = 1;
    f = method("box_give", BURL_GEN_RESULT_VOID, "void");
    p = param(f, "c", "struct cell *", BURL_GEN_ROLE_OBJECT);
    p->type = 1;
    p->consumes = true;
    f = method("box_size", BURL_GEN_RESULT_INT, "int");
    f->dump = true;
}

static int
set_up(void **state)
{
    (void)state;
    make_types();
    make_makers();
    make_methods();
    assert_int_equal(model.fns.n, BOX_SIZE + 1);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    burl_gen_model_deinit(&model);
    memset(&model, 0, sizeof model);
    return 0;
}

/* ---- tests -------------------------------------------------------------------------- */

static struct burl_gen_arg
slot(int64_t i)
{
    struct burl_gen_arg a = { .kind = BURL_GEN_ARG_SLOT, .i = i };

    return a;
}

static struct burl_gen_arg
number(int64_t i)
{
    struct burl_gen_arg a = { .kind = BURL_GEN_ARG_INT, .i = i };

    return a;
}

static struct burl_gen_arg
role(int64_t i)
{
    struct burl_gen_arg a = { .kind = BURL_GEN_ARG_ROLE, .i = i };

    return a;
}

static struct burl_gen_arg
kind(enum burl_gen_arg_kind k, int64_t i)
{
    struct burl_gen_arg a = { .kind = k, .i = i };

    return a;
}

static struct burl_gen_arg
bytes(const void *p, size_t n)
{
    struct burl_gen_arg a = { .kind = BURL_GEN_ARG_BYTES, .n_bytes = (uint16_t)n };

    memcpy(a.bytes, p, n);
    return a;
}

#define CALL(calls, f, s, ...)                                        \
    do {                                                              \
        const struct burl_gen_arg args_[] = { __VA_ARGS__ };          \
        add_call(calls, f, s, args_, sizeof args_ / sizeof args_[0]); \
    } while (0)

static void
add_call(struct burl_gen_calls *calls, int f, int s, const struct burl_gen_arg *args, size_t n)
{
    struct burl_gen_call *c = BURL_VEC_ADD(calls);

    c->fn = f;
    c->slot = s;
    for (size_t i = 0; i < n; i++)
        BURL_VEC_PUSH(&c->args, args[i]);
    assert_int_equal(n, model.fns.v[f].params.n);
}

#define B slot(0)

/* Something of everything, in two threads whose calls do not depend on each other. */
static struct burl_gen_test
make_test(void)
{
    struct burl_gen_test t = { .n_threads = 2, .n_slots = 5, .self = 0 };
    struct burl_gen_calls *a = &t.threads[0];
    struct burl_gen_calls *b = &t.threads[1];
    const int ints[] = { 1, -2, 30 };
    struct burl_gen_arg half = { .kind = BURL_GEN_ARG_REAL, .real = 0.5 };

    CALL(&t.prefix, BOX_NEW, 0, number(1), role(0), role(0));
    CALL(&t.prefix, CELL_INIT, 1, slot(1), number(0));
    CALL(&t.prefix, BOX_OPEN_, 2, slot(2), bytes("a?\n\"", 4));
    CALL(a, BOX_PUT, -1, B, number(0), kind(BURL_GEN_ARG_PAYLOAD, 3));
    CALL(a, BOX_FIND, -1, B, number(300), role(0), role(0));
    CALL(a, BOX_FIND, -1, slot(2), number(3), role(0), kind(BURL_GEN_ARG_NULL, 0));
    CALL(a, BOX_TAKE, -1, B);
    CALL(a, BOX_MEAN, -1, B, half);
    CALL(a, BOX_NAME, -1, B);
    CALL(a, BOX_TEXT, -1, B);
    CALL(a, CELL_INIT, 3, slot(3), number(-1)); /* fails: what uses it is left out */
    CALL(a, BOX_ADD, -1, B, slot(3));
    CALL(b, BOX_READ, -1, B, role(70), role(0));
    CALL(b, BOX_WRITE, -1, B, bytes("\001\377*/", 4), role(0));
    CALL(b, BOX_APPEND, -1, B, bytes("/*ab", 4));
    CALL(b, BOX_ARRAY, -1, B, bytes(ints, sizeof ints), role(0));
    CALL(b, BOX_COPY, -1, B, role(8), role(0));
    CALL(b, BOX_EACH, -1, slot(2), kind(BURL_GEN_ARG_CALLBACK, 0), role(0));
    CALL(b, BOX_EACH, -1, slot(2), kind(BURL_GEN_ARG_CALLBACK, 1), role(0));
    CALL(b, BOX_SWAP, -1, B, number(-7));
    CALL(b, CELL_INIT, 4, slot(4), number(0));
    CALL(b, BOX_GIVE, -1, B, slot(4));
    CALL(b, BOX_ADD, -1, B, slot(1));
    return t;
}

static void
value(struct burl_gen_outcome *o, unsigned call, unsigned p, enum burl_gen_value_kind k,
      int64_t bits)
{
    struct burl_gen_value *v = BURL_VEC_ADD(&o->values);

    v->kind = (uint8_t)k;
    v->call = (uint16_t)call;
    v->param = (uint8_t)p;
    v->bits = (uint64_t)bits;
}

static void
text(struct burl_gen_outcome *o, unsigned call, unsigned p, const char *s, size_t n)
{
    struct burl_gen_value *v;

    value(o, call, p, BURL_GEN_VALUE_BYTES, 0);
    v = &o->values.v[o->values.n - 1];
    v->length = (uint32_t)n;
    v->n_bytes = (uint16_t)(n < BURL_GEN_VALUE_BYTES_B ? n : BURL_GEN_VALUE_BYTES_B);
    memcpy(v->bytes, s, v->n_bytes);
}

/* What the calls of make_test() give: as box_c says, in every order. */
static struct burl_gen_outcome
make_outcome(void)
{
    struct burl_gen_outcome o = { .end = BURL_GEN_END_DONE, .failed_call = -1 };
    const uint64_t step = 1000003;
    uint64_t seen[2];
    char read[70] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    double zero = 0;
    int copied[2] = { 0, 5 };
    uint64_t bits;

    memcpy(&bits, &zero, sizeof bits);
    value(&o, 0, 0, BURL_GEN_VALUE_SLOT, 0);
    value(&o, 1, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 2, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 2, 1, BURL_GEN_VALUE_POINTER, 0);
    value(&o, 3, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 4, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 4, 3, BURL_GEN_VALUE_INT, 300 % 256);
    value(&o, 4, 4, BURL_GEN_VALUE_PAYLOAD, 3);
    value(&o, 5, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 5, 3, BURL_GEN_VALUE_INT, 3);
    value(&o, 6, 0, BURL_GEN_VALUE_PAYLOAD, 3);
    value(&o, 7, 0, BURL_GEN_VALUE_REAL, (int64_t)bits);
    text(&o, 8, 0, "box \"1\"", 7);
    text(&o, 9, 0, "text", 4);
    value(&o, 10, 0, BURL_GEN_VALUE_INT, 1);
    value(&o, 12, 0, BURL_GEN_VALUE_INT, 70);
    text(&o, 12, 2, read, sizeof read);
    value(&o, 13, 0, BURL_GEN_VALUE_INT, 1 + 255 + '*' + '/');
    value(&o, 14, 0, BURL_GEN_VALUE_INT, 4);
    value(&o, 15, 0, BURL_GEN_VALUE_INT, 29);
    value(&o, 16, 0, BURL_GEN_VALUE_INT, 2);
    text(&o, 16, 2, (const char *)copied, sizeof copied);
    /* Called with (3, NULL, context), then (4, NULL, context); or once. */
    seen[1] = (((0 * step + 1) * step + 3) * step + 0) * step + 0;
    seen[0] = (((seen[1] * step + 1) * step + 4) * step + 0) * step + 0;
    value(&o, 17, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 17, 2, BURL_GEN_VALUE_INT, (int64_t)seen[0]);
    value(&o, 18, 0, BURL_GEN_VALUE_INT, 1);
    value(&o, 18, 2, BURL_GEN_VALUE_INT, (int64_t)seen[1]);
    value(&o, 19, 0, BURL_GEN_VALUE_INT, 9);
    value(&o, 19, 2, BURL_GEN_VALUE_INT, 0);
    value(&o, 20, 0, BURL_GEN_VALUE_INT, 0);
    value(&o, 23, 0, BURL_GEN_VALUE_INT, 0);
    o.values.v[3].kind = BURL_GEN_VALUE_SLOT;
    o.values.v[3].bits = 2;
    o.n_calls = 24;
    memset(o.state, BURL_GEN_CALL_DONE, o.n_calls);
    o.state[11] = BURL_GEN_CALL_NOT_BEGUN;
    return o;
}

/* ---- compiling ---------------------------------------------------------------------- */

static void
put_file(const char *dir, const char *name, const char *contents)
{
    char *path = burl_xasprintf("%s/%s", dir, name);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(contents, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(path);
}

static int
run(const char *fmt, const char *dir, const char *arg)
{
    char *text_owned = burl_xasprintf(fmt, dir, arg);
    const char *argv[] = { "/bin/sh", "-c", text_owned, NULL };
    const pid_t pid = fork();
    int status = -1;

    assert_true(pid >= 0);
    if (pid == 0) {
        execv(argv[0], (char **)(uintptr_t)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    free(text_owned);
    return status;
}

static bool
has_compiler(const char *cc)
{
    return run("%s --version >%s 2>&1", cc, "/dev/null") == 0;
}

static char *work; /* directory with the API, compiled once */

static int
make_work(void **state)
{
    (void)state;
    work = unit_mkdir();
    put_file(work, "box.h", box_h);
    put_file(work, "box.c", box_c);
    assert_int_equal(run("cd '%s' && cc -c box.c %s", work, ""), 0);
    return 0;
}

static int
end_work(void **state)
{
    (void)state;
    unit_rmdir(work);
    return 0;
}

/* Compiles the text with all warnings and runs it; its wait status. */
static int
compile_and_run(const char *source, const char *cc, char **said)
{
    char *log;
    int status;
    FILE *f;

    put_file(work, "test.c", source);
    status = run("cd '%s' && %s -Wall -Wextra -Werror -pedantic-errors test.c box.o -lm -pthread "
                 "-o test",
                 work, cc);
    if (status != 0)
        fail_msg("%s does not take:\n%s", cc, source);
    status = run("cd '%s' && ulimit -c 0 && exec ./test %s 2>said", work, "");
    log = burl_xasprintf("%s/said", work);
    f = fopen(log, "r");
    assert_non_null(f);
    *said = burl_xcalloc(1, 4096);
    assert_true(fread(*said, 1, 4095, f) < 4095);
    fclose(f);
    free(log);
    return status;
}

static const char *const compilers[] = { "gcc -std=c11", "gcc -O2 -std=c11", "clang-19 -std=c11",
                                         "clang-19 -O2 -std=c11" };

static void
expect_run(const char *source, bool passes)
{
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        char *said;
        int status;

        if (!has_compiler(compilers[i]))
            continue;
        status = compile_and_run(source, compilers[i], &said);
        if (passes && status != 0)
            fail_msg("status %d: %s\n%s", status, said, source);
        if (!passes) {
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
            EXPECT_CONTAINS(said,
                            "results match no sequential order of the calls (not linearizable)");
        }
        free(said);
    }
}

static char *
emit(const struct burl_gen_test *t, const struct burl_gen_linear *linear, size_t n,
     const struct burl_gen_violation *v)
{
    const char *const words[] = { "box.c", "-lm" };
    struct burl_gen_emit e = { .model = &model,
                               .test = t,
                               .linear = linear,
                               .n_linear = n,
                               .violation = v,
                               .words = words,
                               .n_words = 2,
                               .name = "test_3",
                               .start_together = true };
    struct burl_buf out = BURL_BUF_INIT;

    burl_gen_emit_test(&e, &out);
    return burl_buf_take(&out, NULL);
}

/* ---- laws --------------------------------------------------------------------------- */

static void
possible_results_pass_and_others_abort(void **state)
{
    struct burl_gen_test t = make_test();
    struct burl_gen_outcome o = make_outcome();
    const struct burl_gen_order order = { .n = 0 };
    struct burl_gen_linear row = { &order, &o };
    char *source = emit(&t, &row, 1, NULL);

    (void)state;
    expect_run(source, true);
    free(source);
    /* Each value alone makes the difference. */
    for (size_t i = 0; i < o.values.n; i++) {
        struct burl_gen_value *v = &o.values.v[i];
        const struct burl_gen_value saved = *v;
        char *said;
        int status;

        v->bits++;
        v->length++;
        source = emit(&t, &row, 1, NULL);
        status = compile_and_run(source, "cc", &said);
        /* But for those of the prefix, which are the same in every order. */
        if (v->call < 3)
            assert_int_equal(status, 0);
        else if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
            fail_msg("value %zu (call %u, parameter %u) is not compared:\n%s", i, v->call, v->param,
                     source);
        free(said);
        free(source);
        *v = saved;
    }
    o.values.v[6].bits = 77;
    source = emit(&t, &row, 1, NULL);
    expect_run(source, false);
    free(source);
    BURL_VEC_FREE(&o.values);
    burl_gen_test_deinit(&t);
}

static void
any_row_of_the_table_will_do(void **state)
{
    struct burl_gen_test t = make_test();
    struct burl_gen_outcome good = make_outcome();
    struct burl_gen_outcome bad = make_outcome();
    const struct burl_gen_order order = { .n = 0 };
    struct burl_gen_linear rows[3] = { { &order, &bad }, { &order, &good }, { &order, &bad } };
    char *source;

    (void)state;
    bad.values.v[8].bits = 5;
    source = emit(&t, rows, 3, NULL);
    expect_run(source, true);
    free(source);
    BURL_VEC_FREE(&good.values);
    BURL_VEC_FREE(&bad.values);
    burl_gen_test_deinit(&t);
}

static void
without_a_table_nothing_is_compared(void **state)
{
    struct burl_gen_test t = make_test();
    struct burl_gen_outcome o = make_outcome();
    const struct burl_gen_order order = { .n = 0 };
    struct burl_gen_linear rows[65];
    char *source = emit(&t, NULL, 0, NULL);

    (void)state;
    expect_run(source, true);
    EXPECT_CONTAINS(source, "Results are not compared");
    assert_null(strstr(source, "__burl_non_linearizable"));
    free(source);
    for (int i = 0; i < 65; i++)
        rows[i] = (struct burl_gen_linear){ &order, &o };
    source = emit(&t, rows, 65, NULL);
    EXPECT_CONTAINS(source, "Results are not compared");
    free(source);
    BURL_VEC_FREE(&o.values);
    burl_gen_test_deinit(&t);
}

/* put(b, 1, payload) in each of two threads, both of which returned 1. */
static void
the_comment_tells_the_run_and_the_orders(void **state)
{
    struct burl_gen_test t = { .n_threads = 2, .n_slots = 1, .self = 0 };
    struct burl_gen_outcome first = { .n_calls = 4 };
    struct burl_gen_outcome second = { .n_calls = 4 };
    struct burl_gen_violation v = { .confirmed = 1 };
    const struct burl_gen_order ab = { .thread = { 0, 1 }, .n = 2 };
    const struct burl_gen_order ba = { .thread = { 1, 0 }, .n = 2 };
    struct burl_gen_linear rows[2] = { { &ab, &first }, { &ba, &second } };
    const struct burl_gen_event events[] = { { 0, BOX_PUT, 0 },  { 1, BOX_PUT, 0 },
                                             { 1, BOX_SIZE, 0 }, { 1, BOX_SIZE, 1 },
                                             { 0, BOX_PUT, 1 },  { 1, BOX_PUT, 1 } };
    char *source;

    (void)state;
    CALL(&t.prefix, BOX_NEW, 0, number(1), kind(BURL_GEN_ARG_NULL, 0), role(0));
    for (int k = 0; k < 2; k++)
        CALL(&t.threads[k], BOX_PUT, -1, B, number(1), kind(BURL_GEN_ARG_PAYLOAD, 3));
    value(&first, 0, 0, BURL_GEN_VALUE_SLOT, 0);
    value(&second, 0, 0, BURL_GEN_VALUE_SLOT, 0);
    for (int k = 0; k < 2; k++) {
        value(&first, (unsigned)k + 1, 0, BURL_GEN_VALUE_INT, k + 1);
        value(&second, (unsigned)k + 1, 0, BURL_GEN_VALUE_INT, 2 - k);
        value(&v.run, (unsigned)k + 1, 0, BURL_GEN_VALUE_INT, 1);
    }
    value(&first, 3, 0, BURL_GEN_VALUE_INT, 2);
    value(&second, 3, 0, BURL_GEN_VALUE_INT, 2);
    value(&v.run, 3, 0, BURL_GEN_VALUE_INT, 1);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        BURL_VEC_PUSH(&v.run.events, events[i]);
    v.run.n_calls = 4;
    memset(v.run.state, BURL_GEN_CALL_DONE, 4);
    v.verdict.by_results = true;
    snprintf(v.verdict.why, sizeof v.verdict.why, "none of the 2 orders of the calls gives these");
    source = emit(&t, rows, 2, &v);
    EXPECT_CONTAINS(source, "Shows: none of the 2 orders");
    EXPECT_CONTAINS(source, "A  a1: box_put(b, 1, &payload[3]) begins\n"
                            " *       B  b1: box_put(b, 1, &payload[3]) begins\n"
                            " *   A  a1: box_put(b, 1, &payload[3]) returns 1\n"
                            " *       B  b1: box_put(b, 1, &payload[3]) returns 1\n");
    EXPECT_CONTAINS(source, "a1 = 1; b1 = 1; last1 = 1");
    EXPECT_CONTAINS(source, "a1 b1:  a1 = 1; b1 = 2; last1 = 2");
    EXPECT_CONTAINS(source, "b1 a1:  a1 = 2; b1 = 1; last1 = 2");
    EXPECT_CONTAINS(source, "burl-cc -g -I. test_3.c box.c -lm -pthread -o test_3");
    EXPECT_CONTAINS(source, "burl test ./test_3");
    expect_run(source, true);
    free(source);
    BURL_VEC_FREE(&first.values);
    BURL_VEC_FREE(&second.values);
    BURL_VEC_FREE(&v.run.values);
    BURL_VEC_FREE(&v.run.events);
    burl_gen_test_deinit(&t);
}

static void
the_suite_builds_with_make(void **state)
{
    char *dir = unit_mkdir();
    const char *const words[] = { "src/box.c", "-DNAME=\"a $x\"", "-I", "src", "-lm", NULL };
    struct burl_gen_sources src = { .header = "src/box.h", .words = words, .n_words = 5 };
    struct burl_gen_test t = make_test();
    char old[4096];
    struct burl_buf out = BURL_BUF_INIT;
    char *source;

    (void)state;
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(run("mkdir '%s/src' '%s/suite'", dir, dir), 0);
    put_file(dir, "src/box.h", box_h);
    put_file(dir, "src/box.c", box_c);
    source = emit(&t, NULL, 0, NULL);
    put_file(dir, "suite/test_1.c", source);
    put_file(dir, "suite/test_2.c", source);
    assert_int_equal(chdir(dir), 0);
    burl_gen_emit_makefile(&src, 2, &out);
    put_file(dir, "suite/Makefile", burl_buf_str(&out));
    burl_buf_clear(&out);
    burl_gen_emit_cmake(&src, 2, &out);
    put_file(dir, "suite/CMakeLists.txt", burl_buf_str(&out));
    burl_buf_deinit(&out);
    assert_int_equal(chdir(old), 0);
    assert_int_equal(run("make -s -C '%s/suite' check >'%s/log' 2>&1", dir, dir), 0);
    assert_int_equal(run("grep -q 'ok      test_2' '%s/log' %s", dir, ""), 0);
    /* A test that fails makes the suite fail. */
    put_file(dir, "suite/test_2.c", "int main(void) { return 3; }\n");
    assert_int_not_equal(run("make -s -C '%s/suite' check >'%s/log' 2>&1", dir, dir), 0);
    assert_int_equal(run("grep -q 'FAILED  test_2' '%s/log' %s", dir, ""), 0);
    if (has_compiler("cmake"))
        assert_int_equal(run("cd '%s/suite' && cmake -S . -B b >'%s/log' 2>&1 && "
                             "cmake --build b --target test_1 >>log 2>&1 && "
                             "ctest --test-dir b -R test_1 >>log 2>&1",
                             dir, dir),
                         0);
    free(source);
    burl_gen_test_deinit(&t);
    unit_rmdir(dir);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(possible_results_pass_and_others_abort),
        TEST(any_row_of_the_table_will_do),
        TEST(without_a_table_nothing_is_compared),
        TEST(the_comment_tells_the_run_and_the_orders),
        TEST(the_suite_builds_with_make),
    };

    return cmocka_run_group_tests(tests, make_work, end_work);
}
