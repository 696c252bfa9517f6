/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_ins.c - instructions as C. How one is spelled (memory order, operator or function, with or
 * without yield) follows from its flavor and does not change its meaning.
 */
#include "emit_int.h"

static const char *const orders[] = { "memory_order_relaxed", "memory_order_acquire",
                                      "memory_order_release", "memory_order_acq_rel",
                                      "memory_order_seq_cst" };

const char *
op_name(uint8_t op)
{
    static const char *const names[OP__N] = {
        "nop",        "load",    "store",      "add",       "fetch_add", "fetch_xor", "exchange",
        "cas",        "casloop", "take",       "waiteq",    "set",       "mix",       "ifeq",
        "ifne",       "goto",    "again",      "yield",     "lock",      "trylock",   "timedlock",
        "tryloop",    "unlock",  "rdlock",     "wrlock",    "tryrd",     "trywr",     "rwunlock",
        "spinlock",   "spintry", "spinunlock", "semwait",   "semtry",    "semtimed",  "sempost",
        "semget",     "seminit", "condwait",   "condtimed", "signal",    "broadcast", "barrier",
        "once",       "keyset",  "keyget",     "local",     "lazy",      "own",       "cleanup",
        "create",     "join",    "tryjoin",    "detach",    "self",      "exit",      "cancel",
        "testcancel", "scopy",   "sval",       "smake",     "fold",      "finish",
    };

    return op < OP__N ? names[op] : "?";
}

/* ---- operands ------------------------------------------------------------------------------- */

struct text {
    char s[96];
};

static struct text
var(const struct emit *x, uint8_t v)
{
    const bool main = x->body == 0;
    struct text t;

    switch (x->p->var_kind[v]) {
    case VAR_HEAP:
        snprintf(t.s, sizeof t.s, "*p%u_v%u", x->id, v);
        break;
    case VAR_STACK:
        if (main)
            snprintf(t.s, sizeof t.s, "stack_v%u", v);
        else
            snprintf(t.s, sizeof t.s, "*p%u_v%u", x->id, v);
        break;
    case VAR_TLS:
        snprintf(t.s, sizeof t.s, main ? "p%u_tls%u" : "*p%u_v%u", x->id, v);
        break;
    case VAR_ELEMENT:
        snprintf(t.s, sizeof t.s, "p%u_array[(unsigned)(r2 * 0 + %u)]", x->id, v);
        break;
    case VAR_CHAR:
        snprintf(t.s, sizeof t.s, "p%u_bytes[%u]", x->id, v);
        break;
    case VAR_FIELD:
        snprintf(t.s, sizeof t.s, "p%u_s%u.%c", x->id, v / 2, "ab"[v % 2]);
        break;
    default:
        snprintf(t.s, sizeof t.s, "p%u_v%u", x->id, v);
        break;
    }
    return t;
}

static struct text
value(const struct ins *i)
{
    struct text t;

    if (i->a == NO_REG)
        snprintf(t.s, sizeof t.s, "%d", i->k);
    else if (i->a == ARG_REG)
        snprintf(t.s, sizeof t.s, "(arg + %d) & 7", i->k);
    else
        snprintf(t.s, sizeof t.s, "(r%u + %d) & 7", i->a, i->k);
    return t;
}

/* "r1 = " for an instruction whose result is used. */
static struct text
result(const struct ins *i)
{
    struct text t = { "" };

    if (i->a < N_REGS)
        snprintf(t.s, sizeof t.s, "r%u = ", i->a);
    return t;
}

bool
emit_is_mtx(const struct emit *x, uint8_t m)
{
    return x->p->c11 && x->p->mutex_kind[m] != MUTEX_ERRORCHECK;
}

static struct text
lazy_init(const struct emit *x)
{
    struct text t;

    if (emit_is_mtx(x, LAZY_MUTEX))
        snprintf(t.s, sizeof t.s, "mtx_init(&p%u_m%u, mtx_plain)", x->id, LAZY_MUTEX);
    else
        snprintf(t.s, sizeof t.s, "pthread_mutex_init(&p%u_m%u, 0)", x->id, LAZY_MUTEX);
    return t;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static const char *
read_order(uint8_t flavor)
{
    static const uint8_t fit[] = { 0, 1, 4 };

    return orders[fit[flavor % 3]];
}

static const char *
write_order(uint8_t flavor)
{
    static const uint8_t fit[] = { 0, 2, 4 };

    return orders[fit[flavor % 3]];
}

static void
emit_atomic(struct emit *x, const struct ins *i)
{
    const struct text v = var(x, i->b);
    const char *rmw = orders[i->flavor % 5];
    const char *strength = i->flavor / 8 % 2 ? "weak" : "strong"; /* in loops, where both will do */
    const bool plain = i->flavor / 5 % 4 == 0;                    /* by operator */

    switch (i->op) {
    case OP_LOAD:
        if (plain)
            P("r%u = %s & 7;", i->a, v.s);
        else
            P("r%u = atomic_load_explicit(&%s, %s) & 7;", i->a, v.s, read_order(i->flavor));
        break;
    case OP_STORE:
        if (plain)
            P("%s = %s;", v.s, value(i).s);
        else
            P("atomic_store_explicit(&%s, %s, %s);", v.s, value(i).s, write_order(i->flavor));
        break;
    case OP_ADD:
        P("%s += %d;", v.s, i->k);
        break;
    case OP_FADD:
    case OP_FXOR:
        P("%satomic_fetch_%s_explicit(&%s, %d, %s)%s;", result(i).s,
          i->op == OP_FADD ? "add" : "xor", v.s, i->k, rmw, i->a < N_REGS ? " & 7" : "");
        break;
    case OP_XCHG:
        P("%satomic_exchange_explicit(&%s, %d, %s)%s;", result(i).s, v.s, i->k, rmw,
          i->a < N_REGS ? " & 7" : "");
        break;
    case OP_CASLOOP:
        P("{ int old = %s; while (!atomic_compare_exchange_%s(&%s, &old, old + %d)) ; ", v.s,
          strength, v.s, i->k);
        if (i->a < N_REGS)
            P("r%u = old & 7; ", i->a);
        P("}");
        break;
    case OP_TAKE:
        P("for (int want = %d; !atomic_compare_exchange_%s_explicit(&%s, &want, %d, %s, %s); "
          "want = %d) %s;",
          i->k, strength, v.s, i->c, rmw, orders[0], i->k, i->flavor % 2 ? "sched_yield()" : "");
        break;
    default:
        P("{ int want = %d; %satomic_compare_exchange_strong_explicit(&%s, &want, %d, %s, %s); }",
          i->k, result(i).s, v.s, i->c, rmw, orders[i->flavor % 2]);
        break;
    }
}

static void
emit_builtin(struct emit *x, const struct ins *i)
{
    static const char *const models[] = { "__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE",
                                          "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL",
                                          "__ATOMIC_SEQ_CST" };
    const struct text v = var(x, i->b);
    const char *rmw = models[i->flavor % 5];
    const char *mask = i->a < N_REGS ? " & 7" : "";

    switch (i->op) {
    case OP_LOAD:
        P("r%u = __atomic_load_n(&%s, %s) & 7;", i->a, v.s, models[i->flavor % 2 ? 4 : 1]);
        break;
    case OP_STORE:
        P("__atomic_store_n(&%s, %s, %s);", v.s, value(i).s, models[i->flavor % 2 ? 4 : 2]);
        break;
    case OP_ADD:
        P("__sync_add_and_fetch(&%s, %d);", v.s, i->k);
        break;
    case OP_FADD:
        if (i->flavor % 3 == 0)
            P("%s__sync_fetch_and_add(&%s, %d)%s;", result(i).s, v.s, i->k, mask);
        else
            P("%s__atomic_fetch_add(&%s, %d, %s)%s;", result(i).s, v.s, i->k, rmw, mask);
        break;
    case OP_FXOR:
        P("%s__atomic_fetch_xor(&%s, %d, %s)%s;", result(i).s, v.s, i->k, rmw, mask);
        break;
    case OP_XCHG:
        P("%s__atomic_exchange_n(&%s, %d, %s)%s;", result(i).s, v.s, i->k, rmw, mask);
        break;
    case OP_CASLOOP:
        P("{ int old = __atomic_load_n(&%s, __ATOMIC_RELAXED); while (!__atomic_compare_exchange_n("
          "&%s, &old, old + %d, %d, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) ; ",
          v.s, v.s, i->k, i->flavor / 8 % 2);
        if (i->a < N_REGS)
            P("r%u = old & 7; ", i->a);
        P("}");
        break;
    case OP_TAKE:
        P("while (!__sync_bool_compare_and_swap(&%s, %d, %d)) %s;", v.s, i->k, i->c,
          i->flavor % 2 ? "sched_yield()" : "");
        break;
    default:
        P("%s__sync_bool_compare_and_swap(&%s, %d, %d);", result(i).s, v.s, i->k, i->c);
        break;
    }
}

static void
emit_memory(struct emit *x, const struct ins *i)
{
    const struct text v = var(x, i->b);
    const bool builtin = x->p->var_kind[i->b] == VAR_BUILTIN;

    if (i->op == OP_WAITEQ) {
        P(builtin ? "while (__atomic_load_n(&%s, __ATOMIC_ACQUIRE) != %d) %s;"
                  : "while (%s != %d) %s;",
          v.s, i->k, i->flavor % 2 ? "sched_yield()" : "");
        return;
    }
    if (is_atomic(x->p->var_kind[i->b])) {
        (x->p->var_kind[i->b] == VAR_ATOMIC ? emit_atomic : emit_builtin)(x, i);
        return;
    }
    if (i->op == OP_LOAD)
        P("r%u = %s & 7;", i->a, v.s);
    else if (i->op == OP_STORE)
        P("%s = %s;", v.s, value(i).s);
    else
        P("%s += %d;", v.s, i->k);
}

static void
emit_mutex(struct emit *x, const struct ins *i)
{
    static const char *const names[] = { "lock", "trylock", "timedlock", "trylock", "unlock" };
    const bool mtx = emit_is_mtx(x, i->b);
    const char *name = names[i->op - OP_LOCK];

    if (i->op == OP_TRYLOOP) {
        P("while (%s_trylock(&p%u_m%u) != %s) %s;", mtx ? "mtx" : "pthread_mutex", x->id, i->b,
          mtx ? "thrd_success" : "0", i->flavor % 2 ? "sched_yield()" : "");
        return;
    }

    P("%s%s_%s(&p%u_m%u%s)%s;", result(i).s, mtx ? "mtx" : "pthread_mutex", name, x->id, i->b,
      i->op == OP_TIMEDLOCK ? ", &later" : "",
      i->a >= N_REGS ? ""
      : mtx          ? " != thrd_success"
                     : " != 0");
}

static void
emit_rwlock(struct emit *x, const struct ins *i)
{
    static const char *const names[] = { "rdlock", "wrlock", "tryrdlock", "trywrlock", "unlock" };

    P("%spthread_rwlock_%s(&p%u_w%u)%s;", result(i).s, names[i->op - OP_RDLOCK], x->id, i->b,
      i->a < N_REGS ? " != 0" : "");
}

static void
emit_spin(struct emit *x, const struct ins *i)
{
    static const char *const names[] = { "lock", "trylock", "unlock" };

    P("%spthread_spin_%s(&p%u_spin%u)%s;", result(i).s, names[i->op - OP_SPINLOCK], x->id, i->b,
      i->a < N_REGS ? " != 0" : "");
}

static void
emit_sem(struct emit *x, const struct ins *i)
{
    static const char *const names[] = { "wait", "trywait", "timedwait", "post" };

    if (i->op == OP_SEMGET)
        P("{ int n; sem_getvalue(&p%u_sem%u, &n); r%u = n & 7; }", x->id, i->b, i->a);
    else if (i->op == OP_SEMINIT)
        P("sem_init(&p%u_sem%u, 0, %d);", x->id, i->b, i->k);
    else
        P("%ssem_%s(&p%u_sem%u%s)%s;", result(i).s, names[i->op - OP_SEMWAIT], x->id, i->b,
          i->op == OP_SEMTIMED ? ", &later" : "", i->a < N_REGS ? " != 0" : "");
}

static void
emit_cond(struct emit *x, const struct ins *i)
{
    static const char *const names[] = { "wait", "timedwait", "signal", "broadcast" };
    const uint8_t m = x->p->cond_mutex[i->b];
    const bool cnd = emit_is_mtx(x, m);

    P("%s%s_%s(&p%u_c%u", result(i).s, cnd ? "cnd" : "pthread_cond", names[i->op - OP_CONDWAIT],
      x->id, i->b);
    if (i->op == OP_CONDWAIT || i->op == OP_CONDTIMED)
        P(", &p%u_m%u", x->id, m);
    if (i->op == OP_CONDTIMED)
        P(", &later");
    P(")%s;", i->a < N_REGS ? " != 0" : "");
}

static void
emit_join(struct emit *x, const struct ins *i)
{
    const char *to = x->p->c11 ? "int" : "void *";

    P("{ %s%sv = 0; ", to, x->p->c11 ? " " : "");
    P("%s(p%u_h[%u], &v); ", x->p->c11 ? "thrd_join" : "pthread_join", x->id, i->b);
    if (i->a == FOLD_REG)
        P("fold = fold * 31 + (unsigned)(long)v; ");
    else if (i->a < N_REGS)
        P("r%u = (int)(long)v & 7; ", i->a);
    P("(void)v; }");
}

static void
emit_thread(struct emit *x, const struct ins *i)
{
    switch (i->op) {
    case OP_CREATE:
        if (x->p->c11)
            P("thrd_create(&p%u_h[%u], p%u_b%u, (void *)%uL);", x->id, i->b, x->id,
              x->p->body_of[i->b], x->p->arg_of[i->b]);
        else
            P("pthread_create(&p%u_h[%u], 0, p%u_b%u, (void *)%uL);", x->id, i->b, x->id,
              x->p->body_of[i->b], x->p->arg_of[i->b]);
        break;
    case OP_JOIN:
        emit_join(x, i);
        break;
    case OP_TRYJOIN:
        P("%spthread_tryjoin_np(p%u_h[%u], 0) != 0;", result(i).s, x->id, i->b);
        break;
    case OP_DETACH:
        P("%s(p%u_h[%u]);", x->p->c11 ? "thrd_detach" : "pthread_detach", x->id, i->b);
        break;
    case OP_SELF:
        P("%s%s(%s(), p%u_h[%u]) != 0;", result(i).s, x->p->c11 ? "thrd_equal" : "pthread_equal",
          x->p->c11 ? "thrd_current" : "pthread_self", x->id, i->b);
        break;
    case OP_CANCEL:
        P("pthread_cancel(p%u_h[%u]);", x->id, i->b);
        break;
    case OP_TESTCANCEL:
        P("pthread_testcancel();");
        break;
    default:
        P("goto leave;");
        break;
    }
}

static void
emit_struct(struct emit *x, const struct ins *i)
{
    switch (i->op) {
    case OP_SCOPY:
        if (i->flavor % 2)
            P("p%u_s%u = p%u_s%u;", x->id, i->b, x->id, i->c);
        else
            P("memcpy(&p%u_s%u, &p%u_s%u, sizeof p%u_s0);", x->id, i->b, x->id, i->c, x->id);
        break;
    case OP_SVAL:
        if (i->flavor % 4 == 3)
            P("{ struct p%u_s copy; memcpy(&copy, &p%u_s%u, sizeof copy); r%u = (int)(copy.a + 2 * "
              "copy.b) & 7; }",
              x->id, x->id, i->b, i->a);
        else if (i->flavor % 4 == 0)
            P("{ struct p%u_s copy = p%u_s%u; r%u = (int)(copy.a + 2 * copy.b) & 7; }", x->id,
              x->id, i->b, i->a);
        else if (i->flavor % 4 == 1)
            P("r%u = p%u_sum_of(1, p%u_s%u) & 7;", i->a, x->id, x->id, i->b);
        else
            P("r%u = p%u_sum(p%u_s%u) & 7;", i->a, x->id, x->id, i->b);
        break;
    default:
        if (i->flavor % 4 == 0)
            P("{ struct p%u_s made = p%u_make(%s); memmove(&p%u_s%u, &made, sizeof made); }", x->id,
              x->id, value(i).s, x->id, i->b);
        else
            P("p%u_s%u = p%u_make(%s);", x->id, i->b, x->id, value(i).s);
        break;
    }
}

static void
emit_register(struct emit *x, const struct ins *i)
{
    switch (i->op) {
    case OP_NOP:
        break;
    case OP_SET:
        P("r%u = %d;", i->a, i->k & 7);
        break;
    case OP_MIX:
        P("r%u = (r%u + r%u + %d) & 7;", i->a, i->a, i->c, i->k);
        break;
    case OP_IFEQ:
    case OP_IFNE:
        P("if (r%u %s %d) goto L%u;", i->a, i->op == OP_IFEQ ? "==" : "!=", i->k, i->to);
        break;
    case OP_GOTO:
        P("goto L%u;", i->to);
        break;
    case OP_AGAIN:
        P("r%u = (r%u - 1) & 7; if (r%u != 0) goto L%u;", i->a, i->a, i->a, i->to);
        break;
    default:
        P("%s", i->flavor % 2 ? "sched_yield();" : "atomic_thread_fence(memory_order_seq_cst);");
        break;
    }
}

/* Objects of one thread, or that threads initialize. */
static void
emit_own(struct emit *x, const struct ins *i)
{
    static const char *const kinds[] = { "mutex", "rwlock" };
    const char *kind = kinds[i->flavor % 2];

    switch (i->op) {
    case OP_KEYGET:
        P("r%u = (int)(long)pthread_getspecific(p%u_key%u);", i->a, x->id, i->b);
        break;
    case OP_LOCAL:
        P("r%u = ++p%u_local & 7;", i->a, x->id);
        break;
    case OP_LAZY:
        P("if (!p%u_lazy) { %s; pthread_rwlock_init(&p%u_lazy_w, 0); p%u_lazy = 1; }", x->id,
          lazy_init(x).s, x->id, x->id);
        break;
    case OP_OWN:
        P("{ pthread_%s_t own; pthread_%s_init(&own, 0); pthread_%s_%s(&own); "
          "pthread_%s_unlock(&own); pthread_%s_destroy(&own); }",
          kind, kind, kind, i->flavor % 2 ? "wrlock" : "lock", kind, kind);
        break;
    default:
        P("pthread_cleanup_push(p%u_b%u, 0); if (r%u == %d) pthread_exit((void *)(long)%s); "
          "pthread_cleanup_pop(1);",
          x->id, x->p->cleanup_body, i->a, i->k,
          x->p->bodies[x->body].returns_regs ? "(r0 + 8 * r1)" : "0");
        break;
    }
}

void
emit_ins(struct emit *x, const struct ins *i)
{
    const uint8_t op = i->op;

    if (op == OP_NOP || (op >= OP_SET && op <= OP_YIELD))
        emit_register(x, i);
    else if (op <= OP_WAITEQ)
        emit_memory(x, i);
    else if (op >= OP_LOCK && op <= OP_UNLOCK)
        emit_mutex(x, i);
    else if (op >= OP_RDLOCK && op <= OP_RWUNLOCK)
        emit_rwlock(x, i);
    else if (op >= OP_SPINLOCK && op <= OP_SPINUNLOCK)
        emit_spin(x, i);
    else if (op >= OP_SEMWAIT && op <= OP_SEMINIT)
        emit_sem(x, i);
    else if (op >= OP_CONDWAIT && op <= OP_BROADCAST)
        emit_cond(x, i);
    else if (op == OP_BARRIER)
        P("%spthread_barrier_wait(&p%u_bar%u)%s;", result(i).s, x->id, i->b,
          i->a < N_REGS ? " == PTHREAD_BARRIER_SERIAL_THREAD" : "");
    else if (op == OP_ONCE)
        P("%s(&p%u_once%u, p%u_b%u);", x->p->c11 ? "call_once" : "pthread_once", x->id, i->b, x->id,
          x->p->once_body[i->b]);
    else if (op == OP_KEYSET)
        P("pthread_setspecific(p%u_key%u, (void *)%dL);", x->id, i->b, i->k);
    else if (op >= OP_KEYGET && op <= OP_CLEANUP)
        emit_own(x, i);
    else if (op >= OP_SCOPY && op <= OP_SMAKE)
        emit_struct(x, i);
    else if (op == OP_FOLD && i->b == NO_REG)
        P("fold = fold * 31 + (unsigned)r%u;", i->a);
    else if (op == OP_FOLD)
        P("fold = fold * 31 + (unsigned)(int)%s;", var(x, i->b).s);
    else if (op == OP_FINISH) /* inside of the function, whose variables others may still use */
        P("p%u_check(fold); exit(0);", x->id);
    else
        emit_thread(x, i);
}
