/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/libfn.h - what is known about a function of a library, by its name.
 *
 * The rows are in wire/libfn.def. Names alone decide: a caller makes sure that the function is
 * declared only, because a program may define a function of that name itself.
 */
#ifndef BURL_BASE_LIBFN_H
#define BURL_BASE_LIBFN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes an access touches. */
enum burl_libfn_extent {
    BURL_EXT_NONE = 0,
    BURL_EXT_ARG1,    /* the value of argument 1 (0-based) */
    BURL_EXT_ARG2,    /* the value of argument 2 */
    BURL_EXT_STR,     /* the string itself with its NUL */
    BURL_EXT_STR_OF1, /* as long as the string in argument 1 */
    BURL_EXT_STRN1,   /* the string, at most argument 1 bytes */
    BURL_EXT_STRN2,   /* the string, at most argument 2 bytes */
    BURL_EXT_STRN,    /* the string, at most `len` bytes */
    BURL_EXT_CAT,     /* behind the string in argument 0, as long as the one in argument 1 */
    BURL_EXT_CATN,    /* the same, at most argument 2 bytes and a NUL */
    BURL_EXT_CMP,     /* to the first difference of arguments 0 and 1 */
    BURL_EXT_CMPN,    /* the same, at most argument 2 bytes */
    BURL_EXT_FIND_C,  /* to what strchr finds, else the whole string */
    BURL_EXT_FIND_N,  /* to what memchr finds, else argument 2 bytes */
    BURL_EXT_FIND_S,  /* to the end of what strstr finds, else the whole string */
    BURL_EXT_UNTIL_C, /* memccpy: to argument 2 in argument 1, else argument 3 bytes */
    BURL_EXT_LCPY,    /* strlcpy: as long as the string in argument 1, at most argument 2 bytes */
    BURL_EXT_PRODUCT, /* argument 1 times argument 2 */
    BURL_EXT_WIDE2,   /* argument 2 wide characters */
    BURL_EXT_INT2,    /* a number in the base that argument 2 is, as strtol reads it */
    BURL_EXT_INT10,   /* the same in base ten */
    BURL_EXT_FLOAT,   /* a number as strtod reads it */
    BURL_EXT_FIXED,   /* n bytes, at an offset; none when it is NULL */
    BURL_EXT_VIA,     /* n bytes, at an offset from where the pointer at an offset points to */
    BURL_EXT_TREE,    /* n bytes of the head of the tree whose node it is */
    /* Known after the call only; "result" is 0 when it is negative. */
    BURL_EXT__AFTER,
    BURL_EXT_RET_MIN1 = BURL_EXT__AFTER, /* the result, at most argument 1 */
    BURL_EXT_RET_MIN2,                   /* the result, at most argument 2 */
    BURL_EXT_RET1,                       /* the result and a NUL */
    BURL_EXT_RET1_POSITIVE,              /* the same, nothing when the result is 0 */
    BURL_EXT_RET1_MIN1,                  /* the result and a NUL, at most argument 1 bytes */
    BURL_EXT_RET1_MIN2,                  /* the same, at most argument 2 bytes */
    BURL_EXT_RET1_VIA,     /* the result and a NUL, where the pointer there points to */
    BURL_EXT_FIXED_AFTER,  /* n bytes; none when it is NULL */
    BURL_EXT_FIXED_OK,     /* the same, and none when the result is not 0 */
    BURL_EXT_FIXED_DONE,   /* the same, and none when the result is 0 or less, or NULL */
    BURL_EXT_FIXED_FAILED, /* the same, and none when the result is not negative */
    BURL_EXT_ARG1_OK,      /* argument 1 bytes when the result is not negative */
    BURL_EXT_STR_OK,       /* the string there when the result is 0 */
    BURL_EXT_RET_TIMES,    /* the result times the size that fread was given */
    BURL_EXT_RET_TIMES_N,  /* the result times n */
    BURL_EXT_RET_STR,      /* the string that the result points to, with its NUL */
    BURL_EXT_SCANNED       /* of conversion `at` of a scanf: n bytes, or a string when n is 0 */
};

enum burl_libfn_how {
    BURL_FN_CALL = 1u << 0,      /* also a call into the library that gets a site */
    BURL_FN_FOLD = 1u << 1,      /* compares without regard to case */
    BURL_FN_MORE_ARGS = 1u << 2, /* n_args or more */
    BURL_FN_KEEPS = 1u << 3,     /* its arguments may be found by a pointer it writes */
    BURL_FN_PARTIAL = 1u << 4,   /* touches more than the accesses say */
    BURL_FN_PRINTS = 1u << 5,    /* has a format for printing */
    BURL_FN_SCANS = 1u << 6      /* has a format for reading */
};

enum burl_libfn_lock {
    BURL_FN_LOCK_NONE,
    BURL_FN_LOCK_TAKE,
    BURL_FN_LOCK_TAKE_SHARED,
    BURL_FN_LOCK_TRY, /* taken when the result is 0 */
    BURL_FN_LOCK_TRY_SHARED,
    BURL_FN_LOCK_DROP,
    BURL_FN_LOCK_WAIT /* given up and taken again */
};

/* Types of locks. The C++ library has the native lock at the start of its mutexes. */
enum burl_libfn_lock_type { BURL_FN_MUTEX, BURL_FN_SPIN, BURL_FN_RWLOCK };

/* In place of the argument that is the lock. */
enum {
    BURL_FN_IN_GUARD = 100, /* the call finds the lock through a guard object */
    BURL_FN_EVERY           /* each argument is a lock */
};

enum burl_libfn_thread {
    BURL_FN_THREAD_NONE,
    BURL_FN_CREATE,       /* argument 0: where the handle goes */
    BURL_FN_JOIN,         /* argument 0: the handle */
    BURL_FN_STD_CREATE,   /* std::thread; argument 0 of all these is the object */
    BURL_FN_STD_CREATE_J, /* std::jthread; the rest is of both */
    BURL_FN_STD_JOIN,
    BURL_FN_STD_JOINABLE,
    BURL_FN_STD_ASSIGN, /* moves a thread there */
    BURL_FN_STD_END,    /* destructors */
    BURL_FN_STD_EMPTY,  /* constructors without a thread */
    BURL_FN_STD_QUERY   /* leaves the thread where it is */
};

/* Statements of synchronization that have no facts in the columns LOCK and THREAD, which the
 * analyses of locks and threads prove things with; of LOCK(WAIT) and THREAD(JOIN) it need not be
 * said. For `burl regress`, which asks what a change of one may mean. Argument 0 is the lock. */
enum burl_libfn_sync {
    BURL_FN_SYNC_NONE,
    BURL_FN_SYNC_INIT_MUTEX, /* sets it up or destroys it */
    BURL_FN_SYNC_INIT_RWLOCK,
    BURL_FN_SYNC_INIT_SPIN,
    BURL_FN_SYNC_INIT_SEM,
    BURL_FN_SYNC_ATTRIBUTE, /* of a lock that is going to be set up with it */
    BURL_FN_SYNC_TAKE_MUTEX,
    BURL_FN_SYNC_TRY_MUTEX, /* taken when the result is not 0 */
    BURL_FN_SYNC_DROP_MUTEX,
    BURL_FN_SYNC_TAKE_RWLOCK,
    BURL_FN_SYNC_SHARE_RWLOCK,
    BURL_FN_SYNC_DROP_RWLOCK,
    BURL_FN_SYNC_TAKE_SEM,
    BURL_FN_SYNC_TRY_SEM, /* taken when the result is 0 */
    BURL_FN_SYNC_DROP_SEM,
    BURL_FN_SYNC_TAKE_STREAM,
    BURL_FN_SYNC_TRY_STREAM,
    BURL_FN_SYNC_DROP_STREAM,
    BURL_FN_SYNC_TAKE_GUARD, /* of a static variable of C++ */
    BURL_FN_SYNC_DROP_GUARD,
    BURL_FN_SYNC_COND_WAIT,
    BURL_FN_SYNC_COND_SIGNAL,
    BURL_FN_SYNC_BARRIER,
    BURL_FN_SYNC_JOIN, /* or detaches */
    BURL_FN_SYNC_ONCE,
    BURL_FN_SYNC_FUTEX,
    BURL_FN_SYNC_SYSTEM, /* a system call: argument 0 tells which */
    BURL_FN_SYNC__N
};

enum burl_libfn_trait {
    /* The instrumenter. */
    BURL_FN_SEEN = 1u << 0,      /* all it does to memory of others is interposed, or harmless */
    BURL_FN_VA_LIST = 1u << 1,   /* takes a list of arguments, so what it touches is not known */
    BURL_FN_NO_SITE = 1u << 2,   /* very common, touches nothing shared, never interposed */
    BURL_FN_ASSERTION = 1u << 3, /* reports that an assertion failed */
    BURL_FN_RESERVED = 1u << 4,  /* no program has a function of this name */
    /* The static analysis. */
    BURL_FN_THROWS = 1u << 5,
    BURL_FN_JUMPS = 1u << 6,    /* over frames */
    BURL_FN_CANCELS = 1u << 7,  /* another thread, which leaves its critical sections */
    BURL_FN_SHARES = 1u << 8,   /* other threads may get its arguments */
    BURL_FN_SENDS = 1u << 9,    /* other threads may get what is in memory at its arguments */
    BURL_FN_AT_EXIT = 1u << 10, /* keeps a function that a thread which exits the process runs */
    BURL_FN_EXITS = 1u << 11,   /* runs these functions */
    BURL_FN_HANDLER = 1u << 12, /* keeps a function that any thread may run at any time */
    BURL_FN_INERT = 1u << 13,   /* calls no function that it is given */
    BURL_FN_WRITES_NOTHING = 1u << 14, /* but locks and its result */
    BURL_FN_CHANNEL = 1u << 15,        /* makes a pipe, a socket or a queue */
    BURL_FN_SIZED = 1u << 16,          /* allocates the product of its arguments */
    /* Programs as files. */
    BURL_FN_POINTER_OK = 1u << 17, /* harmless when it is called through a pointer */
    BURL_FN_TOOLCHAIN = 1u << 18,  /* of start-up files, or ours */
    BURL_FN_LINKED_IN = 1u << 19,  /* of libc and compilers; each linked file has a local one */
    BURL_FN_LOADS = 1u << 20,      /* loads libraries */
    BURL_FN_STREAM = 1u << 21,     /* name_unlocked does the same without locking the stream */
    /* The comparison of two versions. */
    BURL_FN_FREES = 1u << 22 /* what its first argument points to is gone afterwards */
};

enum { BURL_LIBFN_ACCESSES = 4 };

/* In place of an argument: memory that the result points to. */
#define BURL_FN_RESULT 0xff

struct burl_libfn_access {
    uint8_t kind; /* BURL_SITE_RANGE_READ, BURL_SITE_RANGE_WRITE; 0 ends the list */
    uint8_t arg;
    uint8_t extent; /* enum burl_libfn_extent */
    uint8_t n;      /* bytes, where the extent does not say */
    uint8_t at;
    uint8_t then;
};

struct burl_libfn {
    const char *name;     /* of the function that the accesses are stated for */
    const char *pointers; /* words of pts_model.c, NULL unknown */
    uint32_t is;          /* enum burl_libfn_trait */
    struct burl_libfn_access access[BURL_LIBFN_ACCESSES];
    uint8_t n_args; /* 0: accesses are not known */
    uint8_t how;    /* enum burl_libfn_how */
    uint8_t format; /* which argument the format is */
    uint8_t state;  /* enum burl_wire_hidden; 0 keeps none */
    uint8_t lock;   /* enum burl_libfn_lock */
    uint8_t lock_arg;
    uint8_t lock_type; /* enum burl_libfn_lock_type */
    uint8_t thread;    /* enum burl_libfn_thread */
    uint8_t sync;      /* enum burl_libfn_sync */
    uint8_t opens;     /* 1 + the argument that names a file whose contents it leads to; 0 none */
    uint8_t open_how;  /* 1 + the argument that says for what: flags, or a text as "r"; 0 to read */
};

/* All facts about a function; nothing but zeros when it is not known. */
struct burl_libfn burl_libfn(const char *name);

/* Does a mangled name (a function or a virtual table) belong to the C++ library? */
bool burl_libfn_is_cxx(const char *name);

#endif
