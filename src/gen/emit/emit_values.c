/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_values.c - results in an emitted test: where they are kept, and the table of
 * possible ones.
 *
 * A value that a call did not produce (it was left out, a callback was not called) is 0 in the
 * table as it is in the variable. Of long texts the beginning and the length are compared. Both
 * make the emitted test a little weaker than the oracle, never stricter.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

/* ---- which values there are --------------------------------------------------------- */

static const enum burl__gen_field_kind result_fields[BURL_GEN_RESULT__N] = {
    [BURL_GEN_RESULT_INT] = BURL__GEN_FIELD_INT,
    [BURL_GEN_RESULT_REAL] = BURL__GEN_FIELD_REAL,
    [BURL_GEN_RESULT_STRING] = BURL__GEN_FIELD_TEXT,
    [BURL_GEN_RESULT_OWN_STRING] = BURL__GEN_FIELD_TEXT,
    [BURL_GEN_RESULT_STRUCT] = BURL__GEN_FIELD_TEXT,
    [BURL_GEN_RESULT_PAYLOAD] = BURL__GEN_FIELD_POINTER,
    [BURL_GEN_RESULT_OBJECT] = BURL__GEN_FIELD_POINTER,
};

static enum burl__gen_field_kind
param_field(const struct burl_gen_param *p)
{
    switch (p->role) {
    case BURL_GEN_ROLE_OUT_VALUE:
    case BURL_GEN_ROLE_INOUT_VALUE:
        return p->is_payload ? BURL__GEN_FIELD_POINTER
               : p->is_real  ? BURL__GEN_FIELD_REAL
                             : BURL__GEN_FIELD_INT;
    case BURL_GEN_ROLE_OUT_OBJECT:
        return BURL__GEN_FIELD_POINTER;
    case BURL_GEN_ROLE_BYTES_OUT:
        return BURL__GEN_FIELD_TEXT;
    case BURL_GEN_ROLE_CALLBACK:
        return BURL__GEN_FIELD_SEEN;
    default:
        return BURL__GEN_FIELD_NONE;
    }
}

static void
add_field(struct burl__gen_emitter *em, unsigned call, unsigned param,
          enum burl__gen_field_kind kind)
{
    const struct burl__gen_emit_call *c = &em->calls.v[call];
    const struct burl_gen_value v = { .call = (uint16_t)call, .param = (uint8_t)param };
    struct burl__gen_field f = { .call = call, .param = param, .kind = kind };

    if (kind == BURL__GEN_FIELD_NONE)
        return;
    f.compared = c->thread != BURL__GEN_IN_PREFIX &&
                 (!em->e->oracle || !burl_gen_oracle_is_masked(em->e->oracle, &v));
    f.is_lent = kind == BURL__GEN_FIELD_TEXT && param == 0 && c->thread >= 0 &&
                c->f->result == BURL_GEN_RESULT_STRING;
    snprintf(f.name, sizeof f.name, "%s",
             param == 0 ? c->name : burl__gen_emit_arg_of(em, call, param - 1).name);
    BURL_VEC_PUSH(&em->fields, f);
}

void
burl__gen_emit_find_fields(struct burl__gen_emitter *em)
{
    bool unknown = false;
    bool any = false;

    for (unsigned i = 0; i < em->calls.n; i++) {
        const struct burl__gen_emit_call *ec = &em->calls.v[i];
        const bool is_prefix = ec->thread == BURL__GEN_IN_PREFIX;

        /* The prefix has the same values in every order: of those only the results that tell
         * whether an object was made. */
        if (!is_prefix ||
            (burl_gen_fn_made_param(ec->f) >= 0 && ec->f->result == BURL_GEN_RESULT_INT))
            add_field(em, i, 0, result_fields[ec->f->result]);
        for (size_t k = 0; !is_prefix && k < ec->c->args.n; k++) {
            if (ec->c->args.v[k].kind != BURL_GEN_ARG_NULL)
                add_field(em, i, (unsigned)k + 1, param_field(&ec->f->params.v[k]));
        }
        /* It is unknown which number means failure. */
        unknown |=
            ec->f->weak && ec->f->result == BURL_GEN_RESULT_INT && !burl_gen_fn_is_weak_bool(ec->f);
    }
    for (size_t i = 0; i < em->fields.n; i++)
        any |= em->fields.v[i].compared;
    em->checked = any && !unknown && em->e->n_linear > 0 && em->e->n_linear <= BURL__GEN_MAX_TABLE;
}

const struct burl__gen_field *
burl__gen_emit_field(const struct burl__gen_emitter *em, unsigned call, unsigned param)
{
    for (size_t i = 0; i < em->fields.n; i++) {
        if (em->fields.v[i].call == call && em->fields.v[i].param == param)
            return &em->fields.v[i];
    }
    return NULL;
}

static const struct burl_gen_value *
find_value(const struct burl_gen_outcome *o, const struct burl__gen_field *f)
{
    for (size_t i = 0; i < o->values.n; i++) {
        if (o->values.v[i].call == f->call && o->values.v[i].param == f->param)
            return &o->values.v[i];
    }
    return NULL;
}

/* ---- values as C -------------------------------------------------------------------- */

static void
write_int(int64_t x, struct burl_buf *out)
{
    if (x == INT64_MIN)
        burl_buf_str_append(out, "-9223372036854775807LL - 1");
    else
        burl_buf_printf(out, "%" PRId64 "%s", x, x > INT32_MAX || x < INT32_MIN ? "LL" : "");
}

static void
write_real(uint64_t bits, struct burl_buf *out)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    if (isnan(x))
        burl_buf_str_append(out, "NAN");
    else if (isinf(x))
        burl_buf_str_append(out, x > 0 ? "HUGE_VAL" : "-HUGE_VAL");
    else
        burl_buf_printf(out, "%.17g", x);
}

static void
write_pointer(const struct burl_gen_value *v, struct burl_buf *out)
{
    if (!v || v->kind == BURL_GEN_VALUE_NULL)
        burl_buf_str_append(out, "NOTHING");
    else if (v->kind == BURL_GEN_VALUE_PAYLOAD)
        burl_buf_printf(out, "PAYLOAD + %" PRIu64, v->bits);
    else if (v->kind == BURL_GEN_VALUE_SLOT)
        burl_buf_printf(out, "OBJECT + %" PRIu64, v->bits);
    else
        burl_buf_str_append(out, "OTHER");
}

/* Bytes up to the last that is not zero: the rest of the variable is zero as well. */
static size_t
without_zeros(const struct burl_gen_value *v)
{
    size_t n = v->n_bytes;

    while (n > 0 && v->bytes[n - 1] == 0)
        n--;
    return n;
}

static void
write_cell(const struct burl__gen_field *f, const struct burl_gen_value *v, struct burl_buf *out)
{
    switch (f->kind) {
    case BURL__GEN_FIELD_INT:
        write_int(v ? (int64_t)v->bits : 0, out);
        break;
    case BURL__GEN_FIELD_SEEN:
        burl_buf_printf(out, "%" PRIu64 "%s", v ? v->bits : 0,
                        v && v->bits > INT32_MAX ? "ULL" : "");
        break;
    case BURL__GEN_FIELD_REAL:
        write_real(v ? v->bits : 0, out);
        break;
    case BURL__GEN_FIELD_TEXT:
        if (v && v->kind == BURL_GEN_VALUE_BYTES) {
            burl_buf_printf(out, "{ %" PRIu32 ", ", v->length);
            burl_gen_literal_print(v->bytes, without_zeros(v), out);
            burl_buf_str_append(out, " }");
        } else {
            burl_buf_printf(out, "{ %d, \"\" }", v ? -1 : 0);
        }
        break;
    default:
        write_pointer(v, out);
    }
}

#define SHOWN_B 24u /* of bytes, in comments */

/* Elements of an array for people: { 1, -2, 0... }. */
static void
show_elements(const struct burl_gen_value *v, unsigned size_b, struct burl_buf *out)
{
    const size_t n = without_zeros(v) < SHOWN_B ? without_zeros(v) : SHOWN_B;
    const unsigned unused = 64 - 8 * size_b;

    burl_buf_char(out, '{');
    for (size_t at = 0; at < n && at + size_b <= v->n_bytes; at += size_b) {
        uint64_t x = 0;

        memcpy(&x, v->bytes + at, size_b);
        burl_buf_printf(out, " %" PRId64 ",", (int64_t)(x << unused) >> unused);
    }
    burl_buf_printf(out, " ... } (%" PRIu32 " elements)", v->length / size_b);
}

void
burl__gen_emit_value(const struct burl__gen_emitter *em, const struct burl_gen_value *v,
                     unsigned size_b, struct burl_buf *out)
{
    size_t n;

    switch (v->kind) {
    case BURL_GEN_VALUE_INT:
        burl_buf_printf(out, "%" PRId64, (int64_t)v->bits);
        break;
    case BURL_GEN_VALUE_REAL:
        write_real(v->bits, out);
        break;
    case BURL_GEN_VALUE_NULL:
        burl_buf_str_append(out, "NULL");
        break;
    case BURL_GEN_VALUE_PAYLOAD:
        burl_buf_printf(out, "&payload[%" PRIu64 "]", v->bits);
        break;
    case BURL_GEN_VALUE_SLOT:
        burl_buf_str_append(out, burl_gen_slot_name(em->m, em->t, (int)v->bits).s);
        break;
    case BURL_GEN_VALUE_BYTES:
        if (size_b == 2 || size_b == 4 || size_b == 8) {
            show_elements(v, size_b, out);
            break;
        }
        n = without_zeros(v);
        burl_gen_literal_print(v->bytes, n < SHOWN_B ? n : SHOWN_B, out);
        if (n > SHOWN_B || v->length != n)
            burl_buf_printf(out, "... (%" PRIu32 " bytes)", v->length);
        break;
    case BURL_GEN_VALUE_CHANGED:
        burl_buf_str_append(out, "a string that changed while it was read");
        break;
    default:
        burl_buf_str_append(out, "an address");
        break;
    }
}

/* ---- struct and table --------------------------------------------------------------- */

/* How fields of a kind are declared, printed, and recognized as the failure of a weak function. */
static const struct {
    const char *type;
    const char *format;
    const char *failed;
} forms[BURL__GEN_FIELD__N] = {
    [BURL__GEN_FIELD_INT] = { "long long", "%lld", " == 0" },
    [BURL__GEN_FIELD_SEEN] = { "unsigned long long", "%llu", " == 0" },
    [BURL__GEN_FIELD_REAL] = { "double", "%.17g", " == 0" },
    [BURL__GEN_FIELD_TEXT] = { "struct text", NULL, ".length < 0" },
    [BURL__GEN_FIELD_POINTER] = { "int", NULL, " == NOTHING" },
};

static const struct burl_gen_fn *
fn_of_field(const struct burl__gen_emitter *em, const struct burl__gen_field *f)
{
    return em->calls.v[f->call].f;
}

/* The bytes of a struct. */
static bool
is_struct(const struct burl__gen_emitter *em, const struct burl__gen_field *f)
{
    return f->param == 0 && fn_of_field(em, f)->result == BURL_GEN_RESULT_STRUCT;
}

/* The next field from *i on that is compared; NULL at the end. */
static const struct burl__gen_field *
next_compared(const struct burl__gen_emitter *em, size_t *i)
{
    while (*i < em->fields.n && !em->fields.v[*i].compared)
        ++*i;
    return *i < em->fields.n ? &em->fields.v[(*i)++] : NULL;
}

void
burl__gen_emit_struct(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (em->fields.n == 0)
        return;
    burl_buf_str_append(out, "/* What the calls gave back. */\nstruct results {\n");
    for (size_t i = 0; i < em->fields.n; i++) {
        const struct burl__gen_field *f = &em->fields.v[i];
        const struct burl_gen_fn *fn = fn_of_field(em, f);

        burl_buf_printf(out, "    %s %s; /* %s()", forms[f->kind].type, f->name, fn->name);
        if (f->param > 0 && fn->params.v[f->param - 1].name[0])
            burl_buf_printf(out, ", %s", fn->params.v[f->param - 1].name);
        burl_buf_printf(out, "%s */\n", f->compared || !em->checked ? "" : "; not compared");
    }
    burl_buf_str_append(out, "};\n\nstatic struct results got;\n\n");
}

static void
write_rows(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    burl_buf_str_append(out, "/* What they may give back: one row for each result that some order "
                             "of the calls has. */\n"
                             "static const struct results possible[] = {\n");
    for (size_t r = 0; r < em->e->n_linear; r++) {
        const char *comma = "    { ";
        const struct burl__gen_field *f;

        for (size_t i = 0; (f = next_compared(em, &i)) != NULL;) {
            burl_buf_printf(out, "%s.%s = ", comma, f->name);
            write_cell(f, find_value(em->e->linear[r].outcome, f), out);
            comma = ",\n      ";
        }
        burl_buf_str_append(out, " },\n");
    }
    burl_buf_str_append(out, "};\n\n");
}

static void
write_same(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const char *and = "    return ";
    const struct burl__gen_field *f;

    burl_buf_str_append(out, "static int\nsame(const struct results *a, const struct results *b)\n"
                             "{\n");
    for (size_t i = 0; (f = next_compared(em, &i)) != NULL; and = " &&\n           ") {
        burl_buf_str_append(out, and);
        if (f->is_lent)
            burl_buf_printf(out,
                            "((a->%s.length == CHANGED && b->%s.length >= 0) ||\n"
                            "            (a->%s.length == b->%s.length &&\n"
                            "             memcmp(a->%s.bytes, b->%s.bytes, sizeof a->%s.bytes) == "
                            "0))",
                            f->name, f->name, f->name, f->name, f->name, f->name, f->name);
        else if (f->kind == BURL__GEN_FIELD_TEXT)
            burl_buf_printf(out,
                            "a->%s.length == b->%s.length &&\n"
                            "           memcmp(a->%s.bytes, b->%s.bytes, sizeof a->%s.bytes) "
                            "== 0",
                            f->name, f->name, f->name, f->name, f->name);
        else if (f->kind == BURL__GEN_FIELD_REAL)
            burl_buf_printf(out, "(a->%s == b->%s || (isnan(a->%s) && isnan(b->%s)))", f->name,
                            f->name, f->name, f->name);
        else
            burl_buf_printf(out, "a->%s == b->%s", f->name, f->name);
    }
    burl_buf_str_append(out, ";\n}\n\n");
}

/* Names for the results of which(). */
static void
write_name_of(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    burl_buf_str_append(out, "static const char *\nname_of(int what)\n{\n"
                             "    static char name[32];\n\n    switch (what) {\n"
                             "    case NOTHING:\n        return \"NULL\";\n"
                             "    case OTHER:\n        return \"another address\";\n");
    for (int s = 0; s < em->t->n_slots; s++) {
        if (burl_gen_test_has_slot(em->t, s))
            burl_buf_printf(out, "    case OBJECT + %d:\n        return \"%s\";\n", s,
                            burl_gen_slot_name(em->m, em->t, s).s);
    }
    burl_buf_str_append(out,
                        "    default:\n"
                        "        snprintf(name, sizeof name, \"&payload[%d]\", what - PAYLOAD);\n"
                        "        return name;\n    }\n}\n\n");
}

static void
write_show(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    const struct burl__gen_field *f;
    bool has_pointer = false;

    for (size_t i = 0; (f = next_compared(em, &i)) != NULL;)
        has_pointer |= f->kind == BURL__GEN_FIELD_POINTER;
    if (has_pointer)
        write_name_of(em, out);
    burl_buf_str_append(out, "static void\nshow(void)\n{\n");
    for (size_t i = 0; (f = next_compared(em, &i)) != NULL;) {
        burl_buf_printf(out, "    fprintf(stderr, \"%s of %s(): ", f->name,
                        fn_of_field(em, f)->name);
        if (is_struct(em, f))
            burl_buf_printf(out,
                            "bytes\");\n"
                            "    for (size_t i = 0; i < %d && i < (size_t)got.%s.length; i++)\n"
                            "        fprintf(stderr, \" %%02x\", (unsigned char)got.%s.bytes[i]);\n"
                            "    fprintf(stderr, \"\\n\");\n",
                            BURL_GEN_VALUE_BYTES_B, f->name, f->name);
        else if (f->kind == BURL__GEN_FIELD_TEXT)
            burl_buf_printf(out, "\\\"%%s\\\", length %%ld\\n\", got.%s.bytes, got.%s.length);\n",
                            f->name, f->name);
        else if (f->kind == BURL__GEN_FIELD_POINTER)
            burl_buf_printf(out, "%%s\\n\", name_of(got.%s));\n", f->name);
        else
            burl_buf_printf(out, "%s\\n\", got.%s);\n", forms[f->kind].format, f->name);
    }
    burl_buf_str_append(out, "}\n\n");
}

/* Names the functions, in the order of the header: the same bug in another test says the same. */
static void
write_sentence(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    bool some = false;

    for (size_t fn = 0; fn < em->m->fns.n; fn++) {
        bool called = false;

        for (size_t i = 0; i < em->calls.n; i++)
            called |= em->calls.v[i].thread >= 0 && em->calls.v[i].c->fn == (int)fn;
        if (called)
            burl_buf_printf(out, "%s%s", some ? ", " : "", em->m->fns.v[fn].name);
        some |= called;
    }
    burl_buf_str_append(out, ": results match no sequential order of the calls (not linearizable)");
}

/* A spurious failure changes nothing; no row of the table has it. */
static void
write_weak(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t i = 0; i < em->fields.n; i++) {
        const struct burl__gen_field *f = &em->fields.v[i];
        const char *name = fn_of_field(em, f)->name;

        if (fn_of_field(em, f)->weak && f->param == 0)
            burl_buf_printf(out,
                            "    /* %s() may fail without reason. */\n    if (got.%s%s)\n"
                            "        return;\n",
                            name, f->name, forms[f->kind].failed);
    }
}

void
burl__gen_emit_table(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (!em->checked) {
        burl_buf_str_append(out, "/* Results are not compared: there is no whole list of those "
                                 "that are possible, or it is too long. */\n\n");
        return;
    }
    write_rows(em, out);
    write_same(em, out);
    write_show(em, out);
    burl_buf_str_append(out,
                        "static void\ncheck(void)\n{\n    static const char text[] =\n        \"");
    write_sentence(em, out);
    burl_buf_str_append(out, "\";\n\n");
    write_weak(em, out);
    burl_buf_str_append(out,
                        "    for (size_t i = 0; i < sizeof possible / sizeof possible[0]; i++) {\n"
                        "        if (same(&got, &possible[i]))\n"
                        "            return;\n"
                        "    }\n");
    if (!burl_gen_test_is_strict(em->m, em->t))
        burl_buf_str_append(out, "#ifdef __BURL__\n"
                                 "    /* A trylock or timed wait gave up: no order has that. */\n"
                                 "    if (__burl_contended())\n"
                                 "        return;\n"
                                 "#endif\n");
    burl_buf_str_append(out, "    show();\n"
                             "#ifdef __BURL__\n"
                             "    __burl_non_linearizable(text);\n"
                             "#else\n"
                             "    fprintf(stderr, \"%s\\n\", text);\n"
                             "    abort();\n"
                             "#endif\n"
                             "}\n\n");
}
