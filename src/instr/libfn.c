/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/libfn.c - library functions that touch memory the caller names.
 *
 * Runs in the compiler. The C library is not instrumented, so a direct call of
 * one of these gets range hooks in front of it. The extent must be exact, never
 * more than the function may read: a byte too many would be a false race or a
 * false overflow. Hence the odd ones: memchr and strchr are simply called once
 * more to see where they stop, and comparisons ask a small function put into
 * the module, which compares without being watched. Functions whose result says
 * how much they wrote (read, snprintf) get their hook behind the call. What is
 * written to a descriptor is hooked in front, by the length asked for: from the
 * moment the other side has it, the buffer may have a new owner.
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
    EXT_FIND_S,  /* to the end of what strstr finds, else the whole string */
    EXT_PRODUCT, /* argument 1 times argument 2 */
    EXT_FIXED,   /* n bytes, at an offset */
    EXT_VIA,     /* n bytes, at an offset from where the pointer at an offset points to */
    EXT_TREE,    /* n bytes of the head of the tree whose node it is */
    /* Known after the call only; "result" is 0 when it is negative. */
    EXT_RET_MIN2,    /* the result, at most argument 2 */
    EXT_RET1,        /* the result and a NUL */
    EXT_RET1_MIN1,   /* the result and a NUL, at most argument 1 bytes */
    EXT_FIXED_AFTER, /* n bytes; none when it is NULL */
    EXT_RET_TIMES,   /* the result times the size that fread was given */
    EXT_RET_STR      /* the string that the result points to, with its NUL; nothing when NULL */
};

#define MORE_ARGS 0x80 /* in n_args: that many or more */

#define READ(arg, ext) { BURL_SITE_RANGE_READ, arg, ext, 0, 0, 0 }
#define WRITE(arg, ext) { BURL_SITE_RANGE_WRITE, arg, ext, 0, 0, 0 }
#define READ_N(arg, n) { BURL_SITE_RANGE_READ, arg, EXT_FIXED, n, 0, 0 }
#define WRITE_N(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED, n, 0, 0 }
#define WRITE_AT(arg, at, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED, n, at, 0 }
#define WRITE_VIA(arg, at, then, n) { BURL_SITE_RANGE_WRITE, arg, EXT_VIA, n, at, then }
#define READ_TREE(arg) { BURL_SITE_RANGE_READ, arg, EXT_TREE, NODE_B, 0, 0 }
#define WRITE_RESULT(ext, n) { BURL_SITE_RANGE_WRITE, RESULT, ext, n, 0, 0 }
#define WRITE_AFTER(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED_AFTER, n, 0, 0 }

/* In place of an argument: static memory that the result points to. */
#define RESULT 0xff

/* libstdc++: colour, parent, left, right; the head of a tree has the same. */
#define NODE_B 32
/* struct tm, the C library's own members included */
#define TM_B 56

struct row_op {
    uint8_t kind;
    uint8_t arg;
    uint8_t extent;
    uint8_t n; /* bytes, where the extent does not say */
    uint8_t at;
    uint8_t then;
};

struct row {
    const char *name;
    struct row_op ops[3];
    uint8_t n_args;
    bool fold;    /* compares without regard to case */
    bool is_call; /* also a call into the library worth a position: it allocates */
};

/*
 * Sorted by name, for bsearch.
 *
 * Of libstdc++'s maps: whoever inserts or erases is said to write the head of the tree, which every
 * search for an element reads, instead of the nodes on its way up; whoever steps to the next
 * element reads it. By the rules of the language that is what conflicts, and which nodes are
 * touched is not.
 */
static const struct row rows[] = {
    { "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", { WRITE_N(0, 16) }, 2, false, true },
    { "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
      { WRITE_N(0, 16) },
      4,
      false,
      true },
    { "_ZNSt11logic_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt11logic_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt11range_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt11range_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12domain_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12domain_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12length_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12length_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12out_of_rangeC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt12out_of_rangeC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt13runtime_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt13runtime_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt14overflow_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt14overflow_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt15underflow_errorC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt15underflow_errorC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt16invalid_argumentC1EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt16invalid_argumentC2EPKc", { READ(1, EXT_STR) }, 2, false, true },
    { "_ZNSt18condition_variableC1Ev", { WRITE_N(0, 48) }, 1, false, true },
    { "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
      { WRITE_N(0, 8) },
      3,
      false,
      true },
    { "_ZNSt6thread4joinEv", { READ_N(0, 8), WRITE_AFTER(0, 8) }, 1, false, true },
    { "_ZNSt6thread6detachEv", { READ_N(0, 8), WRITE_AFTER(0, 8) }, 1, false, true },
    { "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
      { WRITE_N(0, 16), WRITE_AT(1, 8, 8), WRITE_VIA(1, 8, 0, 8) },
      2,
      false,
      true },
    { "_ZNSt8__detail15_List_node_base9_M_unhookEv",
      { READ_N(0, 16), WRITE_VIA(0, 0, 8, 8), WRITE_VIA(0, 8, 0, 8) },
      1,
      false,
      true },
    { "_ZSt11_Hash_bytesPKvmm", { READ(0, EXT_ARG1) }, 3, false, true },
    { "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      false,
      true },
    { "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      false,
      true },
    { "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      false,
      true },
    { "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      false,
      true },
    { "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
      { WRITE_N(0, NODE_B), WRITE_N(1, NODE_B) },
      2,
      false,
      true },
    { "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
      { WRITE_N(1, NODE_B), WRITE_N(3, NODE_B) },
      4,
      false,
      true },
    { "__dynamic_cast", { READ_N(0, 8) }, 4, false, true },
    { "asctime", { WRITE_RESULT(EXT_RET_STR, 0) }, 1, false, true },
    { "bcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, false, false },
    { "bcopy", { READ(0, EXT_ARG2), WRITE(1, EXT_ARG2) }, 3, false, false },
    { "bzero", { WRITE(0, EXT_ARG1) }, 2, false, false },
    { "ctime", { READ_N(0, 8), WRITE_RESULT(EXT_RET_STR, 0) }, 1, false, true },
    { "explicit_bzero", { WRITE(0, EXT_ARG1) }, 2, false, false },
    { "fgets", { WRITE(0, EXT_RET_STR) }, 3, false, true },
    { "fputs", { READ(0, EXT_STR) }, 2, false, true },
    { "fread", { WRITE(0, EXT_RET_TIMES) }, 4, false, true },
    { "fwrite", { READ(0, EXT_PRODUCT) }, 4, false, true },
    { "gmtime", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 1, false, true },
    { "index", { READ(0, EXT_FIND_C) }, 2, false, false },
    { "localtime", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 1, false, true },
    { "memchr", { READ(0, EXT_FIND_N) }, 3, false, false },
    { "memcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, false, false },
    { "memcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "memmove", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "mempcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "memset", { WRITE(0, EXT_ARG2) }, 3, false, false },
    { "pread", { WRITE(1, EXT_RET_MIN2) }, 4, false, true },
    { "pread64", { WRITE(1, EXT_RET_MIN2) }, 4, false, true },
    { "pthread_create", { WRITE_N(0, 8) }, 4, false, true },
    { "pthread_join", { WRITE_AFTER(1, 8) }, 2, false, true },
    { "puts", { READ(0, EXT_STR) }, 1, false, true },
    { "pwrite", { READ(1, EXT_ARG2) }, 4, false, true },
    { "pwrite64", { READ(1, EXT_ARG2) }, 4, false, true },
    { "qsort", { WRITE(0, EXT_PRODUCT) }, 4, false, true },
    { "rand_r", { WRITE_N(0, 4) }, 1, false, true },
    { "read", { WRITE(1, EXT_RET_MIN2) }, 3, false, true },
    { "recv", { WRITE(1, EXT_RET_MIN2) }, 4, false, true },
    { "recvfrom", { WRITE(1, EXT_RET_MIN2) }, 6, false, true },
    { "rindex", { READ(0, EXT_STR) }, 2, false, false },
    { "send", { READ(1, EXT_ARG2) }, 4, false, true },
    { "sendto", { READ(1, EXT_ARG2) }, 6, false, true },
    { "snprintf", { WRITE(0, EXT_RET1_MIN1) }, 3 | MORE_ARGS, false, true },
    { "sprintf", { WRITE(0, EXT_RET1) }, 2 | MORE_ARGS, false, true },
    { "stpcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, false, false },
    { "stpncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "strcasecmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, true, false },
    { "strcat", { READ(0, EXT_STR), READ(1, EXT_STR), WRITE(0, EXT_CAT) }, 2, false, false },
    { "strchr", { READ(0, EXT_FIND_C) }, 2, false, false },
    { "strcmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, false, false },
    { "strcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, false, false },
    { "strcspn", { READ(0, EXT_RET1), READ(1, EXT_STR) }, 2, false, false },
    { "strdup", { READ(0, EXT_STR) }, 1, false, true },
    { "strlen", { READ(0, EXT_STR) }, 1, false, false },
    { "strncasecmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, true, false },
    { "strncat", { READ(0, EXT_STR), READ(1, EXT_STRN2), WRITE(0, EXT_CATN) }, 3, false, false },
    { "strncmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, false, false },
    { "strncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, false, false },
    { "strndup", { READ(0, EXT_STRN1) }, 2, false, true },
    { "strnlen", { READ(0, EXT_STRN1) }, 2, false, false },
    { "strrchr", { READ(0, EXT_STR) }, 2, false, false },
    { "strspn", { READ(0, EXT_RET1), READ(1, EXT_STR) }, 2, false, false },
    { "strstr", { READ(0, EXT_FIND_S), READ(1, EXT_STR) }, 2, false, false },
    { "vsnprintf", { WRITE(0, EXT_RET1_MIN1) }, 4 | MORE_ARGS, false, true },
    { "vsprintf", { WRITE(0, EXT_RET1) }, 3 | MORE_ARGS, false, true },
    { "write", { READ(1, EXT_ARG2) }, 3, false, true },
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
    case EXT_ARG1:
        return is_number(LLVMGetOperand(call, 1));
    case EXT_ARG2:
        return is_number(LLVMGetOperand(call, 2));
    case EXT_PRODUCT:
        return is_number(LLVMGetOperand(call, 1)) && is_number(LLVMGetOperand(call, 2));
    case EXT_RET_MIN2:
        return is_number(call) && is_number(LLVMGetOperand(call, 2));
    case EXT_RET1_MIN1:
    case EXT_RET_TIMES:
        return is_number(call) && is_number(LLVMGetOperand(call, 1));
    case EXT_RET1:
        return is_number(call);
    case EXT_RET_STR:
        return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
    default:
        return true;
    }
}

static LLVMValueRef
pointer_of(LLVMValueRef call, const struct row_op *o)
{
    return o->arg == RESULT ? call : LLVMGetOperand(call, o->arg);
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
    if (!r || n_args < (r->n_args & ~MORE_ARGS))
        return NULL;
    /* One argument more is the object size of the fortified form. */
    if (!(r->n_args & MORE_ARGS) && n_args > r->n_args + 1u)
        return NULL;
    for (int i = 0; i < 3 && r->ops[i].kind; i++) {
        LLVMTypeRef t = LLVMTypeOf(pointer_of(call, &r->ops[i]));
        if (LLVMGetTypeKind(t) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(t) != 0 ||
            !has_numbers_for(call, r->ops[i].extent))
            return NULL;
    }
    return r;
}

/* By name alone, so for reserved names only: a `send` of the program's own may keep what it gets.
 * */
bool
burl__instr_lib_known(const char *name)
{
    const struct row *r = find_row(name);

    return r && (!r->is_call || strncmp(r->name, "str", 3) == 0);
}

bool
burl__instr_lib_has_row(const char *name)
{
    return find_row(name) != NULL;
}

/* A hook behind the call comes after the write: who is stopped there has changed memory already,
 * and a search would take the order for the other one. Joins are operations themselves; what is
 * returned and kept nowhere is nobody else's yet. */
static bool
is_late(const struct row *r, bool is_result, uint8_t code, uint8_t extent)
{
    return extent >= EXT_RET_MIN2 && strcmp(r->name, "pthread_join") != 0 &&
           strncmp(r->name, "_ZNSt6thread", 12) != 0 && !(is_result && code == 0);
}

static uint8_t
marked_unseen(uint8_t code)
{
    if (code == 0 || code == BURL_HIDDEN_FILES)
        return BURL_HIDDEN_UNSEEN;
    return (code & BURL_HIDDEN_MASK) < BURL_HIDDEN_STATES ? code | BURL_HIDDEN_UNSAFE : code;
}

int
burl__instr_lib_ops(struct burl__instr *in, LLVMValueRef call, struct burl__op ops[BURL__MAX_OPS])
{
    const struct row *r = row_of(call);
    const char *name = r ? burl__instr_value_name(burl__instr_callee(call)) : "";
    uint8_t code = r ? burl__instr_hidden_at(in, call, name) : 0;
    bool late = false;
    int n = 0;

    if (!r)
        return -1;
    for (int i = 0; i < 3 && r->ops[i].kind; i++) {
        LLVMValueRef p = pointer_of(call, &r->ops[i]);
        if (burl__instr_is_constant(p) || burl__instr_is_private(in, p))
            continue;
        late |= is_late(r, p == call, code, r->ops[i].extent);
        ops[n] = (struct burl__op){ .ptr = p,
                                    .kind = r->ops[i].kind,
                                    .order = BURL_MO_NONE,
                                    .how = BURL__HOW_LIB,
                                    .extent = r->ops[i].extent,
                                    .bytes = r->ops[i].n,
                                    .at = r->ops[i].at,
                                    .then = r->ops[i].then };
        n++;
    }
    if (late)
        code = marked_unseen(code);
    if (r->is_call || late) {
        ops[n] = (struct burl__op){ .ptr = LLVMGetCalledValue(call),
                                    .bytes = code,
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

bool
burl__instr_lib_is_after(const struct burl__op *op)
{
    return op->how == BURL__HOW_LIB && op->extent >= EXT_RET_MIN2;
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

static LLVMValueRef
build_min(struct burl__instr *in, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(in->builder, LLVMBuildICmp(in->builder, LLVMIntULT, a, b, ""), a, b, "");
}

/* The result of the call plus more; 0 when the result is negative, which says that it failed. */
static LLVMValueRef
result_plus(struct burl__instr *in, LLVMValueRef call, uint64_t more)
{
    LLVMBuilderRef b = in->builder;
    LLVMValueRef r = LLVMBuildIntCast2(b, call, in->i64, 1, "");
    LLVMValueRef failed = LLVMBuildICmp(b, LLVMIntSLT, r, const64(in, 0), "");
    LLVMValueRef n = LLVMBuildAdd(b, r, const64(in, more), "");

    return LLVMBuildSelect(b, failed, const64(in, 0), n, "");
}

static LLVMValueRef
extent_after(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    /* __fread_chk has the size of the buffer in front of that of an item. */
    unsigned item = LLVMGetNumArgOperands(call) > 4 ? 2 : 1;
    LLVMValueRef n;

    switch (op->extent) {
    case EXT_RET_MIN2:
        return build_min(in, result_plus(in, call, 0), as_u64(in, LLVMGetOperand(call, 2)));
    case EXT_RET1:
        return result_plus(in, call, 1);
    case EXT_RET1_MIN1:
        return build_min(in, result_plus(in, call, 1), as_u64(in, LLVMGetOperand(call, 1)));
    case EXT_FIXED_AFTER:
        return LLVMBuildSelect(in->builder, LLVMBuildIsNull(in->builder, op->ptr, ""),
                               const64(in, 0), const64(in, op->bytes), "");
    case EXT_RET_TIMES:
        return LLVMBuildMul(in->builder, result_plus(in, call, 0),
                            as_u64(in, LLVMGetOperand(call, item)), "");
    default: /* EXT_RET_STR; the hook knows NULL */
        n = add1(in, call_strlen(in, call));
        return LLVMBuildSelect(in->builder, LLVMBuildIsNull(in->builder, call, ""), const64(in, 0),
                               n, "");
    }
}

LLVMValueRef
burl__instr_lib_extent(struct burl__instr *in, LLVMValueRef call, const struct burl__op *op)
{
    LLVMValueRef arg0 = LLVMGetOperand(call, 0);
    LLVMValueRef arg1 = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;
    LLVMValueRef arg2 = LLVMGetNumArgOperands(call) > 2 ? LLVMGetOperand(call, 2) : NULL;

    if (burl__instr_lib_is_after(op))
        return extent_after(in, call, op);
    switch (op->extent) {
    case EXT_ARG1:
        return as_u64(in, arg1);
    case EXT_ARG2:
        return as_u64(in, arg2);
    case EXT_PRODUCT:
        return LLVMBuildMul(in->builder, as_u64(in, arg1), as_u64(in, arg2), "");
    case EXT_FIXED:
    case EXT_VIA:
    case EXT_TREE:
        return const64(in, op->bytes);
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

static LLVMValueRef
offset(struct burl__instr *in, LLVMValueRef p, uint64_t by)
{
    LLVMValueRef n = const64(in, by);

    return by == 0 ? p : LLVMBuildGEP2(in->builder, in->i8, p, &n, 1, "");
}

LLVMValueRef
burl__instr_lib_start(struct burl__instr *in, const struct burl__op *op)
{
    LLVMValueRef p = op->ptr;
    LLVMValueRef n;

    switch (op->extent) {
    case EXT_CAT:
    case EXT_CATN:
        n = call_strlen(in, p);
        return LLVMBuildGEP2(in->builder, in->i8, p, &n, 1, "");
    case EXT_FIXED:
        return offset(in, p, op->at);
    case EXT_VIA:
        p = LLVMBuildLoad2(in->builder, in->ptr, offset(in, p, op->at), "");
        return offset(in, p, op->then);
    case EXT_TREE:
        return burl__instr_hook_call(in, BURL__HOOK_TREE, &p, 1);
    default:
        return p;
    }
}
