/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - text utilities: character tests, interned strings, cached formats, string builders.
 *
 * All functions may be called by several threads at once, except those that end in _free and
 * text_reset(). Returned strings are the caller's unless the comment says otherwise.
 */
#ifndef SIMRT_TEXT_H
#define SIMRT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* ---- plain functions ---- */
bool text_is_blank(const char *s);
bool text_is_numeric(const char *s);
char *text_strip(const char *s);
char *text_capitalize(const char *s);
char *text_reverse(const char *s);
char *text_repeat(const char *s, unsigned times);
size_t text_count_matches(const char *s, const char *part);
/* In double quotes, with escapes. Valid until the calling thread quotes again. */
const char *text_quote(const char *s);

/* ---- interned strings: equal strings have one address ---- */
const char *text_intern(const char *s);
size_t text_intern_count(void);
unsigned long text_intern_lookups(void);

/* ---- formats: "{04} of 9" puts a number in place of the braces ---- */
struct text_format;
const struct text_format *text_format_get(const char *pattern);
char *text_format_apply(const struct text_format *f, int value);
size_t text_format_count(void);

/* Drops interned strings and formats. */
void text_reset(void);

/* ---- builders ---- */
struct text_builder;
struct text_builder *text_builder_new(void);
void text_builder_free(struct text_builder *b);
void text_builder_append(struct text_builder *b, const char *s);
void text_builder_append_int(struct text_builder *b, int value);
/* Before the character at `at`, or at the end. */
void text_builder_insert(struct text_builder *b, size_t at, const char *s);
void text_builder_delete(struct text_builder *b, size_t from, size_t to);
void text_builder_turn(struct text_builder *b);
void text_builder_clear(struct text_builder *b);
size_t text_builder_length(struct text_builder *b);
char *text_builder_string(struct text_builder *b);
bool text_builder_equals(struct text_builder *a, struct text_builder *b);
/* Appends all of `from` to `to`. */
void text_builder_append_builder(struct text_builder *to, struct text_builder *from);

#endif
