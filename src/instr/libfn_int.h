/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/libfn_int.h - the rows of the table of library functions.
 *
 * librows.c has the table, libfn.c makes operations and extents of a row, format.c does so for the
 * arguments that a format describes.
 */
#ifndef BURL_INSTR_LIBFN_INT_H
#define BURL_INSTR_LIBFN_INT_H

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
    EXT_STRN,    /* the string, at most `len` bytes */
    EXT_CAT,     /* after the string in argument 0, as long as the one in argument 1 */
    EXT_CATN,    /* the same, at most argument 2 bytes and a NUL */
    EXT_CMP,     /* to the first difference of arguments 0 and 1 */
    EXT_CMPN,    /* the same, at most argument 2 bytes */
    EXT_FIND_C,  /* to what strchr finds, else the whole string */
    EXT_FIND_N,  /* to what memchr finds, else argument 2 bytes */
    EXT_FIND_S,  /* to the end of what strstr finds, else the whole string */
    EXT_UNTIL_C, /* memccpy: to argument 2 in argument 1, else argument 3 bytes */
    EXT_LCPY,    /* strlcpy: as long as the string in argument 1, at most argument 2 bytes */
    EXT_PRODUCT, /* argument 1 times argument 2 */
    EXT_WIDE2,   /* argument 2 wide characters */
    EXT_INT2,    /* a number in the base that argument 2 is, as strtol reads it */
    EXT_INT10,   /* the same in base ten */
    EXT_FLOAT,   /* a number as strtod reads it */
    EXT_FIXED,   /* n bytes, at an offset; none when it is NULL */
    EXT_VIA,     /* n bytes, at an offset from where the pointer at an offset points to */
    EXT_TREE,    /* n bytes of the head of the tree whose node it is */
    /* Known after the call only; "result" is 0 when it is negative. */
    EXT__AFTER,
    EXT_RET_MIN1 = EXT__AFTER, /* the result, at most argument 1 */
    EXT_RET_MIN2,              /* the result, at most argument 2 */
    EXT_RET1,                  /* the result and a NUL */
    EXT_RET1_POSITIVE,         /* the same, nothing when the result is 0 */
    EXT_RET1_MIN1,             /* the result and a NUL, at most argument 1 bytes */
    EXT_RET1_MIN2,             /* the same, at most argument 2 bytes */
    EXT_RET1_VIA,              /* the result and a NUL, where the pointer there points to */
    EXT_FIXED_AFTER,           /* n bytes; none when it is NULL */
    EXT_FIXED_OK,              /* the same, and none when the result is not 0 */
    EXT_FIXED_DONE,            /* the same, and none when the result is 0 or less, or NULL */
    EXT_FIXED_FAILED,          /* the same, and none when the result is not negative */
    EXT_ARG1_OK,               /* argument 1 bytes when the result is not negative */
    EXT_STR_OK,                /* the string there when the result is 0 */
    EXT_RET_TIMES,             /* the result times the size that fread was given */
    EXT_RET_TIMES_N,           /* the result times n */
    EXT_RET_STR,               /* the string that the result points to, with its NUL */
    EXT_SCANNED                /* of conversion `at` of a scanf: n bytes, or a string when n is 0 */
};

/* Flags of a row. */
enum {
    CALL = 1u << 0,      /* also a call into the library worth a position */
    FOLD = 1u << 1,      /* compares without regard to case */
    MORE_ARGS = 1u << 2, /* n_args or more */
    KEEPS = 1u << 3,     /* what it is given may be found by a pointer it writes */
    PARTIAL = 1u << 4,   /* touches more than the row describes */
    PRINTS = 1u << 5,    /* has a format for printing */
    SCANS = 1u << 6      /* has a format for reading */
};

enum { BURL__ROW_OPS = 4 };

struct burl__row_op {
    uint8_t kind;
    uint8_t arg;
    uint8_t extent;
    uint8_t n; /* bytes, if the extent does not give them */
    uint8_t at;
    uint8_t then;
};

struct burl__lib_row {
    const char *name;
    struct burl__row_op ops[BURL__ROW_OPS];
    uint8_t n_args;
    uint8_t flags;
    uint8_t format; /* which argument the format is */
};

/* In place of an argument: memory that the result points to. */
#define RESULT 0xff

/* librows.c: fortified forms (__memcpy_chk), those of newer standards (__isoc99_sscanf) and those
 * without a lock (fgets_unlocked) have the row of the plain function. NULL: none. */
const struct burl__lib_row *burl__instr_lib_row(const char *name);

/* format.c: the accesses that the format of a call describes, at most `max`; -1 when it is not
 * known what they are. */
int burl__instr_format_ops(struct burl__instr *in, LLVMValueRef call,
                           const struct burl__lib_row *row, struct burl__op *ops, int max);

#endif
