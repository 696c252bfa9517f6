/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/text/text.h - what all writers of text share: formats with conversions of their own, and
 * colors, widths and wrapping for the terminal.
 */
#ifndef BURL_REPORT_TEXT_H
#define BURL_REPORT_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/report.h"

/* ---- format.c ---------------------------------------------------------------------- */

/* Writes one conversion: takes its argument from `ap`. */
typedef void burl__text_convert(void *arg, char conversion, va_list *ap, struct burl_buf *out);

/* As vprintf with %s, %u, %zu and %c only, and with capital letters: %N is a uint64_t (1,234),
 * `convert` writes the others. The compiler does not check such a format: an argument has exactly
 * the type that its conversion is documented to take. */
void burl__text_vformat(struct burl_buf *out, const char *fmt, va_list ap,
                        burl__text_convert *convert, void *arg);

/* ---- json.c ------------------------------------------------------------------------ */

/*
 * Members "key:type" of an object, or values "type" of an array, separated by blanks. Types:
 *     s  string, null for NULL       e  the same, null for "" too
 *     u  unsigned                    n  uint64_t                  i  int64_t
 *     o  int, uint64_t: the number if the int is not 0, else null
 *     b  bool                        x  uint64_t as "0x1f", only as a member
 * Capital letters: `convert` writes the value. The compiler does not check the types.
 */
typedef void burl__json_convert(struct burl_json_writer *w, char type, va_list *ap);
void burl__json_vput(struct burl_json_writer *w, const char *fmt, va_list ap,
                     burl__json_convert *convert);
void burl__json_put(struct burl_json_writer *w, const char *fmt, ...);
void burl__json_put_array(struct burl_json_writer *w, const char *fmt, ...);

/* ---- ink.c ------------------------------------------------------------------------- */

enum burl__report_ink {
    BURL__REPORT_INK_PLAIN = 0,
    BURL__REPORT_INK_TITLE,
    BURL__REPORT_INK_FAILURE,
    BURL__REPORT_INK_PREEMPT,
    BURL__REPORT_INK_THREAD,
    BURL__REPORT_INK_DIM
};

/* Begins a color, or ends it with PLAIN; nothing when the style has none. */
void burl__report_ink(struct burl_buf *out, const struct burl_report_style *style,
                      enum burl__report_ink ink);
/* A colored piece of text. */
void burl__report_put_inked(struct burl_buf *out, const struct burl_report_style *style,
                            enum burl__report_ink ink, const char *fmt, ...) BURL_PRINTF(4, 5);
unsigned burl__report_width(const struct burl_report_style *style);
/* Columns the text takes: code points, since no name holds wide or combining ones by intent. */
size_t burl__report_columns(const char *s);
/* The first `max` columns of `s`, with an ellipsis when it is longer. Returns columns written. */
size_t burl__report_put_cut(struct burl_buf *out, const struct burl_report_style *style,
                            const char *s, size_t max);
/* The same with the start left out: the end of a place is its line. */
size_t burl__report_put_cut_start(struct burl_buf *out, const struct burl_report_style *style,
                                  const char *s, size_t max);
void burl__report_pad(struct burl_buf *out, size_t n);
/* Bytes of `s` that fit into `max` columns, cut at a space where there is one; at least one. */
size_t burl__report_wrap(const char *s, size_t max);
/* Words of `s` wrapped at the width, every line after `indent` spaces. */
void burl__report_put_wrapped(struct burl_buf *out, const struct burl_report_style *style,
                              const char *s, unsigned indent);

#endif
