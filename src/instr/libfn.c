/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/libfn.c - library functions that touch memory the caller names.
 *
 * Runs in the compiler. The C library is not instrumented, so a direct call of
 * one of these gets range hooks in front of it. The extent must be exact, never
 * more than the function may read: a byte too many would be a false race or a
 * false overflow. Hence the odd ones: memchr and strchr are simply called once
 * more to see where they stop, and comparisons ask a small function put into
 * the module, which compares without being watched.
 *
 * The fortified forms (__memcpy_chk) have the same first arguments.
 */
#include <string.h>

#include "instr/instr_int.h"

/* How many bytes an operation touches. */
enum burl__extent {
    EXT_NONE = 0,
    EXT_ARG1,    /* the value of argument 1 (0-based) */
    EXT_ARG2,    /* the value of argument 2 */
    EXT_STR,     /* the string itself with its NUL */
    EXT_STR_OF1, /* as long as the string in argument 1 */
    EXT_STRN1,   /* the string, at most argument 1 bytes */
    EXT_STRN2,   /* the string, at most argument 2 bytes */
    EXT_CAT,     /* behind the string in argument 0, as long as the one in argument 1 */
    EXT_CATN,    /* the same, at most argument 2 bytes and a NUL */
    EXT_CMP,     /* to the first difference of arguments 0 and 1 */
    EXT_CMPN,    /* the same, at most argument 2 bytes */
    EXT_FIND_C,  /* to what strchr finds, else the whole string */
    EXT_FIND_N,  /* to what memchr finds, else argument 2 bytes */
    EXT_FIND_S   /* to the end of what strstr finds, else the whole string */
};

#define READ(arg, ext) { BURL_SITE_RANGE_READ, arg, ext }
#define WRITE(arg, ext) { BURL_SITE_RANGE_WRITE, arg, ext }

struct row_op {
    uint8_t kind;
    uint8_t arg;
    uint8_t extent;
};

struct row {
    const char *name;
    struct row_op ops[3];
    uint8_t n_args;
    bool fold;    /* compares without regard to case */
    bool is_call; /* also a call into the library worth a position: it allocates */
};

/* Sorted by name, for bsearch. */
static const struct row rows[] = {
    { "bcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, false, false },
    { "bcopy", { READ(0, EXT_ARG2), WRITE(1, EXT_ARG2) }, 3, false, false },
    { "bzero", { WRITE(0, EXT_ARG1) }, 2, false, false },
    { "explicit_bzero", { WRITE(0, EXT_ARG1) }, 2, false, false },
    { "index", { READ(0, EXT_FIND_C) }, 2, false, false },
    { "memchr", { READ(0, EXT_FIND_N) }, 3, false, false },
    { "memcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, false, false },
    { "memcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "memmove", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "mempcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "memset", { WRITE(0, EXT_ARG2) }, 3, false, false },
    { "rindex", { READ(0, EXT_STR) }, 2, false, false },
    { "stpcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, false, false },
    { "stpncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "strcasecmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, true, false },
    { "strcat", { READ(0, EXT_STR), READ(1, EXT_STR), WRITE(0, EXT_CAT) }, 2, false, false },
    { "strchr", { READ(0, EXT_FIND_C) }, 2, false, false },
    { "strcmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, false, false },
    { "strcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, false, false },
    { "strdup", { READ(0, EXT_STR) }, 1, false, true },
    { "strlen", { READ(0, EXT_STR) }, 1, false, false },
    { "strncasecmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, true, false },
    { "strncat", { READ(0, EXT_STR), READ(1, EXT_STRN2), WRITE(0, EXT_CATN) }, 3, false, false },
    { "strncmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, false, false },
    { "strncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "strndup", { READ(0, EXT_STRN1) }, 2, false, true },
    { "strnlen", { READ(0, EXT_STRN1) }, 2, false, false },
    { "strrchr", { READ(0, EXT_STR) }, 2, false, false },
    { "strstr", { READ(0, EXT_FIND_S), READ(1, EXT_STR) }, 2, false, false },
};

static int
compare_row(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->name);
}

static const struct row *
find_row(const char *name)
{
    char plain[32];
    size_t n = strlen(name);

    if (n > 6 && n < sizeof plain && strncmp(name, "__", 2) == 0 &&
        strcmp(name + n - 4, "_chk") == 0) {
        memcpy(plain, name + 2, n - 6);
        plain[n - 6] = '\0';
        name = plain;
    }
    return bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_row);
}

static const struct row *
row_of(LLVMValueRef call)
{
    LLVMValueRef fn = burl__instr_callee(call);
    unsigned n_args = LLVMGetNumArgOperands(call);
    const struct row *r;

    /* A function of that name defined here is the user's own and is instrumented itself. */
    if (!fn || !LLVMIsDeclaration(fn))
        return NULL;
    r = find_row(burl__instr_value_name(fn));
    /* One argument more is the object size of the fortified form. */
    if (!r || n_args < r->n_args || n_args > r->n_args + 1u)
        return NULL;
    for (int i = 0; i < 3 && r->ops[i].kind; i++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, r->ops[i].arg));
        if (LLVMGetTypeKind(t) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(t) != 0)
            return NULL;
    }
    return r;
}

bool
burl__instr_lib_known(const char *name)
{
    return find_row(name) != NULL;
}

int
burl__instr_lib_ops(struct burl__instr *in, LLVMValueRef call, struct burl__op ops[BURL__MAX_OPS])
{
    const struct row *r = row_of(call);
    int n = 0;

    if (!r)
        return -1;
    for (int i = 0; i < 3 && r->ops[i].kind; i++) {
        LLVMValueRef p = LLVMGetOperand(call, r->ops[i].arg);
        if (burl__instr_is_constant(p) || burl__instr_is_private(in, p))
            continue;
        ops[n] = (struct burl__op){ .ptr = p,
                                    .kind = r->ops[i].kind,
                                    .order = BURL_MO_NONE,
                                    .how = BURL__HOW_LIB,
                                    .extent = r->ops[i].extent };
        n++;
    }
    if (r->is_call) {
        ops[n] = (struct burl__op){ .ptr = LLVMGetCalledValue(call),
                                    .kind = BURL_SITE_CALL,
                                    .order = BURL_MO_NONE,
                                    .how = BURL__HOW_CALL };
        n++;
    }
    return n;
}

bool
burl__instr_lib_is_str(const struct burl__op *op)
{
    return op->extent == EXT_STR;
}

static LLVMValueRef
const64(struct burl__instr *in, uint64_t x)
{
    return LLVMConstInt(in->i64, x, 0);
}

static LLVMValueRef
add1(struct burl__instr *in, LLVMValueRef x)
{
    return LLVMBuildAdd(in->builder, x, const64(in, 1), "");
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

static LLVMValueRef
call_strnlen(struct burl__instr *in, LLVMValueRef s, LLVMValueRef max)
{
    LLVMTypeRef params[2] = { in->ptr, in->i64 };
    LLVMTypeRef ty = LLVMFunctionType(in->i64, params, 2, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(in->mod, "strnlen");
    LLVMValueRef args[2] = { s, as_u64(in, max) };

    if (!fn)
        fn = LLVMAddFunction(in->mod, "strnlen", ty);
    return LLVMBuildCall2(in->builder, ty, fn, args, 2, "");
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

    LLVMValueRef head_in[2] = { const64(in, 0), next };
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
    const struct row *r = row_of(call);
    LLVMValueRef args[4] = { LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), as_u64(in, n),
                             LLVMConstInt(in->i1, r->fold, 0) };

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

LLVMValueRef
burl__instr_lib_extent(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    LLVMValueRef arg0 = LLVMGetOperand(call, 0);
    LLVMValueRef arg1 = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;
    LLVMValueRef arg2 = LLVMGetNumArgOperands(call) > 2 ? LLVMGetOperand(call, 2) : NULL;

    switch (op->extent) {
    case EXT_ARG1:
        return as_u64(in, arg1);
    case EXT_ARG2:
        return as_u64(in, arg2);
    case EXT_STR:
        return add1(in, call_strlen(in, op->ptr));
    case EXT_STR_OF1:
    case EXT_CAT:
        return add1(in, call_strlen(in, arg1));
    case EXT_STRN1:
        return strn_extent(in, op->ptr, arg1);
    case EXT_STRN2:
        return strn_extent(in, op->ptr, arg2);
    case EXT_CATN:
        return add1(in, call_strnlen(in, arg1, arg2));
    case EXT_CMP:
        return cmp_extent(in, call, const64(in, UINT64_MAX));
    case EXT_CMPN:
        return cmp_extent(in, call, arg2);
    case EXT_FIND_C:
        return find_extent(in, call, const64(in, 1), add1(in, call_strlen(in, arg0)));
    case EXT_FIND_N:
        return find_extent(in, call, const64(in, 1), as_u64(in, arg2));
    case EXT_FIND_S:
        return find_extent(in, call, call_strlen(in, arg1), add1(in, call_strlen(in, arg0)));
    default:
        return const64(in, 0);
    }
}

LLVMValueRef
burl__instr_lib_start(struct burl__instr *in, const struct burl__op *op)
{
    if (op->extent != EXT_CAT && op->extent != EXT_CATN)
        return op->ptr;
    LLVMValueRef n = call_strlen(in, op->ptr);
    return LLVMBuildGEP2(in->builder, in->i8, op->ptr, &n, 1, "");
}
