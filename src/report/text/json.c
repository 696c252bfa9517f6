/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - JSON objects and arrays by format.
 *
 * Runs in the host. The members of an object stand in one string, so that the schema of a document
 * can be read where it is written.
 */
#include <string.h>

#include "report/text/text.h"

static void
put_optional(struct burl_json_writer *w, bool known, uint64_t x)
{
    if (known)
        burl_json_u64(w, x);
    else
        burl_json_null(w);
}

static void
put_value(struct burl_json_writer *w, char type, va_list *ap)
{
    const char *s;
    bool known;

    switch (type) {
    case 's':
        burl_json_str(w, va_arg(*ap, const char *));
        break;
    case 'e':
        s = va_arg(*ap, const char *);
        burl_json_str(w, s != NULL && *s != '\0' ? s : NULL);
        break;
    case 'u':
        burl_json_u64(w, va_arg(*ap, unsigned));
        break;
    case 'n':
        burl_json_u64(w, va_arg(*ap, uint64_t));
        break;
    case 'o':
        known = va_arg(*ap, int);
        put_optional(w, known, va_arg(*ap, uint64_t));
        break;
    case 'i':
        burl_json_i64(w, va_arg(*ap, int64_t));
        break;
    default:
        burl_json_bool(w, va_arg(*ap, int));
        break;
    }
}

void
burl__json_vput(struct burl_json_writer *w, const char *fmt, va_list ap,
                burl__json_convert *convert)
{
    va_list args;

    va_copy(args, ap);
    for (; *fmt != '\0'; fmt += strspn(fmt, " ")) {
        const size_t n = strcspn(fmt, ": ");
        char key[40] = "";

        if (fmt[n] == ':') {
            memcpy(key, fmt, n < sizeof key ? n : sizeof key - 1);
            fmt += n + 1;
        }
        if (*fmt == 'x') {
            burl_json_kv_hex(w, key, va_arg(args, uint64_t));
        } else {
            if (key[0] != '\0')
                burl_json_key(w, key);
            if (*fmt >= 'A' && *fmt <= 'Z')
                convert(w, *fmt, &args);
            else
                put_value(w, *fmt, &args);
        }
        fmt++;
    }
    va_end(args);
}

void
burl__json_put(struct burl_json_writer *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__json_vput(w, fmt, ap, NULL);
    va_end(ap);
}

void
burl__json_put_array(struct burl_json_writer *w, const char *fmt, ...)
{
    va_list ap;

    burl_json_array_begin(w);
    va_start(ap, fmt);
    burl__json_vput(w, fmt, ap, NULL);
    va_end(ap);
    burl_json_array_end(w);
}
