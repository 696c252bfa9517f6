/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_model.c - what external functions do with pointers. Host side.
 *
 * The words of PTR in wire/libfn.def, with N and M digits that number arguments from 0:
 *     -        nothing that matters
 *     H        returns memory allocated by this call; HN: writes it through argument N
 *     X        returns memory of its own; XN: writes a pointer to such memory through argument N
 *     S        returns memory that is the same at every call (a static buffer)
 *     rN       returns argument N
 *     wN       returns a pointer into what argument N points to
 *     eNM      writes a pointer into what argument M points to through argument N
 *     lN       returns what is in memory at argument N
 *     iN       argument N is put into the memory returned
 *     oN       the result is written through argument N
 *     pNM      argument M is written through argument N
 *     mNM      copies memory from argument M to argument N
 *     kN(..)   calls argument N; in the brackets its arguments: a digit, wN (an element of that
 *              array), t (the values of thread-specific data), x (memory of its own), - (none)
 *     gN(..)   the same with the function in memory at argument N
 *     TN(..)   starts a thread with argument N as its routine
 *     YN       std::thread: argument N points to the state whose third virtual function runs
 *     jN       a thread's result is written through argument N;  zN: argument N is such a result
 *     PN       argument N becomes thread-specific data;  G: returns such data
 *     VN       argument N is thrown
 *     bN       returns a pointer into the object of argument N, or to its start (dynamic_cast)
 *     RN..     the arguments are nodes of one red-black tree, linked at 8, 16, 24; result too
 *     QN..     the arguments are nodes of one list, linked at 0 and 8; result too
 *     O        calls what std::call_once left in its thread-local variable
 *     NN       returns what of this program has the name that argument N is
 *     uN, dN   memory at argument N goes into (comes out of) a pipe, socket or queue: one place for
 *              all of them, and only in programs that make one
 *
 * A function without words gets the general treatment: it returns memory of its own, its arguments
 * or what they point to, it may write a pointer to its own memory through them, and it calls every
 * function it is given, with what it was given.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/mem.h"

enum { MAX_ARGS = 16 };

struct model {
    struct burl_pts *s;
    LLVMValueRef call;
    uint32_t ret;
    uint32_t n_args;
    uint32_t args[MAX_ARGS];
    uint32_t fn;
    LLVMTypeRef ptr;
};

static uint32_t
arg_node(const struct model *m, char digit)
{
    uint32_t i = (uint32_t)(digit - '0');
    return digit >= '0' && digit <= '9' && i < m->n_args ? m->args[i] : BURL__NONE;
}

static void
model_store(const struct model *m, uint32_t value, uint32_t to, int64_t d)
{
    burl__pts_access(m->s, BURL__CON_STORE, to, value, m->ptr, d);
}

static void
model_load(const struct model *m, uint32_t from, uint32_t to, int64_t d)
{
    burl__pts_access(m->s, BURL__CON_LOAD, from, to, m->ptr, d);
}

/* `to` is a pointer into what `from` points to. */
static void
point_into(const struct model *m, uint32_t from, uint32_t to, uint64_t stride)
{
    burl__pts_edge(m->s, from, to);
    burl__pts_stride(m->s, from, to, stride);
}

/* A node that holds memory of the external function's own. */
static uint32_t
own_memory(const struct model *m)
{
    return burl__pts_own_object(m->s, &m->s->allocas, m->call, m->call);
}

/* The size of an element, if the call has it: two arguments after the array (qsort). */
static uint64_t
element_size(const struct model *m, char digit)
{
    unsigned i = (unsigned)(digit - '0') + 2;
    LLVMValueRef v = i < LLVMGetNumArgOperands(m->call) ? LLVMGetOperand(m->call, i) : NULL;

    return v && burl_ir_int_or_0(v) ? burl_ir_int_or_0(v) : 1;
}

/* The allocated size, if it is a constant or the product of two; else 0. */
static uint64_t
heap_size(const struct model *m)
{
    unsigned n = LLVMGetNumArgOperands(m->call);
    uint64_t size = n > 0;

    if (!(burl_program_libfn(m->s->p, m->s->funcs.v[m->fn].value).is & BURL_FN_SIZED))
        return 0;
    for (unsigned i = 0; i < n; i++)
        size *= burl_ir_int_or_0(LLVMGetOperand(m->call, i));
    return size < (UINT64_C(1) << 32) ? size : 0;
}

/* Reads "(..)" after *w; *w ends at the closing bracket. */
static uint32_t
read_args(const struct model *m, const char **w, uint32_t out[MAX_ARGS])
{
    const char *p = *w + 1;
    uint32_t n = 0;

    for (; *p && *p != ')' && n < MAX_ARGS; p++) {
        uint32_t node = BURL__NONE;
        if (*p == 'w') {
            uint32_t from = arg_node(m, *++p);
            node = burl__pts_new_node(m->s);
            point_into(m, from, node, element_size(m, *p));
        } else if (*p == 't') {
            node = m->s->tls_values;
        } else if (*p == 'x') {
            node = own_memory(m);
        } else {
            node = arg_node(m, *p);
        }
        out[n++] = node;
    }
    *w = p;
    return n;
}

static void
do_call(const struct model *m, const char **w)
{
    uint32_t args[MAX_ARGS];
    char what = **w;
    uint32_t fn = arg_node(m, (*w)[1]);

    *w += 2;
    uint32_t n = read_args(m, w, args);
    if (fn == BURL__NONE)
        return;
    if (what == 'g') {
        uint32_t loaded = burl__pts_new_node(m->s);
        model_load(m, fn, loaded, 0);
        fn = loaded;
    }
    burl__pts_callback(m->s, m->call, fn, args, n, what == 'T' ? m->s->thread_results : BURL__NONE,
                       what == 'T');
}

/* The constructor of std::thread makes the state that it starts: the only thing it allocates. The
 * owner it goes through is the same for all kinds of threads. BURL__NONE: another caller. */
static uint32_t
state_made(const struct model *m)
{
    LLVMValueRef f = burl_ir_function(m->call), made = NULL;

    if (burl_program_libfn(m->s->p, f).thread != BURL_FN_STD_CREATE)
        return BURL__NONE;
    for (LLVMValueRef i = burl_ir_first(f); i; i = burl_ir_next(i)) {
        LLVMValueRef to = burl_ir_is_call(i) ? burl__pts_callee(m->s, i) : NULL;
        if (!to || strcmp(burl_ir_name(to), "_Znwm") != 0)
            continue;
        if (made)
            return BURL__NONE;
        made = i;
    }
    return made ? burl__pts_value(m->s, made) : BURL__NONE;
}

static void
do_std_thread(const struct model *m, uint32_t owner)
{
    struct burl_pts *s = m->s;
    uint32_t state = state_made(m);

    if (state == BURL__NONE) {
        state = burl__pts_new_node(s);
        model_load(m, owner, state, 0);
    }
    BURL_VEC_PUSH(&s->runs, m->call);
    burl__pts_con(s, state, (struct burl__con){ BURL__CON_RUN, .x = (uint32_t)s->runs.n - 1 });
}

/* State by state: each runs the function of its own table, on itself. */
void
burl__pts_run_state(struct burl_pts *s, uint32_t run, uint32_t leaf)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(s->p->ctx, 0);

    for (size_t i = 0; i < s->run_leaves.n; i += 2)
        if (s->run_leaves.v[i] == run && s->run_leaves.v[i + 1] == leaf)
            return;
    BURL_VEC_PUSH(&s->run_leaves, run);
    BURL_VEC_PUSH(&s->run_leaves, leaf);
    uint32_t fn = burl__pts_new_node(s);
    uint32_t self = burl__pts_new_node(s);
    burl__pts_add(s, self, leaf);
    burl__pts_access(s, BURL__CON_LOAD, burl__pts_memory(s, leaf), fn, ptr, 16);
    burl__pts_callback(s, s->runs.v[run], fn, &self, 1, BURL__NONE, true);
}

/* Nodes that other code links and rebalances: each may come to point to every other. */
static void
do_links(const struct model *m, const char **w, int64_t first, int64_t last)
{
    uint32_t all = burl__pts_new_node(m->s);

    for (; (*w)[1] >= '0' && (*w)[1] <= '9'; ++*w)
        burl__pts_edge(m->s, arg_node(m, (*w)[1]), all);
    for (int64_t d = first; d <= last; d += 8) {
        model_load(m, all, all, d);
        model_store(m, all, all, d);
    }
    burl__pts_edge(m->s, all, m->ret);
}

static void
do_once(const struct model *m)
{
    struct burl_pts *s = m->s;

    for (size_t i = 0; i < s->p->modules.n; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(s->p->modules.v[i].mod, "_ZSt11__once_call");
        if (!g)
            continue;
        uint32_t fn = burl__pts_new_node(s);
        model_load(m, burl__pts_value(s, g), fn, 0);
        burl__pts_callback(s, m->call, fn, NULL, 0, BURL__NONE, false);
    }
}

/* Files written and read back hold no pointers; a pipe between threads may. */
static void
do_channel(const struct model *m, bool into, uint32_t buffer)
{
    struct burl_pts *s = m->s;
    if (buffer == BURL__NONE || !burl_program_has_traits(s->p, BURL_FN_CHANNEL))
        return;
    /* No declaration has this key. */
    uint32_t node = burl__pts_own_object(s, &s->statics, &s->statics, m->call);
    burl__pts_copy(s, m->call, into ? node : buffer, into ? buffer : node, BURL__NO_END);
}

/* Words with one or two digits and no more. */
static void
do_plain(const struct model *m, char what, uint32_t a, uint32_t b)
{
    struct burl_pts *s = m->s;
    uint32_t node;

    switch (what) {
    case 'r':
        burl__pts_edge(m->s, a, m->ret);
        break;
    case 'w':
        point_into(m, a, m->ret, 1);
        break;
    case 'e':
        node = burl__pts_new_node(s);
        point_into(m, b, node, 1);
        model_store(m, node, a, 0);
        break;
    case 'l':
        model_load(m, a, m->ret, 0);
        break;
    case 'i':
        model_store(m, a, m->ret, 0);
        break;
    case 'o':
        model_store(m, m->ret, a, 0);
        break;
    case 'p':
        model_store(m, b, a, 0);
        break;
    case 'm':
        burl__pts_copy(s, m->call, a, b, BURL__NO_END);
        break;
    case 'j':
        model_store(m, s->thread_results, a, 0);
        break;
    case 'z':
        burl__pts_edge(m->s, a, s->thread_results);
        break;
    case 'P':
        burl__pts_edge(m->s, a, s->tls_values);
        break;
    case 'V':
        burl__pts_edge(m->s, a, s->exceptions);
        break;
    case 'b':
        burl__pts_edge(m->s, a, m->ret);
        if (m->ret != BURL__NONE)
            burl__pts_con(s, a, (struct burl__con){ BURL__CON_START, .other = m->ret });
        break;
    default:
        break;
    }
}

static void
do_memory(const struct model *m, char what, uint32_t to)
{
    struct burl_pts *s = m->s;
    uint32_t node;

    if (what == 'H') {
        node = burl__pts_new_node(s);
        burl__pts_allocate(s, m->call, BURL__NONE, node, to == BURL__NONE ? heap_size(m) : 0);
    } else {
        node = what == 'S' ? burl__pts_own_object(s, &s->statics, s->funcs.v[m->fn].value, m->call)
                           : own_memory(m);
    }
    if (to == BURL__NONE)
        burl__pts_edge(m->s, node, m->ret);
    else
        model_store(m, node, to, 0);
}

/* All that bears a name: the object it is looked up in is not known. */
static void
do_name(const struct model *m, char digit)
{
    struct burl_pts *s = m->s;
    unsigned i = (unsigned)(digit - '0');
    LLVMValueRef v = i < LLVMGetNumArgOperands(m->call) ? LLVMGetOperand(m->call, i) : NULL;
    const char *name;
    size_t len;

    if (!v || !burl_ir_text(v, &name, &len) || len == 0 || name[len - 1] != '\0')
        return;
    for (size_t k = 0; k < s->p->modules.n; k++) {
        LLVMValueRef f = LLVMGetNamedFunction(s->p->modules.v[k].mod, name);
        LLVMValueRef g = f ? f : LLVMGetNamedGlobal(s->p->modules.v[k].mod, name);
        if (g && !LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMInternalLinkage)
            burl__pts_edge(m->s, burl__pts_value(s, burl__pts_def(s, g)), m->ret);
    }
}

static void
do_words(const struct model *m, const char *words)
{
    for (const char *w = words; *w; w++) {
        bool digit = w[1] >= '0' && w[1] <= '9';
        bool two = digit && w[2] >= '0' && w[2] <= '9';
        switch (*w) {
        case 'H':
        case 'X':
        case 'S':
            do_memory(m, *w, digit ? arg_node(m, w[1]) : BURL__NONE);
            break;
        case 'k':
        case 'g':
        case 'T':
            do_call(m, &w);
            break;
        case 'Y':
            do_std_thread(m, arg_node(m, w[1]));
            break;
        case 'R':
            do_links(m, &w, 8, 24);
            break;
        case 'Q':
            do_links(m, &w, 0, 8);
            break;
        case 'G':
            burl__pts_edge(m->s, m->s->tls_values, m->ret);
            break;
        case 'O':
            do_once(m);
            break;
        case 'N':
            do_name(m, w[1]);
            break;
        case 'u':
        case 'd':
            do_channel(m, *w == 'u', arg_node(m, w[1]));
            break;
        default:
            if (digit)
                do_plain(m, *w, arg_node(m, w[1]), two ? arg_node(m, w[2]) : BURL__NONE);
            break;
        }
        while (w[1] >= '0' && w[1] <= '9')
            w++;
    }
}

/* A function of which nothing is known. */
static void
do_unknown(const struct model *m, bool direct)
{
    struct burl_pts *s = m->s;
    LLVMValueRef f = s->funcs.v[m->fn].value;
    uint32_t all = burl__pts_new_node(s), own = own_memory(m), args[MAX_ARGS];

    burl__pts_edge(s, own, all);
    for (uint32_t i = 0; i < m->n_args; i++) {
        if (m->args[i] == BURL__NONE || !burl_ir_is_pointer(LLVMGetOperand(m->call, i)))
            continue;
        burl__pts_edge(s, m->args[i], all);
        model_load(m, m->args[i], m->ret, 0);
        if (!burl_ir_attr(f, i + 1, "readonly") && !burl_ir_attr(f, i + 1, "readnone"))
            model_store(m, own, m->args[i], 0);
    }
    burl__pts_edge(s, all, m->ret);
    for (uint32_t i = 0; i < MAX_ARGS; i++)
        args[i] = all;
    for (uint32_t i = 0; direct && i < m->n_args; i++) {
        LLVMValueRef v = LLVMGetOperand(m->call, i);
        if (m->args[i] == BURL__NONE || !LLVMIsAFunction(v))
            continue;
        uint32_t fn = burl__pts_function(s, burl__pts_def(s, v));
        if (s->funcs.v[fn].defined) {
            uint32_t x =
                burl__pts_callback(s, m->call, BURL__NONE, args, MAX_ARGS, BURL__NONE, false);
            burl__pts_bind_function(s, x, fn);
        }
    }
}

static void
note_unknown(struct burl_pts *s, const char *name)
{
    for (size_t i = 0; i < s->unknown.n; i++)
        if (strcmp(s->unknown.v[i], name) == 0)
            return;
    BURL_VEC_PUSH(&s->unknown, burl_xstrdup(name));
}

/* Numbers in, number out: nothing to know about it. */
static bool
is_harmless(const struct model *m)
{
    if (m->ret != BURL__NONE && burl_ir_is_pointer(m->call))
        return false;
    for (uint32_t i = 0; i < m->n_args; i++)
        if (m->args[i] != BURL__NONE && burl_ir_is_pointer(LLVMGetOperand(m->call, i)))
            return false;
    return true;
}

const char *
burl__pts_words_of(struct burl_pts *s, uint32_t fn)
{
    return burl_program_libfn(s->p, s->funcs.v[fn].value).pointers;
}

void
burl__pts_model(struct burl_pts *s, uint32_t site, uint32_t fn)
{
    const struct burl__site st = s->sites.v[site];
    const char *words = burl__pts_words_of(s, fn);
    struct model m = { .s = s,
                       .call = st.call,
                       .ret = st.ret,
                       .n_args = st.n_args < MAX_ARGS ? st.n_args : MAX_ARGS,
                       .fn = fn,
                       .ptr = LLVMPointerTypeInContext(s->p->ctx, 0) };

    for (uint32_t i = 0; i < m.n_args; i++)
        m.args[i] = s->site_args.v[st.first_arg + i];
    if (words) {
        do_words(&m, words);
        return;
    }
    /* A callback that is itself unknown has no call of its own to look at. */
    if (st.callback || is_harmless(&m))
        return;
    note_unknown(s, burl_ir_name(s->funcs.v[fn].value));
    do_unknown(&m, st.direct);
}
