/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_callback.c - the callbacks that an emitted test hands to the API.
 *
 * They do what those of the driver do (driver/burl_driver.h): hash, into one number, how often they
 * were called and with which numbers and payloads while the call they were passed to runs, and
 * return 0 or 1. The number is one of the results of that call.
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

static void
write_return(const char *type, bool one, struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (strcmp(type, "void") == 0)
        return;
    if (strchr(type, '*')) {
        em->uses_payload |= one;
        burl_buf_printf(out, one ? "    return (%s)&payload[0];\n" : "    return (%s)NULL;\n",
                        type);
    } else if (burl_gen_is_arithmetic(type)) {
        burl_buf_printf(out, "    return %d;\n", one);
    } else {
        burl_buf_printf(out, "    %s r;\n\n    memset((void *)&r, 0, sizeof r);\n", type);
        if (one)
            burl_buf_str_append(out, "    *(char *)(void *)&r = 1;\n");
        burl_buf_str_append(out, "    return r;\n");
    }
}

/* "on_queue_each_1_0(int a0, void *a1)"; returns the number of parameters. */
static unsigned
write_declarator(const char *name, const char *list, struct burl_buf *out)
{
    const char *type;
    unsigned n = 0;
    size_t len;

    burl_buf_printf(out, "%s(", name);
    while ((list = burl_gen_next_param(list, &type, &len)) != NULL) {
        char spelled[160];
        char arg[16];

        burl_buf_str_append(out, n > 0 ? ", " : "");
        if (strncmp(type, "...", 3) == 0) {
            burl_buf_str_append(out, "...");
            break;
        }
        snprintf(spelled, sizeof spelled, "%.*s", (int)len, type);
        snprintf(arg, sizeof arg, "a%u", n++);
        burl_gen_declare(out, spelled, arg);
    }
    burl_buf_str_append(out, n > 0 ? ")" : "void)");
    return n;
}

static void
write_callback(struct burl__gen_emitter *em, const struct burl_gen_fn *f, size_t k, bool one,
               struct burl_buf *out)
{
    const char *ctype = f->params.v[k].callback;
    const char *list = ctype ? burl_gen_function_params(ctype) : NULL;
    struct burl_buf head = BURL_BUF_INIT;
    char type[160];
    char seen[160];
    unsigned n;
    size_t len;

    if (!list)
        return;
    snprintf(seen, sizeof seen, "seen_%s_%zu", f->name, k);
    n = write_declarator(burl_gen_callback_name(f, k, one).s, list + 1, &head);
    for (len = (size_t)(list - ctype); len > 0 && ctype[len - 1] == ' ';)
        len--;
    snprintf(type, sizeof type, "%.*s", (int)len, ctype);
    burl_buf_str_append(out, "static ");
    burl_gen_declare(out, type, burl_buf_str(&head));
    burl_buf_printf(out, "\n{\n    if (%s != NULL) {\n        *%s = *%s * STEP + 1;\n", seen, seen,
                    seen);
    em->uses_seen = true;
    em->uses_see |= n > 0;
    for (unsigned i = 0; i < n; i++)
        burl_buf_printf(out, "        SEE(%s, a%u);\n", seen, i);
    burl_buf_str_append(out, "    }\n");
    for (unsigned i = 0; i < n; i++)
        burl_buf_printf(out, "    (void)a%u;\n", i);
    write_return(type, one, em, out);
    burl_buf_str_append(out, "}\n\n");
    burl_buf_deinit(&head);
}

/* Is the callback used by a call before number `i`? */
static bool
is_earlier(const struct burl__gen_emitter *em, size_t i, size_t k, bool one, bool any_variant)
{
    const int fn = em->calls.v[i].c->fn;

    for (size_t j = 0; j < i; j++) {
        const struct burl_gen_call *c = em->calls.v[j].c;

        if (c->fn == fn && c->args.v[k].kind == BURL_GEN_ARG_CALLBACK &&
            (any_variant || (c->args.v[k].i != 0) == one))
            return true;
    }
    return false;
}

void
burl__gen_emit_callbacks(struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (size_t i = 0; i < em->calls.n; i++) {
        const struct burl_gen_call *c = em->calls.v[i].c;
        const struct burl_gen_fn *f = em->calls.v[i].f;

        for (size_t k = 0; k < c->args.n; k++) {
            const bool one = c->args.v[k].i != 0;

            if (c->args.v[k].kind != BURL_GEN_ARG_CALLBACK)
                continue;
            if (!is_earlier(em, i, k, one, true))
                burl_buf_printf(out, "static _Thread_local unsigned long long *seen_%s_%zu;\n\n",
                                f->name, k);
            if (!is_earlier(em, i, k, one, false))
                write_callback(em, f, k, one, out);
        }
    }
}

void
burl__gen_emit_seeing(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    if (!em->uses_seen)
        return;
    burl_buf_str_append(out, "/* What callbacks are called with, as one number. */\n"
                             "#define STEP 1000003u\n\n");
    if (!em->uses_see)
        return;
    burl_buf_str_append(
        out, "enum kind { NOT_SEEN, SIGNED, UNSIGNED, POINTER };\n\n"
             "static void\nsee(unsigned long long *h, const void *p, size_t n, enum kind kind)\n{\n"
             "    unsigned long long x = 0;\n\n"
             "    if (kind == NOT_SEEN || n > sizeof x)\n"
             "        return;\n"
             "    memcpy(&x, p, n);\n"
             "    if (kind == SIGNED)\n"
             "        x = (unsigned long long)((long long)(x << (64 - 8 * n)) >> (64 - 8 * n));\n"
             "    if (kind == POINTER) {\n"
             "        x = 0;\n");
    if (em->uses_payload)
        burl_buf_printf(out,
                        "        for (unsigned i = 0; i < %d; i++) {\n"
                        "            const void *q = &payload[i];\n\n"
                        "            x = memcmp(p, &q, sizeof q) == 0 ? i + 1 : x;\n"
                        "        }\n",
                        BURL_GEN_PAYLOADS);
    burl_buf_str_append(
        out, "    }\n"
             "    *h = *h * STEP + x;\n}\n\n"
             "#define SEE(h, x) \\\n"
             "    see(h, &(x), sizeof(x), \\\n"
             "        _Generic((x), _Bool: UNSIGNED, char: SIGNED, signed char: SIGNED, \\\n"
             "            short: SIGNED, int: SIGNED, long: SIGNED, long long: SIGNED, \\\n"
             "            unsigned char: UNSIGNED, unsigned short: UNSIGNED, \\\n"
             "            unsigned int: UNSIGNED, unsigned long: UNSIGNED, \\\n"
             "            unsigned long long: UNSIGNED, float: UNSIGNED, double: UNSIGNED, \\\n"
             "            void *: POINTER, const void *: POINTER, default: NOT_SEEN))\n\n");
}
