/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/gen_decls.h - declarations as burl-api prints them, put together by macros: what the
 * tests of the guesses and of the model file are about.
 */
#ifndef BURL_TESTS_GEN_DECLS_H
#define BURL_TESTS_GEN_DECLS_H

#include "gen/model/model_int.h"

#define D_TYPE(kind, name, rest) \
    "{\"kind\":\"" kind "\",\"spelling\":\"" name "\",\"canonical\":\"" name "\"" rest "}"
#define D_VOID D_TYPE("void", "void", "")
#define D_CVOID D_TYPE("void", "const void", ",\"const\":true")
#define D_INT D_TYPE("int", "int", ",\"size_b\":4")
#define D_CINT D_TYPE("int", "const int", ",\"size_b\":4,\"const\":true")
#define D_BOOL D_TYPE("bool", "_Bool", ",\"size_b\":1,\"unsigned\":true")
#define D_SIZE D_TYPE("int", "size_t", ",\"size_b\":8,\"unsigned\":true")
#define D_REAL D_TYPE("real", "double", ",\"size_b\":8")
#define D_CHAR D_TYPE("char", "char", ",\"size_b\":1")
#define D_CCHAR D_TYPE("char", "const char", ",\"size_b\":1,\"const\":true")
#define D_ENUM D_TYPE("enum", "enum mode", ",\"size_b\":4,\"unsigned\":true,\"tag\":\"enum mode\"")
#define D_STRUCT(tag) D_TYPE("record", tag, ",\"tag\":\"" tag "\",\"complete\":false")
#define D_CSTRUCT(tag) \
    D_TYPE("record", "const " tag, ",\"tag\":\"" tag "\",\"complete\":false,\"const\":true")
#define D_FULL(tag) D_TYPE("record", tag, ",\"tag\":\"" tag "\",\"complete\":true,\"size_b\":16")
#define D_FILE               \
    D_TYPE("record", "FILE", \
           ",\"tag\":\"struct _IO_FILE\",\"complete\":true,\"system\":true,\"size_b\":216")
#define D_PTR(name, to) D_TYPE("pointer", name, ",\"size_b\":8,\"pointee\":" to)
#define D_CALLBACK                                                                            \
    D_PTR("int (*)(int, void *)",                                                             \
          D_TYPE("function", "int (int, void *)",                                             \
                 ",\"variadic\":false,\"result\":" D_INT ",\"params\":[" D_INT ",{\"kind\":"  \
                 "\"pointer\",\"spelling\":\"void *\",\"canonical\":\"void *\",\"size_b\":8," \
                 "\"pointee\":" D_VOID "}]"))

#define D_P(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
/* More: further members of the function's object, beginning with a comma. */
#define D_FN(name, comment, more, result, params)                                          \
    "{\"name\":\"" name "\",\"file\":\"/src/queue.h\",\"line\":7,\"type\":\"int (void)\"," \
    "\"comment\":\"" comment "\",\"result\":" result ",\"params\":[" params "]" more "}"
#define D_DOC(functions)                                                                       \
    "{\"version\":1,\"header\":\"queue.h\",\"functions\":[" functions                          \
    "],\"enums\":[{\"tag\":\"enum mode\",\"constants\":[{\"name\":\"MODE_READ\",\"value\":0}," \
    "{\"name\":\"MODE_WRITE\",\"value\":5},{\"name\":\"MODE_COUNT\",\"value\":6}]}]}"

#define D_Q D_PTR("struct queue *", D_STRUCT("struct queue"))
#define D_CQ D_PTR("const struct queue *", D_CSTRUCT("struct queue"))
#define D_SELF D_P("q", D_Q)

/* A queue with one function of every sort. */
/* clang-format off */
static const char burl_test_queue_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, D_P("capacity", D_SIZE)) ","
    D_FN("queue_free", "/* No other thread may use it. */", "", D_VOID, D_SELF) ","
    D_FN("queue_close", "", "", D_INT, D_SELF) ","
    D_FN("queue_push", "", "", D_INT, D_SELF "," D_P("value", D_INT)) ","
    D_FN("queue_pop", "/* Blocks until there is one. */", "", D_INT,
         D_SELF "," D_P("value", D_PTR("int *", D_INT))) ","
    D_FN("queue_size", "", "", D_SIZE, D_P("q", D_CQ)) ","
    D_FN("queue_set_mode", "", "", D_VOID, D_SELF "," D_P("m", D_ENUM)) ","
    D_FN("queue_write", "", "", D_INT,
         D_SELF "," D_P("data", D_PTR("const void *", D_CVOID)) "," D_P("len", D_SIZE)) ","
    D_FN("queue_to_string", "", "", D_INT,
         D_P("q", D_CQ) "," D_P("buf", D_PTR("char *", D_CHAR)) "," D_P("size", D_SIZE)) ","
    D_FN("queue_name", "/* The prefix may be NULL. */", "", D_PTR("const char *", D_CCHAR),
         D_SELF "," D_P("prefix", D_PTR("const char *", D_CCHAR))) ","
    D_FN("queue_each", "", "", D_INT,
         D_SELF "," D_P("fn", D_CALLBACK) "," D_P("arg", D_PTR("void *", D_VOID))) ","
    D_FN("queue_print", "", "", D_VOID, D_SELF "," D_P("f", D_PTR("FILE *", D_FILE))) ","
    D_FN("queue_log", "", ",\"variadic\":true", D_VOID, D_SELF) ","
    D_FN("queue_size_unlocked", "", "", D_SIZE, D_SELF) ","
    D_FN("queue_copy", "", "", D_Q, D_SELF) ","
    D_FN("queue_version", "", "", D_INT, ""));
/* clang-format on */

/* Guesses out of declarations, as burl_gen_model_load() does out of a header. */
static inline enum burl_status
burl_test_guess(struct burl_gen_model *m, const char *json, const char *shared,
                struct burl_err *err)
{
    enum burl_status st;

    *m = (struct burl_gen_model){ 0 };
    st = burl__gen_decls_parse(&m->decls, json, strlen(json), err);
    if (st != BURL_OK)
        return st;
    m->header = "queue.h";
    return burl__gen_guess(m, shared, err);
}

#endif
