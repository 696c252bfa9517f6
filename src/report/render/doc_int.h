/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/render/doc_int.h - what the documents of `burl report` share.
 */
#ifndef BURL_REPORT_DOC_INT_H
#define BURL_REPORT_DOC_INT_H

#include "report/finding/words.h"

/* The one place that stands for the finding: where it failed, else where an access of the race is,
 * where a thread of the deadlock waits, or the failing step. NULL: no line is known. */
const struct burl_finding_loc *burl__doc_place(const struct burl_finding *f);
/* The path of a source file, relative to the working directory where it is below it. */
const char *burl__doc_path(const struct burl_report_doc *d, const char *file);
/* The command that reproduces it, or may show it again; "" when there is none. */
const char *burl__doc_command(const struct burl_finding *f);
/* Only a race whose two orders both pass: a warning. Everything else has failed. */
bool burl__doc_is_warning(const struct burl_finding *f);
/* Appends the text with '?' for what is not printable, on one line: newlines become blanks. */
void burl__doc_put_clean(struct burl_buf *out, const char *text);
/* The same with its lines. */
void burl__doc_put_lines(struct burl_buf *out, const char *text);
/* The finding in one line, clean: "T1 and T2 wait for each other [burl replay 1]". */
void burl__doc_put_line(struct burl_buf *out, const struct burl_finding *f);
/* The finding in two or three lines, clean: title, pattern, how to reproduce it. */
void burl__doc_put_message(struct burl_buf *out, const struct burl_finding *f);
/* The whole report as text, clean. */
void burl__doc_put_report(struct burl_buf *out, const struct burl_finding *f);

#endif
