/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sarif_place.c - places, URIs, messages and stacks of the SARIF document.
 *
 * Runs in the host. Files below the working directory are relative to SRCROOT, so that a viewer on
 * another machine finds them; others are file: URIs. Columns of compilers count bytes, those of
 * SARIF characters: on a line with characters beyond ASCII the column is left out.
 */
#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "report/render/sarif_int.h"

/* In a message "{0}" is a placeholder and "[x](y)" a link; braces are doubled, and a backslash
 * breaks the link. */
void
burl__sarif_put_message(struct burl_json_writer *w, const char *key, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;
    struct burl_buf escaped = BURL_BUF_INIT;

    burl__doc_put_lines(&clean, text);
    for (const char *p = burl_buf_str(&clean); *p != '\0'; p++) {
        if (*p == '{' || *p == '}')
            burl_buf_char(&escaped, *p);
        else if (p[0] == ']' && p[1] == '(')
            burl_buf_char(&escaped, '\\');
        burl_buf_char(&escaped, *p);
    }
    burl_json_kv_object(w, key);
    /* An empty message is invalid. */
    burl_json_kv_str(w, "text", escaped.n > 0 ? burl_buf_str(&escaped) : "unknown");
    burl_json_object_end(w);
    burl_buf_deinit(&clean);
    burl_buf_deinit(&escaped);
}

void
burl__sarif_put_string(struct burl_json_writer *w, const char *key, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;

    burl__doc_put_clean(&clean, text);
    burl_json_kv_str(w, key, burl_buf_str(&clean));
    burl_buf_deinit(&clean);
}

/* The path as segments of a URI: a blank is "%20". */
static void
put_encoded(struct burl_buf *out, const char *path)
{
    for (; *path != '\0'; path++) {
        const unsigned char c = (unsigned char)*path;

        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c) != NULL)
            burl_buf_char(out, (char)c);
        else
            burl_buf_printf(out, "%%%02X", c);
    }
}

/* Appends the segments of `path`, without "." and "..", which URIs here must not have. */
static void
put_segments(struct burl_buf *out, const char *path)
{
    while (*path != '\0') {
        const size_t n = strcspn(path, "/");

        if (n == 2 && memcmp(path, "..", 2) == 0) {
            while (out->n > 0 && out->p[out->n - 1] != '/')
                burl_buf_truncate(out, out->n - 1);
            if (out->n > 0)
                burl_buf_truncate(out, out->n - 1);
        } else if (n > 0 && !(n == 1 && *path == '.')) {
            burl_buf_char(out, '/');
            burl_buf_append(out, path, n);
        }
        path += n + (path[n] == '/');
    }
}

void
burl__sarif_put_uri(const struct burl__sarif *s, const char *file)
{
    struct burl_buf path = BURL_BUF_INIT;
    struct burl_buf uri = BURL_BUF_INIT;
    const char *relative;

    if (file[0] != '/')
        put_segments(&path, s->d->cwd);
    put_segments(&path, file);
    relative = burl__doc_path(s->d, burl_buf_str(&path));
    if (relative[0] == '/')
        burl_buf_str_append(&uri, "file://");
    put_encoded(&uri, relative);
    burl_json_kv_str(s->w, "uri", burl_buf_str(&uri));
    if (relative[0] != '/')
        burl_json_kv_str(s->w, "uriBaseId", "SRCROOT");
    burl_buf_deinit(&path);
    burl_buf_deinit(&uri);
}

void
burl__sarif_put_root(const struct burl__sarif *s)
{
    struct burl_buf path = BURL_BUF_INIT;
    struct burl_buf uri = BURL_BUF_INIT;

    put_segments(&path, s->d->cwd);
    burl_buf_str_append(&uri, "file://");
    put_encoded(&uri, burl_buf_str(&path));
    burl_buf_char(&uri, '/');
    burl_json_kv_object(s->w, "originalUriBaseIds");
    burl_json_kv_object(s->w, "SRCROOT");
    burl_json_kv_str(s->w, "uri", burl_buf_str(&uri));
    burl_json_object_end(s->w);
    burl_json_object_end(s->w);
    burl_buf_deinit(&path);
    burl_buf_deinit(&uri);
}

static bool
is_ascii(const char *s)
{
    for (; *s != '\0'; s++) {
        if ((unsigned char)*s >= 0x80)
            return false;
    }
    return true;
}

static void
put_region(const struct burl__sarif *s, const struct burl_finding_loc *loc)
{
    burl_json_kv_object(s->w, "region");
    burl_json_kv_u64(s->w, "startLine", loc->line);
    if (loc->column != 0 && is_ascii(loc->source))
        burl_json_kv_u64(s->w, "startColumn", loc->column);
    if (loc->source[0] != '\0') {
        burl_json_kv_object(s->w, "snippet");
        burl__sarif_put_string(s->w, "text", loc->source);
        burl_json_object_end(s->w);
    }
    burl_json_object_end(s->w);
}

void
burl__sarif_put_location(const struct burl__sarif *s, const struct burl_finding_loc *loc,
                         const char *message, unsigned id)
{
    burl_json_object_begin(s->w);
    if (id != 0)
        burl_json_kv_u64(s->w, "id", id);
    if (loc->file[0] != '\0' && loc->line != 0) {
        burl_json_kv_object(s->w, "physicalLocation");
        burl_json_kv_object(s->w, "artifactLocation");
        burl__sarif_put_uri(s, loc->file);
        burl_json_object_end(s->w);
        put_region(s, loc);
        burl_json_object_end(s->w);
    }
    if (loc->func[0] != '\0') {
        burl_json_kv_array(s->w, "logicalLocations");
        burl_json_object_begin(s->w);
        burl__sarif_put_string(s->w, "fullyQualifiedName", loc->func);
        burl_json_kv_str(s->w, "kind", "function");
        burl_json_object_end(s->w);
        burl_json_array_end(s->w);
    }
    if (message != NULL)
        burl__sarif_put_message(s->w, "message", message);
    burl_json_object_end(s->w);
}

/* Of a frame that is not exact the line of its last operation is nearer than where it begins. */
static struct burl_finding_loc
frame_loc(const struct burl_finding_frame *fr)
{
    struct burl_finding_loc loc = fr->loc;

    if (!fr->exact && fr->after != 0) {
        loc.line = fr->after;
        loc.column = 0;
        loc.source = "";
    }
    return loc;
}

void
burl__sarif_put_stack(const struct burl__sarif *s, const struct burl_finding_stack *stack,
                      uint16_t tid, const char *message)
{
    burl_json_object_begin(s->w);
    burl__sarif_put_message(s->w, "message", message);
    burl_json_kv_array(s->w, "frames");
    for (size_t i = 0; i < stack->n; i++) {
        const struct burl_finding_loc loc = frame_loc(&stack->frames[i]);

        burl_json_object_begin(s->w);
        burl_json_key(s->w, "location");
        burl__sarif_put_location(s, &loc, NULL, 0);
        burl_json_kv_u64(s->w, "threadId", tid);
        burl_json_object_end(s->w);
    }
    burl_json_array_end(s->w);
    burl_json_object_end(s->w);
}
