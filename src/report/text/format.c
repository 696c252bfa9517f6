/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - formats with conversions of their own.
 *
 * Runs in the host. A sentence about threads, places and variables is one format, so that the
 * sentence can be read where it is written.
 */
#include <string.h>

#include "base/number.h"
#include "report/text/text.h"

/* The standard conversion at `fmt`, behind the %; returns what follows it. */
static const char *
put_standard(struct burl_buf *out, const char *fmt, va_list *ap)
{
    switch (*fmt) {
    case 's':
        burl_buf_str_append(out, va_arg(*ap, const char *));
        break;
    case 'u':
        burl_buf_printf(out, "%u", va_arg(*ap, unsigned));
        break;
    case 'z':
        burl_buf_printf(out, "%zu", va_arg(*ap, size_t));
        return fmt + 2;
    default:
        burl_buf_char(out, (char)va_arg(*ap, int));
        break;
    }
    return fmt + 1;
}

void
burl__text_vformat(struct burl_buf *out, const char *fmt, va_list ap, burl__text_convert *convert,
                   void *arg)
{
    char number[BURL_NUMBER_B];
    va_list args;

    va_copy(args, ap); /* its address can be taken on every platform */
    while (*fmt != '\0') {
        const size_t n = strcspn(fmt, "%");

        burl_buf_append(out, fmt, n);
        fmt += n;
        if (*fmt == '\0')
            break;
        fmt++;
        if (*fmt == 'N')
            burl_buf_str_append(out, burl_number(va_arg(args, uint64_t), number));
        else if (*fmt >= 'A' && *fmt <= 'Z')
            convert(arg, *fmt, &args, out);
        else
            fmt = put_standard(out, fmt, &args) - 1;
        fmt++;
    }
    va_end(args);
}
