/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/libfn.c - library functions that touch memory the caller names.
 *
 * Runs in the compiler. The C library is not instrumented, so a direct call of a function whose
 * accesses wire/libfn.def states gets range hooks. Extents are exact: memchr and strchr are called
 * once more to see where they stop, a small function in the module computes how far comparisons
 * read, and the runtime measures the text of numbers. Functions whose result is the number of bytes
 * they wrote (read, snprintf, sscanf) get their hook after the call. What is written to a
 * descriptor is hooked before the call, with the length requested: as soon as the other side has
 * it, the buffer may have a new owner.
 *
 * A thread preempted in a hook after the call has changed memory already, and one before a call
 * with several accesses has done none of them. That matters only if another access races with one
 * of these, and then a search of all interleavings claims nothing: every access of a range "tears"
 * (hooks/hooks.c).
 *
 * The fortified forms (__memcpy_chk) have the same first arguments.
 */
#include <string.h>

#include "instr/instr_int.h"

static bool
is_number(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);

    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64;
}

/* Names like `send` are not reserved: another function of that name may have other arguments. */
static bool
has_numbers_for(LLVMValueRef call, uint8_t extent)
{
    switch (extent) {
    case BURL_EXT_ARG1:
        return is_number(LLVMGetOperand(call, 1));
    case BURL_EXT_ARG2:
    case BURL_EXT_INT2:
    case BURL_EXT_LCPY:
    case BURL_EXT_WIDE2:
        return is_number(LLVMGetOperand(call, 2));
    case BURL_EXT_UNTIL_C:
        return is_number(LLVMGetOperand(call, 2)) && is_number(LLVMGetOperand(call, 3));
    case BURL_EXT_PRODUCT:
        return is_number(LLVMGetOperand(call, 1)) && is_number(LLVMGetOperand(call, 2));
    case BURL_EXT_RET_MIN2:
    case BURL_EXT_RET1_MIN2:
        return is_number(call) && is_number(LLVMGetOperand(call, 2));
    case BURL_EXT_RET_MIN1:
    case BURL_EXT_RET1_MIN1:
    case BURL_EXT_ARG1_OK:
    case BURL_EXT_RET_TIMES:
        return is_number(call) && is_number(LLVMGetOperand(call, 1));
    case BURL_EXT_RET1:
    case BURL_EXT_RET1_POSITIVE:
    case BURL_EXT_RET1_VIA:
    case BURL_EXT_FIXED_OK:
    case BURL_EXT_FIXED_DONE:
    case BURL_EXT_FIXED_FAILED:
    case BURL_EXT_STR_OK:
    case BURL_EXT_RET_TIMES_N:
        return is_number(call);
    case BURL_EXT_RET_STR:
        return burl_ir_is_pointer(call);
    default:
        return true;
    }
}

static LLVMValueRef
pointer_of(LLVMValueRef call, const struct burl_libfn_access *o)
{
    return o->arg == BURL_FN_RESULT ? call : LLVMGetOperand(call, o->arg);
}

/* The facts about a function whose accesses are known and fit this call; n_args is 0 if not. */
static struct burl_libfn
row_of(LLVMValueRef call)
{
    static const struct burl_libfn none;
    LLVMValueRef fn = burl_ir_callee(call);
    unsigned n_args = LLVMGetNumArgOperands(call);
    struct burl_libfn r;

    /* A function of that name defined here is the user's own and is instrumented itself. */
    if (!fn || !LLVMIsDeclaration(fn))
        return none;
    r = burl_libfn(burl_ir_name(fn));
    if (r.n_args == 0 || n_args < r.n_args)
        return none;
    /* One argument more is the object size of the fortified form. */
    if (!(r.how & BURL_FN_MORE_ARGS) && n_args > r.n_args + 1u)
        return none;
    for (int i = 0; i < BURL_LIBFN_ACCESSES && r.access[i].kind; i++) {
        LLVMValueRef ptr = pointer_of(call, &r.access[i]);
        if (!burl_ir_is_pointer(ptr) || burl_ir_is_segment(ptr) ||
            !has_numbers_for(call, r.access[i].extent))
            return none;
    }
    return r;
}

/* By name alone, so for reserved names only: the program's own `send` may keep what it gets. */
bool
burl__instr_lib_known(const char *name)
{
    const struct burl_libfn r = burl_libfn(name);

    return r.n_args != 0 && !(r.how & BURL_FN_KEEPS) &&
           (!(r.how & BURL_FN_CALL) || burl_ir_begins(r.name, "str"));
}

/* An argument without an access may be kept: what a new thread gets. */
bool
burl__instr_lib_forgets(const char *name, unsigned arg)
{
    const struct burl_libfn r = burl_libfn(name);

    if (!(r.is & BURL_FN_RESERVED) || (r.how & BURL_FN_KEEPS))
        return false;
    for (int i = 0; i < BURL_LIBFN_ACCESSES && r.access[i].kind; i++)
        if (r.access[i].arg == arg)
            return true;
    return false;
}

/* Does the function touch more than its accesses and its format state? */
bool
burl__instr_lib_is_partial(struct burl__instr *in, LLVMValueRef call, const struct burl_libfn *r)
{
    struct burl__op unused[BURL__FORMAT_OPS];

    return (r->how & BURL_FN_PARTIAL) ||
           ((r->how & (BURL_FN_PRINTS | BURL_FN_SCANS)) &&
            burl__instr_format_ops(in, call, r, unused, BURL__FORMAT_OPS) < 0);
}

/* The accesses that the row states. */
static int
row_ops(struct burl__instr *in, LLVMValueRef call, const struct burl_libfn *r, struct burl__op *ops)
{
    int n = 0;

    for (int i = 0; i < BURL_LIBFN_ACCESSES && r->access[i].kind; i++) {
        const struct burl_libfn_access *o = &r->access[i];
        LLVMValueRef p = pointer_of(call, o);

        if (LLVMIsNull(p) || burl__instr_is_constant(p) || burl__instr_is_private(in, p))
            continue;
        ops[n++] = (struct burl__op){ .ptr = p,
                                      .kind = o->kind,
                                      .order = BURL_MO_NONE,
                                      .how = BURL__HOW_LIB,
                                      .extent = o->extent,
                                      .bytes = o->n,
                                      .at = o->at,
                                      .then = o->then };
    }
    return n;
}

int
burl__instr_lib_ops(struct burl__instr *in, LLVMValueRef call, struct burl__op ops[BURL__MAX_OPS])
{
    const struct burl_libfn r = row_of(call);
    uint8_t code;
    int n;

    if (r.n_args == 0)
        return -1;
    code = burl__instr_hidden_at(in, call, burl_ir_name(burl_ir_callee(call)));
    n = row_ops(in, call, &r, ops);
    if (r.how & (BURL_FN_PRINTS | BURL_FN_SCANS)) {
        int more = burl__instr_format_ops(in, call, &r, ops + n, BURL__FORMAT_OPS);
        n += more > 0 ? more : 0;
    }
    if (r.how & BURL_FN_CALL)
        ops[n++] = burl__instr_call_op(LLVMGetCalledValue(call), code);
    return n;
}

bool
burl__instr_lib_is_str(const struct burl__op *op)
{
    return op->extent == BURL_EXT_STR;
}

bool
burl__instr_lib_is_after(const struct burl__op *op)
{
    return op->how == BURL__HOW_LIB && op->extent >= BURL_EXT__AFTER;
}

static LLVMValueRef
add1(struct burl__instr *in, LLVMValueRef x)
{
    return LLVMBuildAdd(in->builder, x, burl__instr_u64(in, 1), "");
}

static LLVMValueRef
call_strlen(struct burl__instr *in, LLVMValueRef s)
{
    return burl__instr_hook_call(in, BURL__HOOK_STRLEN, &s, 1);
}

static LLVMValueRef
as_u64(struct burl__instr *in, LLVMValueRef x)
{
    return LLVMBuildIntCast2(in->builder, x, in->i64, 0, "");
}

/* Calls a function of the C library, which is declared if the module has not done so. */
static LLVMValueRef
call_libc(struct burl__instr *in, const char *name, LLVMTypeRef result, LLVMValueRef *args,
          unsigned n)
{
    LLVMTypeRef params[3];
    LLVMValueRef fn = LLVMGetNamedFunction(in->mod, name);

    for (unsigned i = 0; i < n; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef ty = LLVMFunctionType(result, params, n, 0);
    return LLVMBuildCall2(in->builder, ty, fn ? fn : LLVMAddFunction(in->mod, name, ty), args, n,
                          "");
}

static LLVMValueRef
call_strnlen(struct burl__instr *in, LLVMValueRef s, LLVMValueRef max)
{
    LLVMValueRef args[2] = { s, as_u64(in, max) };

    return call_libc(in, "strnlen", in->i64, args, 2);
}

/* The bytes strnlen-like functions read: the NUL too, when it comes before the limit. */
static LLVMValueRef
strn_extent(struct burl__instr *in, LLVMValueRef s, LLVMValueRef max)
{
    LLVMValueRef n = call_strnlen(in, s, max);
    LLVMValueRef below = LLVMBuildICmp(in->builder, LLVMIntULT, n, as_u64(in, max), "");
    return LLVMBuildAdd(in->builder, n, LLVMBuildZExt(in->builder, below, in->i64, ""), "");
}

/* c with ASCII letters folded to lower case, as the C locale compares them. */
static LLVMValueRef
build_fold(struct burl__instr *in, LLVMValueRef c, LLVMValueRef fold)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef off = LLVMBuildSub(b, c, LLVMConstInt(in->i8, 'A', 0), "");
    LLVMValueRef upper = LLVMBuildICmp(b, LLVMIntULT, off, LLVMConstInt(in->i8, 26, 0), "");
    LLVMValueRef low = LLVMBuildOr(b, c, LLVMConstInt(in->i8, 0x20, 0), "");
    LLVMValueRef yes = LLVMBuildAnd(b, upper, fold, "");
    return LLVMBuildSelect(b, yes, low, c, "");
}

/*
 * uint64_t extent(const char *a, const char *b, uint64_t n, bool fold): bytes looked at until a
 * difference, a NUL or n. Internal to the module and not watched.
 */
static void
make_extent_fn(struct burl__instr *in)
{
    LLVMTypeRef params[4] = { in->ptr, in->ptr, in->i64, in->i1 };
    LLVMBuilderRef b = LLVMCreateBuilderInContext(in->ctx);
    LLVMBuilderRef saved = in->builder;

    in->extent_fn_ty = LLVMFunctionType(in->i64, params, 4, 0);
    in->extent_fn = LLVMAddFunction(in->mod, "__burl_cmp_extent", in->extent_fn_ty);
    LLVMSetLinkage(in->extent_fn, LLVMInternalLinkage);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(in->ctx, in->extent_fn, "");
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(in->ctx, in->extent_fn, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(in->ctx, in->extent_fn, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(in->ctx, in->extent_fn, "");
    LLVMValueRef a = LLVMGetParam(in->extent_fn, 0);
    LLVMValueRef c = LLVMGetParam(in->extent_fn, 1);
    LLVMValueRef fold = LLVMGetParam(in->extent_fn, 3);

    in->builder = b;
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildBr(b, head);

    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef i = LLVMBuildPhi(b, in->i64, "");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, i, LLVMGetParam(in->extent_fn, 2), "");
    LLVMBuildCondBr(b, more, body, done);

    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef x = LLVMBuildLoad2(b, in->i8, LLVMBuildGEP2(b, in->i8, a, &i, 1, ""), "");
    LLVMValueRef y = LLVMBuildLoad2(b, in->i8, LLVMBuildGEP2(b, in->i8, c, &i, 1, ""), "");
    LLVMValueRef next = add1(in, i);
    LLVMValueRef same =
        LLVMBuildICmp(b, LLVMIntEQ, build_fold(in, x, fold), build_fold(in, y, fold), "");
    LLVMValueRef live = LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstInt(in->i8, 0, 0), "");
    LLVMBuildCondBr(b, LLVMBuildAnd(b, same, live, ""), head, done);

    LLVMValueRef head_in[2] = { burl__instr_u64(in, 0), next };
    LLVMBasicBlockRef head_from[2] = { entry, body };
    LLVMAddIncoming(i, head_in, head_from, 2);

    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef r = LLVMBuildPhi(b, in->i64, "");
    LLVMValueRef done_in[2] = { i, next };
    LLVMBasicBlockRef done_from[2] = { head, body };
    LLVMAddIncoming(r, done_in, done_from, 2);
    LLVMBuildRet(b, r);

    in->builder = saved;
    LLVMDisposeBuilder(b);
}

static LLVMValueRef
cmp_extent(struct burl__instr *in, LLVMValueRef call, LLVMValueRef n)
{
    LLVMValueRef args[4] = { LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), as_u64(in, n),
                             LLVMConstInt(in->i1, (row_of(call).how & BURL_FN_FOLD) != 0, 0) };

    if (!in->extent_fn)
        make_extent_fn(in);
    return LLVMBuildCall2(in->builder, in->extent_fn_ty, in->extent_fn, args, 4, "");
}

/* Calls the same function once more and returns what it gave; its result is a pointer. */
static LLVMValueRef
call_again(struct burl__instr *in, LLVMValueRef call)
{
    LLVMValueRef args[3];
    unsigned n = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < n && i < 3; i++)
        args[i] = LLVMGetOperand(call, i);
    return LLVMBuildCall2(in->builder, LLVMGetCalledFunctionType(call), LLVMGetCalledValue(call),
                          args, n, "");
}

/* found ? found - start + tail : whole */
static LLVMValueRef
find_extent(struct burl__instr *in, LLVMValueRef call, LLVMValueRef tail, LLVMValueRef whole)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef hit = call_again(in, call);
    LLVMValueRef at = LLVMBuildPtrToInt(b, hit, in->i64, "");
    LLVMValueRef start = LLVMBuildPtrToInt(b, LLVMGetOperand(call, 0), in->i64, "");
    LLVMValueRef n = LLVMBuildAdd(b, LLVMBuildSub(b, at, start, ""), tail, "");
    return LLVMBuildSelect(b, LLVMBuildIsNull(b, hit, ""), whole, n, "");
}

static LLVMValueRef
build_min(struct burl__instr *in, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(in->builder, LLVMBuildICmp(in->builder, LLVMIntULT, a, b, ""), a, b, "");
}

/* The result of the call plus a constant; 0 if the result is negative (failure). */
static LLVMValueRef
result_plus(struct burl__instr *in, LLVMValueRef call, uint64_t more)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef r = LLVMBuildIntCast2(b, call, in->i64, 1, "");
    LLVMValueRef failed = LLVMBuildICmp(b, LLVMIntSLT, r, burl__instr_u64(in, 0), "");
    LLVMValueRef n = LLVMBuildAdd(b, r, burl__instr_u64(in, more), "");

    return LLVMBuildSelect(b, failed, burl__instr_u64(in, 0), n, "");
}

/* n when the condition holds and the pointer is not NULL, else 0. */
static LLVMValueRef
bytes_if(struct burl__instr *in, LLVMValueRef condition, LLVMValueRef ptr, LLVMValueRef n)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef yes = LLVMBuildIsNotNull(b, ptr, "");

    if (condition)
        yes = LLVMBuildAnd(b, yes, condition, "");
    return LLVMBuildSelect(b, yes, n, burl__instr_u64(in, 0), "");
}

static LLVMValueRef
result_is(struct burl__instr *in, LLVMValueRef call, LLVMIntPredicate p, uint64_t than)
{
    LLVMTypeRef t = LLVMTypeOf(call);

    return LLVMBuildICmp(in->builder, p, call, LLVMConstInt(t, than, 1), "");
}

/* A string that is there only if the condition holds. */
static LLVMValueRef
string_if(struct burl__instr *in, LLVMValueRef condition, LLVMValueRef ptr)
{
    LLVMValueRef p = LLVMBuildSelect(in->builder, condition, ptr, LLVMConstNull(in->ptr), "");

    return bytes_if(in, condition, ptr, add1(in, call_strlen(in, p)));
}

/* n bytes, depending on what the result is. */
static LLVMValueRef
fixed_after(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    LLVMValueRef n = burl__instr_u64(in, op->bytes);

    switch (op->extent) {
    case BURL_EXT_FIXED_OK:
        return bytes_if(in, result_is(in, call, LLVMIntEQ, 0), op->ptr, n);
    case BURL_EXT_FIXED_DONE:
        return bytes_if(in, result_is(in, call, LLVMIntSGT, 0), op->ptr, n);
    case BURL_EXT_FIXED_FAILED:
        return bytes_if(in, result_is(in, call, LLVMIntSLT, 0), op->ptr, n);
    case BURL_EXT_SCANNED:
        if (op->bytes == 0)
            return string_if(in, result_is(in, call, LLVMIntSGT, op->at), op->ptr);
        return bytes_if(in, result_is(in, call, LLVMIntSGT, op->at), op->ptr, n);
    default:
        return bytes_if(in, NULL, op->ptr, n);
    }
}

static LLVMValueRef
extent_after(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    /* __fread_chk has the size of the buffer before that of an item. */
    unsigned item = LLVMGetNumArgOperands(call) > 4 ? 2 : 1;

    switch (op->extent) {
    case BURL_EXT_RET_MIN1:
        return build_min(in, result_plus(in, call, 0), as_u64(in, LLVMGetOperand(call, 1)));
    case BURL_EXT_RET_MIN2:
        return build_min(in, result_plus(in, call, 0), as_u64(in, LLVMGetOperand(call, 2)));
    case BURL_EXT_RET1:
    case BURL_EXT_RET1_VIA:
        return result_plus(in, call, 1);
    case BURL_EXT_RET1_POSITIVE:
        return bytes_if(in, result_is(in, call, LLVMIntNE, 0), op->ptr, result_plus(in, call, 1));
    case BURL_EXT_RET1_MIN1:
        return build_min(in, result_plus(in, call, 1), as_u64(in, LLVMGetOperand(call, 1)));
    case BURL_EXT_RET1_MIN2:
        return build_min(in, result_plus(in, call, 1), as_u64(in, LLVMGetOperand(call, 2)));
    case BURL_EXT_ARG1_OK:
        return bytes_if(in, result_is(in, call, LLVMIntSGE, 0), op->ptr,
                        as_u64(in, LLVMGetOperand(call, 1)));
    case BURL_EXT_STR_OK:
        return string_if(in, result_is(in, call, LLVMIntEQ, 0), op->ptr);
    case BURL_EXT_RET_TIMES:
        return LLVMBuildMul(in->builder, result_plus(in, call, 0),
                            as_u64(in, LLVMGetOperand(call, item)), "");
    case BURL_EXT_RET_TIMES_N:
        return LLVMBuildMul(in->builder, result_plus(in, call, 0), burl__instr_u64(in, op->bytes),
                            "");
    case BURL_EXT_RET_STR: /* the hook accepts NULL */
        return bytes_if(in, NULL, call, add1(in, call_strlen(in, call)));
    default:
        return fixed_after(in, call, op);
    }
}

/* How much of a string is read to find a number. */
static LLVMValueRef
number_extent(struct burl__instr *in, LLVMValueRef s, LLVMValueRef base)
{
    LLVMValueRef args[2] = { s, LLVMBuildIntCast2(in->builder, base, in->i32, 1, "") };

    return burl__instr_hook_call(in, BURL__HOOK_NUMBER, args, 2);
}

/* memccpy: memchr finds the end. */
static LLVMValueRef
until_extent(struct burl__instr *in, LLVMValueRef call)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef s = LLVMGetOperand(call, 1);
    LLVMValueRef n = as_u64(in, LLVMGetOperand(call, 3));
    LLVMValueRef args[3] = { s, LLVMGetOperand(call, 2), n };
    LLVMValueRef hit = call_libc(in, "memchr", in->ptr, args, 3);
    LLVMValueRef from = LLVMBuildPtrToInt(b, s, in->i64, "");
    LLVMValueRef to = add1(in, LLVMBuildPtrToInt(b, hit, in->i64, ""));

    return LLVMBuildSelect(b, LLVMBuildIsNull(b, hit, ""), n, LLVMBuildSub(b, to, from, ""), "");
}

LLVMValueRef
burl__instr_lib_extent(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    LLVMValueRef arg0 = LLVMGetNumArgOperands(call) > 0 ? LLVMGetOperand(call, 0) : NULL;
    LLVMValueRef arg1 = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;
    LLVMValueRef arg2 = LLVMGetNumArgOperands(call) > 2 ? LLVMGetOperand(call, 2) : NULL;

    if (burl__instr_lib_is_after(op))
        return extent_after(in, call, op);
    switch (op->extent) {
    case BURL_EXT_ARG1:
        return as_u64(in, arg1);
    case BURL_EXT_ARG2:
        return as_u64(in, arg2);
    case BURL_EXT_PRODUCT:
        return LLVMBuildMul(in->builder, as_u64(in, arg1), as_u64(in, arg2), "");
    case BURL_EXT_FIXED:
        return bytes_if(in, NULL, op->ptr, burl__instr_u64(in, op->bytes));
    case BURL_EXT_VIA:
    case BURL_EXT_TREE:
        return burl__instr_u64(in, op->bytes);
    case BURL_EXT_STRN:
        return strn_extent(in, op->ptr, op->len);
    case BURL_EXT_UNTIL_C:
        return until_extent(in, call);
    case BURL_EXT_LCPY:
        return build_min(in, add1(in, call_strlen(in, arg1)), as_u64(in, arg2));
    case BURL_EXT_WIDE2:
        return LLVMBuildMul(in->builder, as_u64(in, arg2), burl__instr_u64(in, 4), "");
    case BURL_EXT_INT2:
        return number_extent(in, op->ptr, arg2);
    case BURL_EXT_INT10:
        return number_extent(in, op->ptr, LLVMConstInt(in->i32, 10, 0));
    case BURL_EXT_FLOAT:
        return number_extent(in, op->ptr, LLVMConstInt(in->i32, UINT64_MAX, 1));
    case BURL_EXT_STR:
        return add1(in, call_strlen(in, op->ptr));
    case BURL_EXT_STR_OF1:
    case BURL_EXT_CAT:
        return add1(in, call_strlen(in, arg1));
    case BURL_EXT_STRN1:
        return strn_extent(in, op->ptr, arg1);
    case BURL_EXT_STRN2:
        return strn_extent(in, op->ptr, arg2);
    case BURL_EXT_CATN:
        return add1(in, call_strnlen(in, arg1, arg2));
    case BURL_EXT_CMP:
        return cmp_extent(in, call, burl__instr_u64(in, UINT64_MAX));
    case BURL_EXT_CMPN:
        return cmp_extent(in, call, arg2);
    case BURL_EXT_FIND_C:
        return find_extent(in, call, burl__instr_u64(in, 1), add1(in, call_strlen(in, arg0)));
    case BURL_EXT_FIND_N:
        return find_extent(in, call, burl__instr_u64(in, 1), as_u64(in, arg2));
    case BURL_EXT_FIND_S:
        return find_extent(in, call, call_strlen(in, arg1), add1(in, call_strlen(in, arg0)));
    default:
        return burl__instr_u64(in, 0);
    }
}

static LLVMValueRef
offset_by(struct burl__instr *in, LLVMValueRef p, uint64_t by)
{
    return by == 0 ? p : burl__instr_offset(in, p, burl__instr_u64(in, by));
}

LLVMValueRef
burl__instr_lib_start(struct burl__instr *in, const struct burl__op *op)
{
    LLVMValueRef p = op->ptr;

    switch (op->extent) {
    case BURL_EXT_CAT:
    case BURL_EXT_CATN:
        return burl__instr_offset(in, p, call_strlen(in, p));
    case BURL_EXT_FIXED:
        return offset_by(in, p, op->at);
    case BURL_EXT_RET1_VIA:
        return LLVMBuildLoad2(in->builder, in->ptr, p, "");
    case BURL_EXT_VIA:
        p = LLVMBuildLoad2(in->builder, in->ptr, offset_by(in, p, op->at), "");
        return offset_by(in, p, op->then);
    case BURL_EXT_TREE:
        return burl__instr_hook_call(in, BURL__HOOK_TREE, &p, 1);
    default:
        return p;
    }
}
