/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_call.c - calls. Host side.
 *
 * A call is bound to a function if the function is named, or if the called pointer is found to
 * point to it and the types are compatible: as many parameters (a variadic function or an
 * unprototyped call takes any), each of the same sort. Calling a function with another number of
 * parameters is undefined in C, and allowing it would join every callback with every other.
 */
#include <string.h>

#include "analysis/pts/pts_int.h"

LLVMValueRef
burl__pts_callee(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef v = LLVMGetCalledValue(call);

    while (v && LLVMIsAConstantExpr(v) &&
           (LLVMGetConstOpcode(v) == LLVMBitCast || LLVMGetConstOpcode(v) == LLVMAddrSpaceCast))
        v = LLVMGetOperand(v, 0);
    if (!v || !LLVMIsAGlobalValue(v))
        return NULL;
    LLVMValueRef def = burl__pts_def(s, v);
    return LLVMIsAFunction(def) ? def : NULL;
}

static char
sort_of(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMPointerTypeKind:
        return 'p';
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t) == 64 ? 'l' : 'i';
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
        return 'f';
    case LLVMVoidTypeKind:
        return 'v';
    default:
        return 's';
    }
}

static bool
sorts_fit(LLVMTypeRef a, LLVMTypeRef b)
{
    char x = sort_of(a), y = sort_of(b);

    if (x == y)
        return true;
    /* Integers of any width pass in the same registers, and a long may be a pointer. */
    if ((x == 'i' || x == 'l') && (y == 'i' || y == 'l'))
        return true;
    return (x == 'p' && y == 'l') || (x == 'l' && y == 'p');
}

static bool
fits_call(const struct burl__site *site, LLVMValueRef fn)
{
    LLVMTypeRef ft = LLVMGlobalGetValueType(fn);
    enum { MAX_PARAMS = 64 };
    LLVMTypeRef params[MAX_PARAMS];
    unsigned n = LLVMCountParamTypes(ft);

    if (!site->type || n > MAX_PARAMS)
        return true;
    bool open = LLVMIsFunctionVarArg(ft) || LLVMIsFunctionVarArg(site->type);
    unsigned n_args = LLVMGetNumArgOperands(site->call);
    if (open ? n_args < n && !LLVMIsFunctionVarArg(site->type) : n_args != n)
        return false;
    LLVMGetParamTypes(ft, params);
    for (unsigned i = 0; i < n && i < n_args; i++)
        if (!sorts_fit(params[i], LLVMTypeOf(LLVMGetOperand(site->call, i))))
            return false;
    char want = sort_of(LLVMGetReturnType(site->type)), got = sort_of(LLVMGetReturnType(ft));
    /* An unused result may be of any sort. */
    return want == 'v' || got == want || got == 'i' || got == 'l' || (got == 'p' && want == 'l') ||
           !LLVMGetFirstUse(site->call);
}

/* A parameter that the caller copies onto our stack has an object: its size, 0 not such a one. */
static uint64_t
byval_size(struct burl_pts *s, LLVMValueRef fn, unsigned i)
{
    LLVMAttributeRef a = burl_ir_attr(fn, i + 1, "byval");
    LLVMTypeRef t = a ? LLVMGetTypeAttributeValue(a) : NULL;
    LLVMValueRef param = LLVMGetParam(fn, i);
    uint32_t x = (uint32_t)s->objects.n;

    if (t && !burl_valmap_find_or_add(&s->allocas, param, &x)) {
        burl__pts_new_object(s, BURL_PTS_STACK, param, t);
        burl__pts_add(s, burl__pts_value(s, param), burl__pts_leaf_at(s, x, 0));
    }
    return t ? LLVMABISizeOfType(s->p->td, t) : 0;
}

/* Memory of the arguments after the named ones: one leaf for all of them. */
static uint32_t
varargs_object(struct burl_pts *s, uint32_t fn)
{
    if (s->funcs.v[fn].varargs == BURL__NONE) {
        uint32_t x = burl__pts_new_object(s, BURL_PTS_STACK, s->funcs.v[fn].value, NULL);
        s->funcs.v[fn].varargs = x;
        burl__pts_region(s, x, 0, 1, BURL__NO_END);
    }
    return s->funcs.v[fn].varargs;
}

static void
pass_arguments(struct burl_pts *s, uint32_t site, uint32_t fn)
{
    LLVMValueRef f = s->funcs.v[fn].value;
    unsigned n_params = LLVMCountParams(f);

    for (uint32_t i = 0; i < s->sites.v[site].n_args; i++) {
        uint32_t arg = s->site_args.v[s->sites.v[site].first_arg + i];
        if (arg == BURL__NONE)
            continue;
        if (i >= n_params) {
            if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f))) {
                uint32_t leaf = burl__pts_leaf_at(s, varargs_object(s, fn), 0);
                burl__pts_edge(s, arg, burl__pts_memory(s, leaf));
            }
            continue;
        }
        uint64_t size_b = byval_size(s, f, i);
        uint32_t param = burl__pts_value(s, LLVMGetParam(f, i));
        if (size_b)
            burl__pts_copy(s, LLVMGetParam(f, i), param, arg, size_b);
        else
            burl__pts_edge(s, arg, param);
    }
}

/* The result, by the function's summary if it has one. */
static void
pass_result(struct burl_pts *s, uint32_t site, uint32_t fn)
{
    const struct burl__summary sum = s->funcs.v[fn].sum;
    const struct burl__site st = s->sites.v[site];
    LLVMTypeRef ptr = LLVMPointerTypeInContext(s->p->ctx, 0);
    uint32_t n = st.n_args < 32 ? st.n_args : 32;
    const uint32_t *args = &s->site_args.v[st.first_arg];

    if (!sum.ok)
        burl__pts_edge(s, s->funcs.v[fn].ret, st.ret);
    if (sum.fresh || sum.out) {
        uint32_t node = burl__pts_new_node(s);
        burl__pts_allocate(s, st.call, fn, node, 0);
        if (sum.fresh && sum.ok)
            burl__pts_edge(s, node, st.ret);
        for (uint32_t i = 0; i < n; i++)
            if (sum.out >> i & 1)
                burl__pts_access(s, BURL__CON_STORE, args[i], node, ptr, 0);
    }
    for (uint32_t i = 0; sum.ok && i < n; i++)
        if (sum.params >> i & 1)
            burl__pts_edge(s, args[i], st.ret);
}

void
burl__pts_bind_function(struct burl_pts *s, uint32_t site, uint32_t fn)
{
    if (!burl_u32s_add(&s->sites.v[site].callees, fn))
        return;
    if (!s->funcs.v[fn].defined) {
        burl__pts_model(s, site, fn);
        return;
    }
    burl__pts_reach(s, fn);
    pass_arguments(s, site, fn);
    pass_result(s, site, fn);
}

void
burl__pts_bind(struct burl_pts *s, uint32_t site, uint32_t leaf)
{
    const struct burl__object *o = &s->objects.v[s->leaves.v[leaf].object];

    if (o->pub.kind != BURL_PTS_FUNCTION || !fits_call(&s->sites.v[site], o->pub.at))
        return;
    burl__pts_bind_function(s, site, burl__pts_function(s, o->pub.at));
}

static uint32_t
new_site(struct burl_pts *s, LLVMValueRef call)
{
    uint32_t x = (uint32_t)s->sites.n, first = x;
    struct burl__site *st = BURL_VEC_ADD(&s->sites);

    st->call = call;
    st->ret = BURL__NONE;
    st->next = BURL__NONE;
    st->first_arg = (uint32_t)s->site_args.n;
    if (burl_valmap_find_or_add(&s->first_site, call, &first)) {
        st->next = s->sites.v[first].next;
        s->sites.v[first].next = x;
    }
    return x;
}

uint32_t
burl__pts_callback(struct burl_pts *s, LLVMValueRef call, uint32_t fn, const uint32_t *args,
                   uint32_t n_args, uint32_t ret, bool spawn)
{
    uint32_t x = new_site(s, call);
    struct burl__site *st = &s->sites.v[x];

    st->ret = ret;
    st->spawn = spawn;
    st->callback = true;
    st->n_args = n_args;
    for (uint32_t i = 0; i < n_args; i++)
        BURL_VEC_PUSH(&s->site_args, args[i]);
    burl__pts_con(s, fn, (struct burl__con){ BURL__CON_CALL, .x = x });
    return x;
}

static void
call_va_start(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef f = burl_ir_function(call);
    uint32_t area = burl__pts_new_node(s);
    uint32_t list = burl__pts_value(s, LLVMGetOperand(call, 0));
    uint32_t x = varargs_object(s, burl__pts_function(s, f));

    burl__pts_add(s, area, burl__pts_leaf_at(s, x, 0));
    /* The two areas of x86-64's va_list: on the stack, and saved registers. */
    for (int64_t d = 8; d <= 16; d += 8)
        burl__pts_access(s, BURL__CON_STORE, list, area, LLVMTypeOf(LLVMGetOperand(call, 0)), d);
}

/* A result made of the arguments, in a way that is not known. */
static void
mix_arguments(struct burl_pts *s, LLVMValueRef call)
{
    uint32_t ret = burl__pts_value(s, call);
    unsigned n = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; ret != BURL__NONE && i < n; i++)
        burl__pts_edge(s, burl__pts_value(s, LLVMGetOperand(call, i)), ret);
}

static void
copy_memory(struct burl_pts *s, LLVMValueRef call, uint64_t len_b)
{
    uint32_t src = burl__pts_value(s, LLVMGetOperand(call, 1));
    uint32_t dst = burl__pts_value(s, LLVMGetOperand(call, 0));

    burl__pts_copy(s, call, dst, src, len_b);
}

static void
call_intrinsic(struct burl_pts *s, LLVMValueRef call, const char *name)
{
    if (burl_ir_begins(name, "llvm.memcpy") || burl_ir_begins(name, "llvm.memmove")) {
        LLVMValueRef len = LLVMGetOperand(call, 2);
        copy_memory(s, call,
                    LLVMIsAConstantInt(len) ? LLVMConstIntGetZExtValue(len) : BURL__NO_END);
    } else if (burl_ir_begins(name, "llvm.va_start")) {
        call_va_start(s, call);
    } else if (burl_ir_begins(name, "llvm.va_copy")) {
        copy_memory(s, call, 24);
    } else if (!burl_ir_begins(name, "llvm.objectsize")) {
        mix_arguments(s, call);
    }
}

void
burl__pts_call(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef def = burl__pts_callee(s, call);
    unsigned n = LLVMGetNumArgOperands(call);

    if (def && LLVMGetIntrinsicID(def)) {
        call_intrinsic(s, call, burl_ir_name(def));
        return;
    }
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        mix_arguments(s, call);
        return;
    }
    uint32_t ret = burl__pts_value(s, call);
    uint32_t x = new_site(s, call);
    for (unsigned i = 0; i < n; i++)
        BURL_VEC_PUSH(&s->site_args, burl__pts_value(s, LLVMGetOperand(call, i)));
    struct burl__site *st = &s->sites.v[x];
    st->type = LLVMGetCalledFunctionType(call);
    st->ret = ret;
    st->n_args = n;
    st->direct = def != NULL;
    if (def) {
        burl__pts_bind_function(s, x, burl__pts_function(s, def));
        return;
    }
    burl__pts_con(s, burl__pts_value(s, LLVMGetCalledValue(call)),
                  (struct burl__con){ BURL__CON_CALL, .x = x });
}
