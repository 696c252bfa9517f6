/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/asmop.c - the memory accesses of inline assembly.
 *
 * Runs in the compiler. Home-made spin locks and atomics (ck, liburcu, kernel headers) are inline
 * assembly; without sites there threads could not be preempted inside them, and a spinning one
 * never. The constraints name the memory that is read and written, and each such operand counts as
 * one atomic operation, a read-modify-write if it is locked. The text is read to tell whether an
 * operand is memory at its own address at all, and whether it is locked (asmtext.c).
 *
 * An operand that is read and written without a lock is a plain read and an atomic store: two such
 * updates race, and a store of another thread may be lost, but a single writer does not race with
 * readers. The processor cannot be stopped between the two, so an exhaustive search claims no
 * proof; the same holds for a text that accesses memory more than once.
 *
 * Memory reached through a pointer in a register is seen where a locked instruction with a size
 * says "(%1)". Otherwise neither its size nor whether it
 * is touched is known, and a report about untouched memory would be a false alarm. For the same
 * reason there are no sites for an empty text (a compiler barrier), for prefetches, and for
 * operands of unusual sizes (placeholders for "all of this memory"). All of these that have a text
 * are marked unseen, so that an exhaustive search claims no proof.
 */
#include <stdlib.h>
#include <string.h>

#include "instr/instr_int.h"

/* Words that touch no memory: pauses and fences. */
static bool
is_only_pauses(const char *text, size_t n)
{
    static const char *const words[] = { "pause", "rep", "nop", "mfence", "lfence", "sfence" };

    while (n > 0) {
        size_t k = 0;
        bool known = false;

        while (k < n && !strchr(" \t\n;", text[k]))
            k++;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            known |= k == strlen(words[i]) && memcmp(text, words[i], k) == 0;
        if (k > 0 && !known)
            return false;
        k += k < n;
        text += k;
        n -= k;
    }
    return true;
}

static bool
touches_nothing(LLVMValueRef assembly)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &n);

    while (n > 0 && strchr(" \t\n;", *text)) {
        text++;
        n--;
    }
    return n == 0 || (n >= 8 && burl_ir_begins(text, "prefetch"));
}

static uint64_t
operand_bytes(struct burl__instr *in, LLVMValueRef call, unsigned arg)
{
    LLVMAttributeRef a = burl_ir_call_attr(call, arg + 1, "elementtype");
    LLVMTypeRef ty = a ? LLVMGetTypeAttributeValue(a) : NULL;
    uint64_t n = ty && LLVMTypeIsSized(ty) ? LLVMStoreSizeOfType(in->td, ty) : 0;

    return burl__instr_is_hook_size(n) ? n : 0;
}

/* An argument of the assembly, while its constraints are walked. */
struct operand {
    const char *next; /* constraint */
    const char *end;
    unsigned next_arg;
    unsigned next_number;
    unsigned arg;
    unsigned number; /* in the text: $0, $1, ... */
    bool output;
    bool memory; /* or a register or constant */
};

static struct operand
first_operand(LLVMValueRef call)
{
    size_t n = 0;
    const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &n);

    return (struct operand){ .next = c, .end = c + n };
}

/* Constraints in order: outputs ("=..."), of which only the indirect ones ("=*m") have an
 * argument, inputs, which all have one, then clobbers ("~{...}"). */
static bool
next_operand(LLVMValueRef call, struct operand *o)
{
    while (o->next < o->end && o->next_arg < LLVMGetNumArgOperands(call)) {
        const char *c = o->next;
        const char *comma = memchr(c, ',', (size_t)(o->end - c));
        size_t len = (size_t)((comma ? comma : o->end) - c);
        bool indirect = memchr(c, '*', len) != NULL;

        if (len > 0 && (*c == '~' || *c == '!'))
            return false;
        o->output = len > 0 && *c == '=';
        o->memory = indirect;
        o->arg = o->next_arg;
        o->number = o->next_number++;
        /* "0": the register of output 0, which the text names by that number */
        if (len > 0 && *c >= '0' && *c <= '9')
            o->number = (unsigned)strtoul(c, NULL, 10);
        o->next_arg += indirect || !o->output;
        o->next = c + len + 1;
        if (indirect || !o->output)
            return true;
    }
    return false;
}

static bool
next_memory_operand(LLVMValueRef call, struct operand *o)
{
    while (next_operand(call, o)) {
        if (o->memory)
            return true;
    }
    return false;
}

/*
 * Is the pointer an address, and not an offset into a segment? "+m" arrives as an output and an
 * input, of which the text names one: what it says is true of both. Operands that it does not name
 * stand for memory that it reaches in another way, which may be that of the segment.
 */
static bool
is_flat(LLVMValueRef call, LLVMValueRef ptr)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);
    enum burl__asm_use use = BURL__ASM_UNMENTIONED;

    for (struct operand o = first_operand(call); next_memory_operand(call, &o);) {
        if (LLVMGetOperand(call, o.arg) == ptr) {
            enum burl__asm_use u = burl__instr_asm_use(text, n, o.number);
            use = u > use ? u : use;
        }
    }
    return use == BURL__ASM_FLAT ||
           (use == BURL__ASM_UNMENTIONED && !burl__instr_asm_has_segment(text, n));
}

static struct burl__op
atomic_op(LLVMValueRef ptr, uint64_t bytes, uint8_t kind)
{
    return (struct burl__op){
        .ptr = ptr, .bytes = bytes, .kind = kind, .order = BURL_MO_SEQ_CST, .how = BURL__HOW_ATOMIC
    };
}

static int
add_operand(struct burl__op *ops, int n, LLVMValueRef ptr, uint64_t bytes, uint8_t kind)
{
    for (int i = 0; i < n; i++) {
        if (ops[i].ptr == ptr) {
            ops[i].kind = ops[i].kind == kind ? kind : BURL_SITE_ATOMIC_RMW;
            return n;
        }
    }
    if (n < BURL__MAX_OPS)
        ops[n++] = atomic_op(ptr, bytes, kind);
    return n;
}

/* What the text does with one pointer, over all operands with it. */
struct pointer_use {
    unsigned n_accesses; /* instructions */
    bool locked;         /* one of them */
    bool only_moves;
};

static struct pointer_use
use_of(LLVMValueRef call, LLVMValueRef ptr)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);
    struct pointer_use use = { .only_moves = true };

    for (struct operand o = first_operand(call); next_memory_operand(call, &o);) {
        bool moves;

        if (LLVMGetOperand(call, o.arg) != ptr)
            continue;
        use.n_accesses += burl__instr_asm_accesses(text, n, o.number, &moves);
        use.only_moves &= moves;
        use.locked |= burl__instr_asm_is_locked(text, n, o.number);
    }
    return use;
}

/* Read and written, but not in one step. A single move is either of the two, and an operand without
 * a mention may be accessed by any instruction. */
static bool
is_torn(struct pointer_use use)
{
    return use.n_accesses > 0 && !use.locked && !(use.n_accesses == 1 && use.only_moves);
}

static int
split_torn(LLVMValueRef call, struct burl__op *ops, int n)
{
    const int n_whole = n;

    for (int i = 0; i < n_whole && n < BURL__MAX_OPS; i++) {
        if (ops[i].kind == BURL_SITE_ATOMIC_RMW && is_torn(use_of(call, ops[i].ptr))) {
            ops[n++] = atomic_op(ops[i].ptr, ops[i].bytes, BURL_SITE_ATOMIC_STORE);
            ops[i].kind = BURL_SITE_READ;
            ops[i].order = 0;
            ops[i].how = BURL__HOW_ACCESS;
        }
    }
    return n;
}

static uint8_t
kind_of(LLVMValueRef call, const struct operand *o)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);

    if (burl__instr_asm_is_locked(text, n, o->number))
        return BURL_SITE_ATOMIC_RMW;
    return o->output ? BURL_SITE_ATOMIC_STORE : BURL_SITE_ATOMIC_LOAD;
}

/* 0: the argument is no pointer to memory that a locked instruction updates. */
static uint64_t
locked_bytes(LLVMValueRef call, const struct operand *o)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);

    return burl_ir_is_pointer(LLVMGetOperand(call, o->arg))
               ? burl__instr_asm_locked_bytes(text, n, o->number)
               : 0;
}

static int
memory_operands(struct burl__instr *in, LLVMValueRef call, struct burl__op *ops)
{
    int n = 0;

    for (struct operand o = first_operand(call); next_operand(call, &o);) {
        LLVMValueRef p = LLVMGetOperand(call, o.arg);
        uint64_t bytes = o.memory ? operand_bytes(in, call, o.arg) : locked_bytes(call, &o);

        if (bytes == 0 || burl_ir_is_segment(p))
            continue;
        if (!o.memory)
            n = add_operand(ops, n, p, bytes, BURL_SITE_ATOMIC_RMW);
        else if (is_flat(call, p))
            n = add_operand(ops, n, p, bytes, kind_of(call, &o));
    }
    return split_torn(call, ops, n);
}

/* Is everything that other threads can see of it one access that no other thread can divide? */
static bool
is_one_step(struct burl__instr *in, LLVMValueRef call, const struct burl__op *ops, int n)
{
    size_t n_text = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n_text);
    unsigned n_accesses = 0;

    for (int i = 0; i < n; i++) {
        struct pointer_use use = use_of(call, ops[i].ptr);

        if (!burl__instr_is_visible(in, ops[i].ptr))
            continue;
        if (ops[i].how != BURL__HOW_ATOMIC || (ops[i].bytes > 8 && !use.locked))
            return false;
        n_accesses += use.n_accesses > 1 ? use.n_accesses : 1;
    }
    return n_accesses == 0 || (n_accesses == 1 && !burl__instr_asm_jumps_or_indexes(text, n_text));
}

int
burl__instr_asm_ops(struct burl__instr *in, LLVMValueRef call, struct burl__op ops[BURL__MAX_OPS])
{
    return touches_nothing(LLVMGetCalledValue(call)) ? 0 : memory_operands(in, call, ops);
}

/* Brackets are addresses that the text makes itself. */
static bool
text_reaches_memory(LLVMValueRef assembly)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &n);

    return memchr(text, '(', n) || memchr(text, '[', n) || memmem(text, n, "syscall", 7);
}

static bool
clobbers_memory(LLVMValueRef assembly)
{
    size_t n = 0;
    const char *constraints = LLVMGetInlineAsmConstraintString(assembly, &n);

    return memmem(constraints, n, "~{memory}", 9) != NULL;
}

/* A pointer that is not one of the operations burl__instr_asm_ops found. */
static bool
has_other_pointer(struct burl__instr *in, LLVMValueRef call, const struct burl__op *found, int n)
{
    for (unsigned arg = 0; arg < LLVMGetNumArgOperands(call); arg++) {
        LLVMValueRef v = LLVMGetOperand(call, arg);
        bool known = !burl_ir_is_pointer(v) || LLVMIsAFunction(v) || burl__instr_is_constant(v) ||
                     burl__instr_is_private(in, v);

        for (int i = 0; i < n && !known; i++)
            known = found[i].ptr == v;
        if (!known)
            return true;
    }
    return false;
}

/* A clobber next to memory operands is what makes a lock of them, and no more memory. */
bool
burl__instr_asm_is_unseen(struct burl__instr *in, LLVMValueRef call)
{
    LLVMValueRef assembly = LLVMGetCalledValue(call);
    struct burl__op found[BURL__MAX_OPS];
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &n);
    int n_found;

    if (touches_nothing(assembly) || is_only_pauses(text, n))
        return false;
    n_found = memory_operands(in, call, found);
    /* asm goto has no place for a hook after it. */
    return (LLVMGetInstructionOpcode(call) == LLVMCallBr && n_found > 0) ||
           n_found == BURL__MAX_OPS || text_reaches_memory(assembly) ||
           burl__instr_asm_has_segment(text, n) || has_other_pointer(in, call, found, n_found) ||
           !is_one_step(in, call, found, n_found) || (n_found == 0 && clobbers_memory(assembly));
}

bool
burl__instr_asm_is_outside(LLVMValueRef call)
{
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);

    return burl__instr_asm_reads_outside(text, n);
}
