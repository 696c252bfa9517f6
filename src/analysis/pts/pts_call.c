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

static bool
has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

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
fits_call(const struct burl_pts *s, const struct burl__site *site, LLVMValueRef fn)
{
    LLVMTypeRef ft = LLVMGlobalGetValueType(fn);
    enum { MAX_PARAMS = 64 };
    LLVMTypeRef params[MAX_PARAMS];
    unsigned n = LLVMCountParamTypes(ft);

    (void)s;
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

/* The object of a parameter that the caller copies onto our stack; BURL__NONE not such a one. */
static uint32_t
byval_object(struct burl_pts *s, LLVMValueRef fn, unsigned i, uint64_t *size_b)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, i + 1, kind);
    LLVMValueRef param = LLVMGetParam(fn, i);
    LLVMTargetDataRef td = burl__pts_td(s, fn);
    uint32_t x;

    if (!a)
        return BURL__NONE;
    LLVMTypeRef t = LLVMGetTypeAttributeValue(a);
    *size_b = LLVMABISizeOfType(td, t);
    if (!burl_valmap_get(&s->allocas, param, &x)) {
        x = burl__pts_new_object(s, BURL_PTS_STACK, param, t, td);
        burl_valmap_set(&s->allocas, param, x);
        burl__pts_add(s, burl__pts_value(s, param), burl__pts_leaf_at(s, x, 0));
    }
    return x;
}

/* Where the arguments behind the named ones lie: one leaf for all of them. */
static uint32_t
varargs_object(struct burl_pts *s, uint32_t fn)
{
    if (s->funcs.v[fn].varargs == BURL__NONE) {
        uint32_t x = burl__pts_new_object(s, BURL_PTS_STACK, s->funcs.v[fn].value, NULL, NULL);
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
        uint64_t size_b;
        if (arg == BURL__NONE)
            continue;
        if (i >= n_params) {
            if (!LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
                continue;
            uint32_t leaf = burl__pts_leaf_at(s, varargs_object(s, fn), 0);
            burl__pts_edge(s, arg, burl__pts_memory(s, leaf));
            continue;
        }
        uint32_t x = byval_object(s, f, i, &size_b);
        uint32_t param = burl__pts_value(s, LLVMGetParam(f, i));
        if (param == BURL__NONE)
            continue;
        if (x != BURL__NONE)
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
    LLVMTargetDataRef td = s->p->modules.v[0].td;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(s->p->ctx, 0);

    if (!sum.ok && st.ret != BURL__NONE)
        burl__pts_edge(s, s->funcs.v[fn].ret, st.ret);
    if (sum.fresh || sum.out) {
        uint32_t node = burl__pts_new_node(s);
        burl__pts_allocate(s, st.call, fn, node, 0);
        if (sum.fresh && sum.ok && st.ret != BURL__NONE)
            burl__pts_edge(s, node, st.ret);
        for (uint32_t i = 0; i < st.n_args && i < 32; i++)
            if ((sum.out >> i & 1) && s->site_args.v[st.first_arg + i] != BURL__NONE)
                burl__pts_store(s, td, node, s->site_args.v[st.first_arg + i], ptr, 0);
    }
    for (uint32_t i = 0; sum.ok && st.ret != BURL__NONE && i < st.n_args && i < 32; i++)
        if ((sum.params >> i & 1) && s->site_args.v[st.first_arg + i] != BURL__NONE)
            burl__pts_edge(s, s->site_args.v[st.first_arg + i], st.ret);
}

void
burl__pts_bind_function(struct burl_pts *s, uint32_t site, uint32_t fn)
{
    struct burl__site *st = &s->sites.v[site];

    for (size_t i = 0; i < st->callees.n; i++)
        if (st->callees.v[i] == fn)
            return;
    BURL_VEC_PUSH(&st->callees, fn);
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

    if (o->pub.kind != BURL_PTS_FUNCTION || !fits_call(s, &s->sites.v[site], o->pub.at))
        return;
    burl__pts_bind_function(s, site, burl__pts_function(s, o->pub.at));
}

static uint32_t
new_site(struct burl_pts *s, LLVMValueRef call)
{
    uint32_t x = (uint32_t)s->sites.n, first;
    struct burl__site *st = BURL_VEC_ADD(&s->sites);

    st->call = call;
    st->ret = BURL__NONE;
    st->next = BURL__NONE;
    st->first_arg = (uint32_t)s->site_args.n;
    if (burl_valmap_get(&s->first_site, call, &first)) {
        st->next = s->sites.v[first].next;
        s->sites.v[first].next = x;
    } else {
        burl_valmap_set(&s->first_site, call, x);
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
    if (fn != BURL__NONE)
        burl__pts_con(s, fn, (struct burl__con){ BURL__CON_CALL, .x = x });
    return x;
}

static void
call_va_start(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    uint32_t area = burl__pts_new_node(s);
    uint32_t list = burl__pts_value(s, LLVMGetOperand(call, 0));
    LLVMTargetDataRef td = burl__pts_td(s, f);
    uint32_t x = varargs_object(s, burl__pts_function(s, f));

    burl__pts_add(s, area, burl__pts_leaf_at(s, x, 0));
    /* The two areas of x86-64's va_list: on the stack, and saved registers. */
    for (int64_t d = 8; d <= 16; d += 8)
        burl__pts_store(s, td, area, list, LLVMTypeOf(LLVMGetOperand(call, 0)), d);
}

static void
call_intrinsic(struct burl_pts *s, LLVMValueRef call, const char *name)
{
    unsigned n = LLVMGetNumArgOperands(call);
    uint32_t ret = burl__pts_value(s, call);

    if (has_prefix(name, "llvm.memcpy") || has_prefix(name, "llvm.memmove")) {
        LLVMValueRef len = LLVMGetOperand(call, 2);
        burl__pts_copy(s, call, burl__pts_value(s, LLVMGetOperand(call, 0)),
                       burl__pts_value(s, LLVMGetOperand(call, 1)),
                       LLVMIsAConstantInt(len) ? LLVMConstIntGetZExtValue(len) : BURL__NO_END);
    } else if (has_prefix(name, "llvm.va_start")) {
        call_va_start(s, call);
    } else if (has_prefix(name, "llvm.va_copy")) {
        burl__pts_copy(s, call, burl__pts_value(s, LLVMGetOperand(call, 0)),
                       burl__pts_value(s, LLVMGetOperand(call, 1)), 24);
    } else if (ret != BURL__NONE && !has_prefix(name, "llvm.objectsize")) {
        for (unsigned i = 0; i < n; i++) {
            uint32_t a = burl__pts_value(s, LLVMGetOperand(call, i));
            if (a != BURL__NONE)
                burl__pts_edge(s, a, ret);
        }
    }
}

void
burl__pts_call(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef def = burl__pts_callee(s, call);
    unsigned n = LLVMGetNumArgOperands(call);
    size_t len;

    if (def && LLVMGetIntrinsicID(def)) {
        call_intrinsic(s, call, LLVMGetValueName2(def, &len));
        return;
    }
    uint32_t ret = burl__pts_value(s, call);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        for (unsigned i = 0; ret != BURL__NONE && i < n; i++) {
            uint32_t a = burl__pts_value(s, LLVMGetOperand(call, i));
            if (a != BURL__NONE)
                burl__pts_edge(s, a, ret);
        }
        return;
    }
    uint32_t x = new_site(s, call);
    for (unsigned i = 0; i < n; i++) {
        uint32_t a = burl__pts_value(s, LLVMGetOperand(call, i));
        BURL_VEC_PUSH(&s->site_args, a);
    }
    struct burl__site *st = &s->sites.v[x];
    st->type = LLVMGetCalledFunctionType(call);
    st->ret = ret;
    st->n_args = n;
    st->direct = def != NULL;
    if (def) {
        burl__pts_bind_function(s, x, burl__pts_function(s, def));
        return;
    }
    uint32_t fn = burl__pts_value(s, LLVMGetCalledValue(call));
    if (fn != BURL__NONE)
        burl__pts_con(s, fn, (struct burl__con){ BURL__CON_CALL, .x = x });
}
