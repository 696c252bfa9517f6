/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/asmtext.c - how the text of inline assembly uses its memory operands.
 *
 * Runs in the compiler. The text is read only as far as it decides whether an operand is memory at
 * its own address. It is not in two cases: the statement has a segment override (%fs: or %gs:, or
 * one of the two as a prefix), where the operand is an offset into the segment, and the statement
 * only computes the address (lea) or gives a hint about it (prefetch). A hook on either would
 * report, or even read, memory that the program does not touch. The bases of the other segment
 * registers are 0 in 64-bit mode.
 *
 * A locked statement reads and writes its operand, even where the constraints call it an output
 * alone ("=m", which liburcu has).
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "instr/instr_int.h"

struct text {
    const char *p;
    size_t n;
};

static bool
is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool
is_one_of(struct text w, const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        if (strlen(words[i]) == w.n && strncasecmp(w.p, words[i], w.n) == 0)
            return true;
    return false;
}

static bool
begins_with_one_of(struct text w, const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        if (w.n >= strlen(words[i]) && strncasecmp(w.p, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Cuts the next statement off the text; false at its end. */
static bool
next_statement(struct text *t, struct text *out)
{
    size_t k = 0;

    if (t->n == 0)
        return false;
    while (k < t->n && t->p[k] != ';' && t->p[k] != '\n')
        k++;
    *out = (struct text){ t->p, k };
    k += k < t->n;
    t->p += k;
    t->n -= k;
    return true;
}

/* The next word: a mnemonic, prefix, label or number, without a register's %. Empty at the end. */
static struct text
next_word(struct text *t)
{
    struct text w;

    while (t->n > 0 && !is_word_char(*t->p)) {
        t->p++;
        t->n--;
    }
    w = (struct text){ t->p, 0 };
    while (w.n < t->n && is_word_char(w.p[w.n]))
        w.n++;
    t->p += w.n;
    t->n -= w.n;
    return w;
}

static bool
is_segment_name(struct text w)
{
    static const char *const names[] = { "fs", "gs" };

    return is_one_of(w, names, 2);
}

/* fs: or gs: anywhere in the statement, in the syntax of AT&T and of Intel. */
static bool
has_override(struct text s)
{
    for (struct text w = next_word(&s); w.n > 0; w = next_word(&s)) {
        size_t k = 0;

        while (k < s.n && (s.p[k] == ' ' || s.p[k] == '\t'))
            k++;
        if (k < s.n && s.p[k] == ':' && is_segment_name(w))
            return true;
    }
    return false;
}

/* The prefix as a byte of its own: .byte 0x64 is fs, 0x65 is gs. */
static bool
has_prefix_byte(struct text s)
{
    static const char *const bytes[] = { "0x64", "0x65", "100", "101" };

    for (struct text w = next_word(&s); w.n > 0; w = next_word(&s))
        if (is_one_of(w, bytes, 4))
            return true;
    return false;
}

/* A statement's prefixes and mnemonic. */
struct statement {
    struct text mnemonic; /* empty: prefixes alone, which apply to the next statement */
    bool segment;
    bool lock;
};

static struct statement
read_statement(struct text s)
{
    static const char *const prefixes[] = { "rep",      "repe",    "repz",   "repne",   "repnz",
                                            "rex",      "rex64",   "data16", "addr32",  "cs",
                                            "ds",       "es",      "ss",     "notrack", "bnd",
                                            "xacquire", "xrelease" };
    static const char *const directive[] = { ".byte" };
    static const char *const lock[] = { "lock" };
    struct statement out = { .segment = has_override(s) };

    for (struct text w = next_word(&s); w.n > 0; w = next_word(&s)) {
        bool label = s.n > 0 && *s.p == ':';

        if (is_one_of(w, directive, 1)) {
            out.segment |= has_prefix_byte(s);
            return out;
        }
        if (is_segment_name(w))
            out.segment = true;
        else if (!label && is_one_of(w, lock, 1))
            out.lock = true;
        else if (!label && !is_one_of(w, prefixes, sizeof prefixes / sizeof *prefixes)) {
            out.mnemonic = w;
            return out;
        }
    }
    return out;
}

/* $3 or ${3:modifier}; $$ is a dollar. */
static bool
mentions(struct text s, unsigned operand)
{
    for (size_t i = 0; i + 1 < s.n; i++) {
        unsigned x = 0;
        size_t k;

        if (s.p[i] != '$')
            continue;
        i++;
        k = i + (s.p[i] == '{');
        if (k >= s.n || !isdigit((unsigned char)s.p[k]))
            continue;
        for (; k < s.n && isdigit((unsigned char)s.p[k]); k++)
            x = x * 10 + (unsigned)(s.p[k] - '0');
        if (x == operand)
            return true;
    }
    return false;
}

static bool
only_computes_address(struct text mnemonic)
{
    static const char *const begin[] = { "lea",  "prefetch", "nop",   "clflush",
                                         "clwb", "cldemote", "invlpg" };
    static const char *const other[] = { "leave" };

    return !is_one_of(mnemonic, other, 1) &&
           begins_with_one_of(mnemonic, begin, sizeof begin / sizeof *begin);
}

enum burl__asm_use
burl__instr_asm_use(const char *text, size_t n, unsigned operand)
{
    enum burl__asm_use use = BURL__ASM_UNMENTIONED;
    struct text t = { text, n };
    struct text s;
    bool prefix = false;

    while (next_statement(&t, &s)) {
        struct statement st = read_statement(s);
        bool segment = st.segment || prefix;

        prefix = segment && st.mnemonic.n == 0;
        if (!mentions(s, operand))
            continue;
        if (segment)
            return BURL__ASM_ELSEWHERE;
        if (!only_computes_address(st.mnemonic))
            use = BURL__ASM_FLAT;
        else if (use == BURL__ASM_UNMENTIONED)
            use = BURL__ASM_ADDRESS;
    }
    return use;
}

/* The locked statements of a text. */
struct locked_walk {
    struct text rest;
    bool prefix; /* "lock" stood alone */
};

/* An exchange locks without the prefix. */
static bool
next_locked(struct locked_walk *w, struct text *s, struct statement *st)
{
    static const char *const exchange[] = { "xchg" };

    while (next_statement(&w->rest, s)) {
        *st = read_statement(*s);
        const bool locked = st->lock || w->prefix || begins_with_one_of(st->mnemonic, exchange, 1);

        w->prefix = locked && st->mnemonic.n == 0;
        if (locked && st->mnemonic.n > 0)
            return true;
    }
    return false;
}

bool
burl__instr_asm_is_locked(const char *text, size_t n, unsigned operand)
{
    struct locked_walk w = { { text, n }, false };
    struct text s;
    struct statement st;

    while (next_locked(&w, &s, &st)) {
        if (mentions(s, operand))
            return true;
    }
    return false;
}

unsigned
burl__instr_asm_accesses(const char *text, size_t n, unsigned operand, bool *moves)
{
    static const char *const move[] = { "mov", "vmov" };
    struct text t = { text, n };
    struct text s;
    unsigned n_accesses = 0;

    *moves = true;
    while (next_statement(&t, &s)) {
        struct statement st = read_statement(s);

        if (!mentions(s, operand) || only_computes_address(st.mnemonic))
            continue;
        n_accesses++;
        *moves &= begins_with_one_of(st.mnemonic, move, 2);
    }
    return n_accesses;
}

/* The bytes that "addl", "xchgq", ... access; 0 without a suffix, where registers tell. */
static uint64_t
suffix_bytes(struct text mnemonic)
{
    static const char *const bases[] = { "xchg", "xadd", "cmpxchg", "add", "sub", "and",
                                         "or",   "xor",  "inc",     "dec", "neg", "not",
                                         "adc",  "sbb",  "bts",     "btr", "btc" };
    static const char *const wide[] = { "cmpxchg8b", "cmpxchg16b" };
    const struct text base = { mnemonic.p, mnemonic.n - 1 };
    const char *suffixes = "bwlq";
    const char *at;

    if (is_one_of(mnemonic, wide, 2))
        return mnemonic.n == strlen(wide[0]) ? 8 : 16;
    if (mnemonic.n < 2 || !is_one_of(base, bases, sizeof bases / sizeof *bases))
        return 0;
    at = strchr(suffixes, tolower((unsigned char)mnemonic.p[mnemonic.n - 1]));
    return at != NULL ? 1ull << (at - suffixes) : 0;
}

/* Does the statement access "($1)", without a displacement or an index? */
static bool
reaches_through(struct text s, unsigned operand)
{
    for (size_t i = 1; i < s.n; i++) {
        const char *end = memchr(s.p + i, ')', s.n - i);

        if (s.p[i] != '(' || !strchr(" \t,", s.p[i - 1]) || end == NULL)
            continue;
        const struct text inside = { s.p + i + 1, (size_t)(end - (s.p + i + 1)) };
        if (memchr(inside.p, ',', inside.n) == NULL && mentions(inside, operand))
            return true;
    }
    return false;
}

static bool
numbers_bits(struct text s, struct text mnemonic)
{
    static const char *const bits[] = { "bt",   "btl",  "btq",  "btw",  "bts",  "btsl",
                                        "btsq", "btsw", "btr",  "btrl", "btrq", "btrw",
                                        "btc",  "btcl", "btcq", "btcw" };

    return is_one_of(mnemonic, bits, sizeof bits / sizeof *bits) &&
           memmem(s.p, s.n, "$$", 2) == NULL;
}

uint64_t
burl__instr_asm_locked_bytes(const char *text, size_t n, unsigned operand)
{
    struct locked_walk w = { { text, n }, false };
    struct text s;
    struct statement st;
    uint64_t bytes = 0;

    while (next_locked(&w, &s, &st)) {
        if (reaches_through(s, operand)) {
            const uint64_t b = numbers_bits(s, st.mnemonic) ? 0 : suffix_bytes(st.mnemonic);

            if (b == 0 || (bytes != 0 && bytes != b))
                return 0;
            bytes = b;
        }
    }
    return bytes;
}

bool
burl__instr_asm_jumps_or_indexes(const char *text, size_t n)
{
    static const char *const jumps[] = { "j", "loop", "call", "ret" };
    struct text t = { text, n };
    struct text s;

    while (next_statement(&t, &s)) {
        const struct statement st = read_statement(s);

        if (begins_with_one_of(st.mnemonic, jumps, 4) || numbers_bits(s, st.mnemonic))
            return true;
    }
    return false;
}

bool
burl__instr_asm_has_segment(const char *text, size_t n)
{
    struct text t = { text, n };
    struct text s;

    while (next_statement(&t, &s))
        if (read_statement(s).segment)
            return true;
    return false;
}

/* Bytes, macros and the like may stand for any instruction. */
static bool
has_directive(struct text s)
{
    for (struct text w = next_word(&s); w.n > 0; w = next_word(&s))
        if (*w.p == '.' && w.n > 1 && isalpha((unsigned char)w.p[1]))
            return true;
    return false;
}

/* Beginnings of the names of instructions whose result depends on their operands alone. Others may
 * read a counter, a register of the system or another processor state, or call something. */
static const char *const inside[] = {
    "mov",    "lea",      "add",        "sub",      "inc",     "dec",    "and",   "or",     "xor",
    "not",    "neg",      "shl",        "shr",      "sal",     "sar",    "shuf",  "sha",    "rol",
    "ror",    "rcl",      "rcr",        "rcp",      "xchg",    "xadd",   "cmp",   "bt",     "bs",
    "popc",   "lzcnt",    "tzcnt",      "test",     "set",     "cmov",   "j",     "pause",  "nop",
    "mfence", "lfence",   "sfence",     "rep",      "cld",     "mul",    "imul",  "div",    "idiv",
    "adc",    "adox",     "sbb",        "push",     "pop",     "crc",    "cvt",   "clf",    "clwb",
    "stos",   "lods",     "scas",       "cwt",      "clt",     "cqt",    "cdq",   "cqo",    "cbw",
    "cwd",    "prefetch", "padd",       "psub",     "pand",    "por",    "pxor",  "pcmp",   "pmul",
    "pmadd",  "pshuf",    "psll",       "psrl",     "psra",    "punpck", "pack",  "pmov",   "pmin",
    "pmax",   "pavg",     "pabs",       "palign",   "pblend",  "pinsr",  "pextr", "pclmul", "pdep",
    "pext",   "vadd",     "vsub",       "vmul",     "vdiv",    "vmov",   "vp",    "vand",   "vor",
    "vxor",   "vz",       "vbroadcast", "vextract", "vinsert", "vperm",  "aes",   "sqrt",   "min",
    "max",    "blend",    "unpck",      "hadd",     "round",   "andn",   "lahf",  "sahf",   "std",
    "ud2",    "endbr",
};

bool
burl__instr_asm_reads_outside(const char *text, size_t n)
{
    struct text t = { text, n };
    struct text s;

    while (next_statement(&t, &s)) {
        const struct text m = read_statement(s).mnemonic;

        if (m.n > 0 && !begins_with_one_of(m, inside, sizeof inside / sizeof *inside))
            return true;
        if (has_directive(s))
            return true;
    }
    return false;
}
