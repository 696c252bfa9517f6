/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/history.h - the file in which a process records the sites that its threads execute.
 *
 * With BURL_WIRE_ENV_HISTORY in its environment, and without a control block, every instrumented
 * process creates one file, maps it MAP_SHARED and writes into it until it ends, however it ends.
 * Children of fork write into the file of their parent; a program started by exec has its own.
 *
 * The file: struct burl_wire_hist_head, then records in the order in which they were appended, each
 * a multiple of 8 bytes. A record is named by its offset in the file. The process may be killed at
 * any moment, and several processes append: a reader skips zero words until it meets a record.
 * Little endian, as the machine. docs/formats/history.md describes it for people.
 *
 * Freestanding, like all of wire/.
 */
#ifndef BURL_WIRE_HISTORY_H
#define BURL_WIRE_HISTORY_H

#include <assert.h>
#include <stdint.h>

/* A directory, absolute. */
#define BURL_WIRE_ENV_HISTORY "BURL_HISTORY"
#define BURL_WIRE_HIST_SUFFIX ".hist"

/* Words of the thread's structure __burl_hot in each object (struct burl_hot of the runtime), as
 * code of the record profile uses them (instr/marks.c). */
#define BURL_WIRE_HOT_CALL 24u  /* pointer to where the site of a call goes */
#define BURL_WIRE_HOT_DELTA 32u /* added to the address of a mark */
#define BURL_WIRE_HOT_B 88u

#define BURL_WIRE_HIST_MAGIC 0x3154534948425542ull /* "BUBHIST1" */
#define BURL_WIRE_HIST_VERSION 1u
#define BURL_WIRE_HIST_PATH_B 4096u
#define BURL_WIRE_HIST_MAX_B (1ull << 30) /* of a file */
#define BURL_WIRE_HIST_ORDINALS 16u /* roles per start routine and creation site; then shared */
#define BURL_WIRE_HIST_ROLES 1024u  /* of a process, with the last one for all that are beyond */

/* What was not recorded, counted in the head. */
enum burl_wire_hist_lost {
    BURL_HIST_LOST_CHUNKS = 0, /* no room: the file system or the file is full */
    BURL_HIST_LOST_MODULES,    /* too many shared objects, or no room */
    BURL_HIST_LOST_ROLES,      /* threads that share the last role of the process */
    BURL_HIST_LOST__N
};

struct burl_wire_hist_head {
    uint64_t magic;
    uint32_t version;      /* BURL_WIRE_HIST_VERSION */
    uint32_t wire_version; /* BURL_WIRE_VERSION of the runtime */
    uint32_t pid;
    uint32_t head_b;       /* sizeof this */
    uint64_t used_b;       /* records end here; may exceed the file when it could not grow */
    uint64_t lost[4];      /* enum burl_wire_hist_lost */
    char     program[BURL_WIRE_HIST_PATH_B]; /* executable, NUL-terminated */
};

static_assert(sizeof(struct burl_wire_hist_head) == 64 + BURL_WIRE_HIST_PATH_B,
              "the head is on the wire");

/* Never 0. */
enum burl_wire_hist_kind {
    BURL_HIST_SEGMENT = 0x31474553, /* "SEG1" */
    BURL_HIST_MODULE = 0x31444f4d,  /* "MOD1" */
    BURL_HIST_ROLE = 0x314c4f52,    /* "ROL1" */
    BURL_HIST_OVERLAP = 0x3152564f, /* "OVR1" */
    BURL_HIST_CHUNK = 0x314b4843    /* "CHK1" */
};

/* Every record begins with it. `kind` is stored last: a record with one is complete. */
struct burl_wire_hist_rec {
    uint32_t kind;
    uint32_t bytes; /* of the whole record */
};

/* The sites of one executable or shared object, which lie contiguously in memory. */
struct burl_wire_hist_segment {
    struct burl_wire_hist_rec rec;
    uint64_t first;   /* address of the first site */
    uint32_t n_sites; /* with what lies between the modules; grows until the first chunk */
    uint32_t pad;
    /* char path[]: the file, NUL-terminated; "" is the executable */
};

struct burl_wire_hist_module {
    struct burl_wire_hist_rec rec;
    uint64_t hash;
    uint64_t sites; /* address of its first site */
    uint32_t n_sites;
    uint32_t segment; /* offset of its record */
    /* char name[]: source file as given to the compiler, NUL-terminated */
};

enum burl_wire_hist_role_flag {
    BURL_HIST_ROLE_MAIN = 1u << 0,
    BURL_HIST_ROLE_MANY = 1u << 1,  /* two of its threads were alive at the same time */
    BURL_HIST_ROLE_OTHERS = 1u << 2 /* the role of all threads beyond the limit */
};

/* Threads with the same start routine, creation site and ordinal. */
struct burl_wire_hist_role {
    struct burl_wire_hist_rec rec;
    uint64_t start;         /* start routine, relative to its file; 0 unknown */
    uint64_t create_module; /* hash; 0 unknown */
    uint64_t first_module;  /* the function that it entered first: hash of the module, 0 unknown */
    uint32_t create_site;   /* index in its module */
    uint32_t first_site;
    uint32_t ordinal;
    uint32_t n_threads;     /* ever */
    uint32_t flags;         /* BURL_HIST_ROLE_* */
    uint32_t pad;
    /* char path[]: file of the start routine, NUL-terminated; "" is the executable */
};

/* Threads of two roles were alive at the same time. */
struct burl_wire_hist_overlap {
    struct burl_wire_hist_rec rec;
    uint32_t a, b; /* offsets of the roles */
};

/* What one role executed in one segment: a byte per site, 1 executed. */
struct burl_wire_hist_chunk {
    struct burl_wire_hist_rec rec;
    uint32_t role;    /* offset of its record */
    uint32_t segment; /* offset of its record */
    uint32_t alone;   /* 1: while the process had no other thread */
    uint32_t n_sites;
    /* uint8_t seen[n_sites] */
};

static_assert(sizeof(struct burl_wire_hist_segment) == 24, "records are on the wire");
static_assert(sizeof(struct burl_wire_hist_module) == 32, "records are on the wire");
static_assert(sizeof(struct burl_wire_hist_role) == 56, "records are on the wire");
static_assert(sizeof(struct burl_wire_hist_overlap) == 16, "records are on the wire");
static_assert(sizeof(struct burl_wire_hist_chunk) == 24, "records are on the wire");

#endif
