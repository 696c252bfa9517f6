/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/suite.c - Makefile and CMakeLists.txt of a suite of emitted tests.
 *
 * Sources and flags are given as they were given to burl gen, that is, relative to the directory it
 * was run in. That directory is the one absolute path in the files, as a variable.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gen/emit/emit.h"
#include "gen/exec/words.h"

static const char *
root(char *buf, size_t n)
{
    return getcwd(buf, n) ? buf : "..";
}

static bool
has_cxx(const struct burl_gen_sources *src)
{
    struct burl_gen_word w;

    for (size_t at = 0; burl_gen_next_word(src, &at, &w);) {
        if (w.kind == BURL_GEN_WORD_SOURCE && burl_gen_is_cplusplus(w.text))
            return true;
    }
    return false;
}

/* ---- make -------------------------------------------------------------------------------- */

/* A word for the shell within a makefile. */
static void
make_word(const char *word, struct burl_buf *out)
{
    burl_buf_str_append(out, " '");
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            burl_buf_str_append(out, "'\\''");
        else if (*p == '$')
            burl_buf_str_append(out, "$$");
        else if (*p == '#')
            burl_buf_str_append(out, "\\#");
        else
            burl_buf_char(out, *p);
    }
    burl_buf_char(out, '\'');
}

/* Words of one kind; a standard is of one language only. */
static void
make_words(const char *name, const struct burl_gen_sources *src, enum burl_gen_word_kind kind,
           bool cxx, struct burl_buf *out)
{
    struct burl_gen_word w;

    burl_buf_printf(out, "%s =", name);
    for (size_t at = 0; burl_gen_next_word(src, &at, &w);) {
        if (w.kind != kind || burl_gen_is_foreign(w.text, cxx))
            continue;
        make_word(w.text, out);
        if (w.value)
            make_word(w.value, out);
    }
    burl_buf_char(out, '\n');
}

/* One object per source, each by the compiler of its language. */
static void
make_objects(const struct burl_gen_sources *src, struct burl_buf *out)
{
    struct burl_gen_word w;
    size_t n = 0;

    for (size_t at = 0; burl_gen_next_word(src, &at, &w);) {
        const char *language = burl_gen_is_cplusplus(w.text) ? "CXX" : "C";

        if (w.kind != BURL_GEN_WORD_SOURCE)
            continue;
        burl_buf_printf(out,
                        "source_%zu.o: FORCE\n\tcd '$(ROOT)' && $(%s) $(CFLAGS) $(%s_FLAGS) -c",
                        ++n, language[1] ? "CXX" : "CC", language);
        make_word(w.text, out);
        burl_buf_str_append(out, " -o '$(CURDIR)/$@'\n\n");
    }
    burl_buf_str_append(out, "OBJECTS =");
    for (size_t i = 1; i <= n; i++)
        burl_buf_printf(out, " source_%zu.o", i);
    burl_buf_str_append(out, "\n\n");
}

void
burl_gen_emit_makefile(const struct burl_gen_sources *src, size_t n, struct burl_buf *out)
{
    char dir[PATH_MAX];

    burl_buf_printf(out,
                    "# Tests of %s, written by burl.\n"
                    "#   make check                               with the system's compiler\n"
                    "#   make check CC=burl-cc CXX=burl-c++  under burl\n"
                    "# Sources are relative to ROOT, where burl was run.\n\n"
                    "ROOT ?= %s\n"
                    "CC ?= cc\n"
                    "CXX ?= c++\n"
                    "CFLAGS ?= -g -O1\n"
                    "# Seconds for one test; one that is stuck fails.\n"
                    "LIMIT ?= 60\n",
                    src->header, root(dir, sizeof dir));
    make_words("C_FLAGS", src, BURL_GEN_WORD_FLAG, false, out);
    make_words("CXX_FLAGS", src, BURL_GEN_WORD_FLAG, true, out);
    make_words("LINK", src, BURL_GEN_WORD_LINK, false, out);
    burl_buf_str_append(out, "TESTS =");
    for (size_t i = 1; i <= n; i++)
        burl_buf_printf(out, " test_%zu", i);
    burl_buf_str_append(out, "\n\nall: $(TESTS)\n\n");
    make_objects(src, out);
    burl_buf_printf(
        out,
        "$(TESTS:=.o): %%.o: %%.c\n"
        "\tcd '$(ROOT)' && $(CC) $(CFLAGS) -I. $(C_FLAGS) -pthread -c '$(CURDIR)/$<' "
        "-o '$(CURDIR)/$@'\n\n"
        "$(TESTS): %%: %%.o $(OBJECTS)\n"
        "\tcd '$(ROOT)' && $(%s) $(CFLAGS) $(addprefix '$(CURDIR)'/,$^) $(LINK) $(LDFLAGS) "
        "-pthread -o '$(CURDIR)/$@'\n\n"
        "check: $(TESTS)\n"
        "\t@failed=0; for t in $(TESTS); do \\\n"
        "\t\tif timeout $(LIMIT) ./$$t; then echo \"ok      $$t\"; \\\n"
        "\t\telse echo \"FAILED  $$t (status $$?)\"; failed=1; fi; \\\n"
        "\tdone; exit $$failed\n\n"
        "clean:\n"
        "\trm -f $(TESTS) $(TESTS:=.o) $(OBJECTS)\n\n"
        "FORCE:\n"
        ".PHONY: all check clean FORCE\n",
        has_cxx(src) ? "CXX" : "CC");
}

/* ---- CMake -------------------------------------------------------------------------- */

/* A word in quotes; below ROOT when it is a relative path. */
static void
cmake_word(const char *prefix, const char *word, bool is_path, struct burl_buf *out)
{
    burl_buf_printf(out, "\n    \"%s%s", prefix, is_path && word[0] != '/' ? "${ROOT}/" : "");
    for (const char *p = word; *p; p++) {
        if (*p == '"' || *p == '\\' || *p == '$' || *p == ';')
            burl_buf_char(out, '\\');
        burl_buf_char(out, *p);
    }
    burl_buf_char(out, '"');
}

static void
cmake_words(const struct burl_gen_sources *src, enum burl_gen_word_kind kind, struct burl_buf *out)
{
    struct burl_gen_word w;

    for (size_t at = 0; burl_gen_next_word(src, &at, &w);) {
        /* Options of several words stay together. */
        const bool is_long = strlen(w.text) > 2;
        const bool is_dir = w.text[0] == '-' && (w.text[1] == 'I' || w.text[1] == 'L');
        char prefix[24];

        if (w.kind != kind)
            continue;
        if (w.value) {
            snprintf(prefix, sizeof prefix, is_long ? "SHELL:%.12s " : "%.12s", w.text);
            cmake_word(prefix, w.value, is_long || is_dir, out);
        } else if (is_dir) {
            snprintf(prefix, sizeof prefix, "%.2s", w.text);
            cmake_word(prefix, w.text + 2, true, out);
        } else {
            cmake_word("", w.text, w.text[0] != '-', out);
        }
    }
}

void
burl_gen_emit_cmake(const struct burl_gen_sources *src, size_t n, struct burl_buf *out)
{
    char dir[PATH_MAX];
    burl_buf_printf(out,
                    "# Tests of %s, written by burl.\n"
                    "#   cmake -S . -B build && cmake --build build && ctest --test-dir build\n"
                    "# Sources are relative to ROOT, where burl was run.\n"
                    "cmake_minimum_required(VERSION 3.13)\n"
                    "project(burl_gen_suite C%s)\n"
                    "enable_testing()\n"
                    "find_package(Threads REQUIRED)\n"
                    "set(ROOT \"%s\" CACHE PATH \"where burl was run\")\n"
                    "set(SOURCES",
                    src->header, has_cxx(src) ? " CXX" : "", root(dir, sizeof dir));
    cmake_words(src, BURL_GEN_WORD_SOURCE, out);
    burl_buf_str_append(out, ")\nset(FLAGS");
    cmake_words(src, BURL_GEN_WORD_FLAG, out);
    burl_buf_str_append(out, ")\nset(LINK");
    cmake_words(src, BURL_GEN_WORD_LINK, out);
    burl_buf_printf(out,
                    ")\n\n"
                    "foreach(i RANGE 1 %zu)\n"
                    "    add_executable(test_${i} test_${i}.c ${SOURCES})\n"
                    "    target_include_directories(test_${i} PRIVATE ${ROOT})\n"
                    "    target_compile_options(test_${i} PRIVATE ${FLAGS})\n"
                    "    target_link_libraries(test_${i} PRIVATE ${LINK} Threads::Threads)\n"
                    "    add_test(NAME test_${i} COMMAND test_${i})\n"
                    "    set_tests_properties(test_${i} PROPERTIES TIMEOUT 60)\n"
                    "endforeach()\n",
                    n > 0 ? n : 1);
}

/* ---- parts of seeds ------------------------------------------------------------------- */

void
burl_gen_emit_makefile_part(const char *source, size_t number, const bool *tests, size_t n,
                            struct burl_buf *out)
{
    const bool is_cxx = burl_gen_is_cplusplus(source);

    burl_buf_printf(out, "\npart_%zu.o: FORCE\n\tcd '$(ROOT)' && $(%s) $(CFLAGS) $(%s_FLAGS) -c",
                    number, is_cxx ? "CXX" : "CC", is_cxx ? "CXX" : "C");
    make_word(source, out);
    burl_buf_str_append(out, " -o '$(CURDIR)/$@'\n\n");
    for (size_t i = 0; i < n; i++) {
        if (tests[i])
            burl_buf_printf(out, "test_%zu ", i + 1);
    }
    burl_buf_printf(out,
                    ": part_%zu.o\n\nclean: clean_part_%zu\nclean_part_%zu:\n\trm -f part_%zu.o\n"
                    ".PHONY: clean_part_%zu\n",
                    number, number, number, number, number);
}

void
burl_gen_emit_cmake_part(const char *source, const bool *tests, size_t n, struct burl_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!tests[i])
            continue;
        burl_buf_printf(out, "target_sources(test_%zu PRIVATE", i + 1);
        cmake_word("", source, true, out);
        burl_buf_str_append(out, ")\n");
    }
}
