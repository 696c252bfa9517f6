/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - programs as C. Branches are gotos, so that instructions and statements correspond one to
 * one; emit_ins.c has the instructions.
 */
#include "emit_int.h"

static void
emit_body_instructions(struct emit *x)
{
    const struct body *b = &x->p->bodies[x->body];

    for (uint8_t i = 0; i < b->n; i++) {
        bool target = false;

        for (uint8_t k = 0; k < b->n; k++) {
            const uint8_t op = b->ins[k].op;

            target |= (op == OP_IFEQ || op == OP_IFNE || op == OP_GOTO || op == OP_AGAIN) &&
                      b->ins[k].to == i;
        }
        if (b->ins[i].op == OP_NOP && !target)
            continue;
        if (target)
            P("L%u:\n", i);
        P("    ");
        emit_ins(x, &b->ins[i]);
        P("\n");
    }
    for (uint8_t k = 0; k < b->n; k++) { /* to the end */
        const uint8_t op = b->ins[k].op;

        if ((op == OP_IFEQ || op == OP_IFNE || op == OP_GOTO || op == OP_AGAIN) &&
            b->ins[k].to >= b->n) {
            P("L%u:\n    ;\n", b->n);
            break;
        }
    }
}

static bool
uses(const struct body *b, uint8_t op)
{
    for (uint8_t i = 0; i < b->n; i++) {
        if (b->ins[i].op == op)
            return true;
    }
    return false;
}

static void
emit_thread_body(struct emit *x, uint8_t no)
{
    const struct body *b = &x->p->bodies[no];
    const char *ret = b->returns_regs ? "r0 + 8 * r1" : "0";

    x->body = no;
    x->routine = false;
    P("static %sp%u_b%u(void *a)\n{\n    unsigned fold = 0;\n    int r0 = 0, r1 = 0, r2 = 0;\n"
      "    const int arg = (int)(long)a;\n\n    (void)arg, (void)r0, (void)r1, (void)r2, "
      "(void)fold;\n",
      x->p->c11 ? "int " : "void *", x->id, no);
    emit_body_instructions(x);
    if (uses(b, OP_EXIT))
        P("    goto end;\nleave:\n    %s(%s%s);\nend:\n", x->p->c11 ? "thrd_exit" : "pthread_exit",
          x->p->c11 ? "" : "(void *)(long)", b->returns_regs ? "(r0 + 8 * r1)" : "0");
    P("    return %s(%s);\n}\n\n", x->p->c11 ? "" : "(void *)(long)", ret);
}

static void
emit_routine(struct emit *x, uint8_t no, bool destructor)
{
    x->body = no;
    x->routine = true;
    P("static void p%u_b%u(%s)\n{\n    int r0 = 0, r1 = 0, r2 = 0;\n    const int arg = %s;\n\n"
      "    (void)arg, (void)r0, (void)r1, (void)r2;\n",
      x->id, no, destructor ? "void *a" : "void", destructor ? "(int)(long)a" : "0");
    emit_body_instructions(x);
    P("}\n\n");
}

static void
emit_globals(struct emit *x)
{
    static const char *const sizes[] = { "int a, b;", "long a, b;",
                                         "long a; char pad[48]; long b;" };
    const struct prog *p = x->p;
    bool bytes = false;
    bool array = false;

    for (uint8_t v = 0; v < p->n_vars; v++) {
        switch (p->var_kind[v]) {
        case VAR_PLAIN:
            P("static int p%u_v%u;\n", x->id, v);
            break;
        case VAR_ATOMIC:
            P("static atomic_int p%u_v%u;\n", x->id, v);
            break;
        case VAR_VOLATILE:
            P("static volatile int p%u_v%u;\n", x->id, v);
            break;
        case VAR_TLS:
            P("static _Thread_local int p%u_tls%u;\n", x->id, v); /* fall through */
        case VAR_HEAP:
        case VAR_STACK:
            P("static int *p%u_v%u;\n", x->id, v);
            break;
        case VAR_BUILTIN:
            P("static int p%u_v%u;\n", x->id, v);
            break;
        case VAR_ELEMENT:
            array = true;
            break;
        case VAR_CHAR:
            bytes = true;
            break;
        default:
            break;
        }
    }
    if (bytes)
        P("static signed char p%u_bytes[%d];\n", x->id, MAX_VARS);
    if (array)
        P("static int p%u_array[%d];\n", x->id, MAX_VARS);
    if (p->n_structs > 0) {
        P("struct p%u_s { %s };\n", x->id, sizes[p->struct_size]);
        for (uint8_t s = 0; s < p->n_structs; s++)
            P("static struct p%u_s p%u_s%u = { .a = %u, .b = %u };\n", x->id, x->id, s,
              p->var_init[2 * s], p->var_init[2 * s + 1]);
        P("static int p%u_sum(struct p%u_s s) { return (int)(s.a + 2 * s.b); }\n", x->id, x->id);
        P("static int p%u_sum_of(int n, ...)\n{\n    va_list ap;\n    struct p%u_s s;\n\n"
          "    va_start(ap, n);\n    s = va_arg(ap, struct p%u_s);\n    va_end(ap);\n"
          "    return (int)(s.a + 2 * s.b);\n}\n",
          x->id, x->id, x->id);
        P("static struct p%u_s p%u_make(int n)\n{\n    struct p%u_s s = { .a = n, .b = n + 1 };\n\n"
          "    return s;\n}\n",
          x->id, x->id, x->id);
    }
    for (uint8_t m = 0; m < p->n_mutexes; m++)
        P("static %s p%u_m%u;\n", emit_is_mtx(x, m) ? "mtx_t" : "pthread_mutex_t", x->id, m);
    if (p->has_lazy)
        P("static int p%u_lazy;\nstatic %s p%u_m%u;\nstatic pthread_rwlock_t p%u_lazy_w;\n", x->id,
          emit_is_mtx(x, LAZY_MUTEX) ? "mtx_t" : "pthread_mutex_t", x->id, LAZY_MUTEX, x->id);
    P("static _Thread_local int p%u_local;\n", x->id);
    for (uint8_t i = 0; i < p->n_rwlocks; i++)
        P("static pthread_rwlock_t p%u_w%u = PTHREAD_RWLOCK_INITIALIZER;\n", x->id, i);
    for (uint8_t i = 0; i < p->n_spins; i++)
        P("static pthread_spinlock_t p%u_spin%u;\n", x->id, i);
    for (uint8_t i = 0; i < p->n_sems; i++)
        P("static sem_t p%u_sem%u;\n", x->id, i);
    for (uint8_t i = 0; i < p->n_conds; i++)
        P("static %s p%u_c%u;\n", emit_is_mtx(x, p->cond_mutex[i]) ? "cnd_t" : "pthread_cond_t",
          x->id, i);
    for (uint8_t i = 0; i < p->n_barriers; i++)
        P("static pthread_barrier_t p%u_bar%u;\n", x->id, i);
    for (uint8_t i = 0; i < p->n_onces; i++)
        P("static %s p%u_once%u = %s;\n", p->c11 ? "once_flag" : "pthread_once_t", x->id, i,
          p->c11 ? "ONCE_FLAG_INIT" : "PTHREAD_ONCE_INIT");
    for (uint8_t i = 0; i < p->n_keys; i++)
        P("static pthread_key_t p%u_key%u;\n", x->id, i);
    P("static %s p%u_h[%d];\n", p->c11 ? "thrd_t" : "pthread_t", x->id, MAX_THREADS);
}

static void
emit_mutex_init(struct emit *x, uint8_t m)
{
    static const char *const kinds[] = { "NORMAL", "RECURSIVE", "ERRORCHECK" };
    const uint8_t kind = x->p->mutex_kind[m];

    if (emit_is_mtx(x, m))
        P("    mtx_init(&p%u_m%u, %s);\n", x->id, m,
          kind == MUTEX_RECURSIVE ? "mtx_plain | mtx_recursive"
          : x->p->has_timed       ? "mtx_timed"
                                  : "mtx_plain");
    else
        P("    init_mutex(&p%u_m%u, PTHREAD_MUTEX_%s);\n", x->id, m, kinds[kind]);
}

static void
emit_inits(struct emit *x)
{
    const struct prog *p = x->p;

    for (uint8_t v = 0; v < p->n_vars; v++) {
        if (p->var_kind[v] == VAR_HEAP)
            P("    p%u_v%u = calloc(1, sizeof(int));\n", x->id, v);
        else if (p->var_kind[v] == VAR_STACK)
            P("    p%u_v%u = &stack_v%u;\n", x->id, v, v);
        else if (p->var_kind[v] == VAR_TLS)
            P("    p%u_v%u = &p%u_tls%u;\n", x->id, v, x->id, v);
    }
    for (uint8_t m = 0; m < p->n_mutexes; m++)
        emit_mutex_init(x, m);
    for (uint8_t i = 0; i < p->n_spins; i++)
        P("    pthread_spin_init(&p%u_spin%u, 0);\n", x->id, i);
    for (uint8_t i = 0; i < p->n_sems; i++)
        P("    sem_init(&p%u_sem%u, 0, %u);\n", x->id, i, p->sem_init[i]);
    for (uint8_t i = 0; i < p->n_conds; i++) {
        if (emit_is_mtx(x, p->cond_mutex[i]))
            P("    cnd_init(&p%u_c%u);\n", x->id, i);
        else
            P("    pthread_cond_init(&p%u_c%u, 0);\n", x->id, i);
    }
    for (uint8_t i = 0; i < p->n_barriers; i++)
        P("    pthread_barrier_init(&p%u_bar%u, 0, %u);\n", x->id, i, p->barrier_n[i]);
    for (uint8_t i = 0; i < p->n_keys; i++)
        P("    pthread_key_create(&p%u_key%u, p%u_b%u);\n", x->id, i, x->id, p->key_body[i]);
}

static void
emit_main(struct emit *x)
{
    x->body = 0;
    x->routine = false;
    P("static void p%u_main(void)\n{\n    unsigned fold = 0;\n    int r0 = 0, r1 = 0, r2 = 0;\n",
      x->id);
    P("    const int arg = 0;\n");
    for (uint8_t v = 0; v < x->p->n_vars; v++) {
        if (x->p->var_kind[v] == VAR_STACK)
            P("    int stack_v%u = 0;\n", v);
    }
    P("\n    (void)arg, (void)r0, (void)r1, (void)r2;\n");
    emit_inits(x);
    emit_body_instructions(x);
    if (x->p->finisher != 0)
        P("leave:\n    %s(0);\n", x->p->c11 ? "thrd_exit" : "pthread_exit");
    P("}\n\n");
}

static void
emit_program(struct emit *x, const struct ends *ends)
{
    const struct prog *p = x->p;
    bool done[MAX_BODIES] = { false };

    P("/* ---- program %u, seed %llu: %u threads, %u ends%s ---- */\n", x->id,
      (unsigned long long)p->seed, p->n_threads, ends->n,
      ends->stuck_must ? ", can get stuck" : "");
    emit_globals(x);
    P("static const unsigned p%u_ends[] = {", x->id);
    for (uint32_t i = 0; i < ends->n; i++)
        P(" %uu,", ends->value[i]);
    P(" 0 };\nstatic void p%u_check(unsigned v) { check(p%u_ends, %u, v); }\n\n", x->id, x->id,
      ends->n);
    for (uint8_t i = 0; i < p->n_onces; i++)
        emit_routine(x, p->once_body[i], false);
    for (uint8_t i = 0; i < p->n_keys; i++)
        emit_routine(x, p->key_body[i], true);
    if (p->cleanup_body != 0)
        emit_routine(x, p->cleanup_body, true);
    for (uint8_t t = (uint8_t)(p->n_threads - 1); t > 0;
         t--) { /* a creator has a lower number... */
        const uint8_t b = p->body_of[t];

        if (!done[b])
            P("static %sp%u_b%u(void *a);\n", p->c11 ? "int " : "void *", x->id, b);
        done[b] = true;
    }
    for (uint8_t b = 1; b < MAX_BODIES; b++) {
        if (done[b])
            emit_thread_body(x, b);
    }
    emit_main(x);
}

static const char head[] =
    "/* Made by tests/proofs. The first argument selects a program, the second says which of its\n"
    " * ends fail: all, none, or the number of one. An end that is not in the list always fails. "
    "*/\n"
    "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include "
    "<semaphore.h>\n"
    "#include <stdarg.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <threads.h>\n#include <time.h>\n\n"
    "static const struct timespec later = { .tv_sec = 3000000000 };\n\n"
    "static void\ninit_mutex(pthread_mutex_t *m, int kind)\n{\n    pthread_mutexattr_t a;\n\n"
    "    pthread_mutexattr_init(&a);\n    pthread_mutexattr_settype(&a, kind);\n"
    "    pthread_mutex_init(m, &a);\n    pthread_mutexattr_destroy(&a);\n}\n\n";

void
prog_emit_file(FILE *out, const struct prog *const *progs, const struct ends *ends, uint32_t n)
{
    struct emit emit = { .out = out };
    struct emit *x = &emit;

    P("%s", head);
    for (uint32_t i = 0; i < MAX_ENDS; i++)
        P("static __attribute__((noinline)) void end_%u(void) { assert(!\"end %u\"); }\n", i, i);
    P("static __attribute__((noinline)) void end_other(void) { assert(!\"end other\"); }\n\n");
    P("static const char *asked;\n\nstatic void\ncheck(const unsigned *ends, unsigned n, unsigned "
      "v)\n{\n"
      "    static void (*const fail[])(void) = {");
    for (uint32_t i = 0; i < MAX_ENDS; i++)
        P(" end_%u,", i);
    P(" };\n    const char *ask = asked;\n    unsigned which = %d;\n    unsigned i = 0;\n\n    if "
      "(ask[0] >= '0' && ask[0] <= '9')\n"
      "        for (which = 0; *ask != '\\0'; ask++)\n            which = which * 10 + "
      "(unsigned)(*ask - '0');\n"
      "    while (i < n && ends[i] != v)\n        i++;\n    if (i == n)\n        end_other();\n"
      "    if (ask[0] == 'a' || which == i)\n        fail[i]();\n}\n\n",
      MAX_ENDS);
    for (uint32_t i = 0; i < n; i++) {
        x->id = i;
        x->p = progs[i];
        emit_program(x, &ends[i]);
    }
    P("int\nmain(int argc, char **argv)\n{\n    int which = 0;\n\n    if (argc < 3)\n        "
      "return 2;\n"
      "    for (const char *s = argv[1]; *s != '\\0'; s++)\n        which = which * 10 + *s - "
      "'0';\n"
      "    asked = argv[2];\n    switch (which) {\n");
    for (uint32_t i = 0; i < n; i++)
        P("    case %u:\n        p%u_main();\n        break;\n", i, i);
    P("    default:\n        return 2;\n    }\n    return 0;\n}\n");
}
