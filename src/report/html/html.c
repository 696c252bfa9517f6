/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/html/html.c - what the HTML pages share; contract in html.h.
 *
 * Runs in the host. A page in one file names the hashes of its own style and script in its policy:
 * should a name of the program ever get through the escaping, browsers still execute nothing of it.
 */
#include <string.h>

#include "base/sha256.h"
#include "report/html/html.h"

static void
put_escaped(void *arg, char conversion, va_list *ap, struct burl_buf *out)
{
    const char *s = va_arg(*ap, const char *);

    (void)arg;
    (void)conversion; /* %E is the only one */
    burl_buf_html(out, s != NULL ? s : "");
}

void
burl__html_put(struct burl_buf *out, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(out, fmt, ap, put_escaped, NULL);
    va_end(ap);
}

void
burl__html_head(struct burl_buf *out, const char *title)
{
    burl__html_put(out,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<title>%E</title>\n<link rel=\"icon\" href=\"data:,\">\n",
                   title);
}

static void
put_base64(struct burl_buf *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const uint32_t x = (uint32_t)p[i] << 16 | (uint32_t)(i + 1 < n ? p[i + 1] : 0) << 8 |
                           (uint32_t)(i + 2 < n ? p[i + 2] : 0);

        burl_buf_char(out, digits[x >> 18]);
        burl_buf_char(out, digits[x >> 12 & 63]);
        burl_buf_char(out, i + 1 < n ? digits[x >> 6 & 63] : '=');
        burl_buf_char(out, i + 2 < n ? digits[x & 63] : '=');
    }
}

static void
put_hash(struct burl_buf *out, const char *text)
{
    uint8_t hash[BURL_SHA256_B];

    burl_sha256(text, strlen(text), hash);
    burl_buf_str_append(out, "'sha256-");
    put_base64(out, hash, sizeof hash);
    burl_buf_char(out, '\'');
}

void
burl__html_head_inline(struct burl_buf *out, const char *styles, const char *script)
{
    burl_buf_str_append(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                             "'none'; img-src data:; base-uri 'none'; form-action 'none'; "
                             "style-src ");
    put_hash(out, styles);
    if (script[0] != '\0') {
        burl_buf_str_append(out, "; script-src ");
        put_hash(out, script);
    }
    burl_buf_printf(out, "\">\n<style>%s</style>\n", styles);
}
