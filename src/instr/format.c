/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/format.c - the accesses that a format describes: strings that %s prints, arguments that
 * scanf writes.
 *
 * Runs in the compiler, on constant formats. printf reads a string to its NUL or up to the
 * precision. scanf writes the arguments of as many conversions as its result counts, so these hooks
 * are after the call. Formats that are not constant, that number their arguments or that have wide
 * strings or %n are not described: the call is then unseen.
 */
#include <ctype.h>
#include <string.h>

#include "instr/instr_int.h"

struct reader {
    struct burl__instr *in;
    LLVMValueRef call;
    const char *at;
    const char *end;
    unsigned arg; /* the next one */
    unsigned assigned;
    struct burl__op *ops;
    int n;
    int max;
    bool failed;
};

/* Fortified forms have a flag in front of the format, and those with a buffer its size too. */
static unsigned
format_arg(LLVMValueRef call, const struct burl_libfn *row)
{
    const char *name = burl_ir_name(burl_ir_callee(call));
    size_t n = strlen(name);

    if (n < 6 || !burl_ir_begins(name, "__") || strcmp(name + n - 4, "_chk") != 0)
        return row->format;
    return row->format +
           (row->access[0].extent == BURL_EXT_RET1 || row->access[0].extent == BURL_EXT_RET1_MIN1
                ? 2u
                : 1u);
}

static char
peek_char(const struct reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static bool
skip_char(struct reader *r, char c)
{
    bool yes = peek_char(r) == c && c != '\0';

    r->at += yes;
    return yes;
}

static unsigned
read_number(struct reader *r)
{
    unsigned n = 0;

    for (; isdigit((unsigned char)peek_char(r)) && n < 100000; r->at++)
        n = n * 10 + (unsigned)(*r->at - '0');
    return n;
}

/* "hh" is H, "ll" is L. */
static char
length_modifier(struct reader *r)
{
    char c = peek_char(r);

    if (c == '\0' || !strchr("hlqjztL", c))
        return '\0';
    r->at++;
    if (c == 'h' && skip_char(r, 'h'))
        return 'H';
    if (c == 'q' || (c == 'l' && skip_char(r, 'l')))
        return 'L';
    return c;
}

/* NULL: there is none, which is an error of the program's. */
static LLVMValueRef
next_arg(struct reader *r)
{
    if (r->arg >= LLVMGetNumArgOperands(r->call)) {
        r->failed = true;
        return NULL;
    }
    return LLVMGetOperand(r->call, r->arg++);
}

static void
add_access(struct reader *r, const struct burl__op *op)
{
    if (!op->ptr || !burl_ir_is_pointer(op->ptr) || burl_ir_is_segment(op->ptr)) {
        r->failed = true;
        return;
    }
    if (LLVMIsNull(op->ptr) || burl__instr_is_constant(op->ptr) ||
        burl__instr_is_private(r->in, op->ptr))
        return;
    if (r->n == r->max)
        r->failed = true;
    else
        r->ops[r->n++] = *op;
}

/* ---- printing ------------------------------------------------------------------------------ */

static void
print_conversion(struct reader *r)
{
    struct burl__op op = { .kind = BURL_SITE_RANGE_READ,
                           .order = BURL_MO_NONE,
                           .how = BURL__HOW_LIB,
                           .extent = BURL_EXT_STR };
    char length, c;

    while (peek_char(r) != '\0' && strchr("-+ #0'I", peek_char(r)))
        r->at++;
    if (skip_char(r, '*'))
        (void)next_arg(r);
    else
        (void)read_number(r);
    if (skip_char(r, '.')) {
        op.extent = BURL_EXT_STRN;
        op.len = skip_char(r, '*') ? next_arg(r) : LLVMConstInt(r->in->i64, read_number(r), 0);
    }
    length = length_modifier(r);
    c = peek_char(r);
    r->at++;
    if (c == '%' || c == 'm')
        return;
    if (c == '\0' || strchr("$nSC", c) || (length == 'l' && strchr("sc", c))) {
        r->failed = true;
        return;
    }
    op.ptr = next_arg(r);
    if (c != 's' || r->failed)
        return;
    /* A negative precision is as if there were none. */
    if (op.len && !LLVMIsAConstantInt(op.len))
        r->failed = true;
    else
        add_access(r, &op);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void
skip_set(struct reader *r)
{
    (void)skip_char(r, '^');
    (void)skip_char(r, ']');
    while (peek_char(r) != '\0' && peek_char(r) != ']')
        r->at++;
    r->at++;
}

/* Bytes that a conversion writes, 0 a string; UINT64_MAX not known. */
static uint64_t
scanned_bytes(char c, char length, unsigned width, bool allocates)
{
    const bool is_text = strchr("sc[", c) != NULL;

    if (is_text && length != '\0')
        return UINT64_MAX;
    if (is_text)
        return allocates ? 8 : c == 'c' ? (width != 0 ? width : 1) : 0;
    if (strchr("eEfFgGaA", c))
        return length == 'L' ? 10 : length == 'l' ? 8 : 4;
    if (c == 'p')
        return 8;
    if (!strchr("diouxX", c))
        return UINT64_MAX;
    return length == 'H' ? 1 : length == 'h' ? 2 : length == '\0' ? 4 : 8;
}

static void
scan_conversion(struct reader *r)
{
    struct burl__op op = { .kind = BURL_SITE_RANGE_WRITE,
                           .order = BURL_MO_NONE,
                           .how = BURL__HOW_LIB,
                           .extent = BURL_EXT_SCANNED };
    bool suppressed = skip_char(r, '*');
    unsigned width = read_number(r);
    bool allocates = skip_char(r, 'm');
    char length = length_modifier(r);
    char c = peek_char(r);

    r->at++;
    if (c == '%')
        return;
    if (c == '\0') {
        r->failed = true;
        return;
    }
    if (c == '[')
        skip_set(r);
    op.bytes = scanned_bytes(c, length, width, allocates);
    if (op.bytes == UINT64_MAX || r->assigned > UINT8_MAX) {
        r->failed = true;
        return;
    }
    if (suppressed)
        return;
    op.at = (uint8_t)r->assigned++;
    op.ptr = next_arg(r);
    add_access(r, &op);
}

int
burl__instr_format_ops(struct burl__instr *in, LLVMValueRef call, const struct burl_libfn *row,
                       struct burl__op *ops, int max)
{
    unsigned format = format_arg(call, row);
    LLVMValueRef text = format < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, format) : NULL;
    struct reader r = { .in = in, .call = call, .arg = format + 1, .ops = ops, .max = max };
    size_t n = 0;

    if (!text || !burl_ir_text(text, &r.at, &n) || !LLVMIsGlobalConstant(text))
        return -1;
    if ((row->how & BURL_FN_SCANS) && LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
        return -1;
    r.end = r.at + n;
    while (r.at < r.end && *r.at != '\0' && !r.failed) {
        if (*r.at++ != '%')
            continue;
        if (row->how & BURL_FN_SCANS)
            scan_conversion(&r);
        else
            print_conversion(&r);
    }
    return r.failed ? -1 : r.n;
}
