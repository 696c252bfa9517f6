/* SPDX-License-Identifier: Apache-2.0 */
/* Text buffers, and writers of lines on pages; any thread may call any function. */
#ifndef STRBUF_H
#define STRBUF_H

struct strbuf;
struct page;
struct writer;

struct strbuf *strbuf_new(void);
void strbuf_free(struct strbuf *sb);
/* Appends a character; -1 if the buffer is full. */
int strbuf_put(struct strbuf *sb, char c);
int strbuf_length(struct strbuf *sb);
void strbuf_clear(struct strbuf *sb);
/* Appends the text of another buffer; returns the new length, or -1 if it does not fit. */
int strbuf_append(struct strbuf *sb, struct strbuf *other);

struct page *page_new(void);
void page_free(struct page *p);

struct writer *writer_new(struct page *p);
void writer_free(struct writer *w);
/* From now on lines go to this page. */
void writer_attach(struct writer *w, struct page *p);
/* Begins a line; returns its number on the page. */
int writer_line(struct writer *w);

#endif
