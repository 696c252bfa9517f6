/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/chrome_drive.c - a person at a keyboard, for pages in headless Chromium.
 *
 *     chrome_drive CHROMIUM PROFILE_DIR <script
 *
 * Starts the browser, speaks its DevTools protocol over the pipe it offers for that (messages end
 * with a NUL; we write to its descriptor 3 and read from its 4), and follows the script, a command
 * per line:
 *     open URL             and wait until it is loaded
 *     size W H light|dark
 *     key NAME             a key stroke, as the keyboard makes it: j / Enter Tab Escape ArrowDown
 *     text WORDS           typed into what has the focus
 *     expect EXPRESSION    of JavaScript; becomes true within ten seconds, or the test fails
 *     print EXPRESSION     its value as text
 *     shot FILE            a PNG of the window
 *     noscript on|off      for pages opened afterwards
 * Lines that begin with # are comments. An exception in a page, and an error
 * that the browser logs about it, is a failure. The keys go through
 * the browser's input path, so focus and default actions are real; nothing is put into the page.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"

#define EXPECT_MS 10000
#define START_MS 60000 /* a busy machine is slow to start a browser */

struct chrome {
    pid_t pid;
    int to, from;
    unsigned next_id;
    char *session; /* NULL: messages go to the browser itself */
    struct burl_buf in;
    bool threw;
};

static struct chrome chrome = { .pid = -1 };
static unsigned line_no;

static void
end_browser(void)
{
    if (chrome.pid > 0)
        kill(-chrome.pid, SIGKILL); /* its own group: see start() */
}

static void
die(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fprintf(stderr, "chrome_drive: line %u: ", line_no);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    end_browser();
    exit(1);
}

static long long
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
start(const char *program, const char *profile)
{
    int to[2];
    int from[2];
    char *dir = burl_xasprintf("--user-data-dir=%s", profile);

    if (pipe(to) != 0 || pipe(from) != 0)
        die("pipe: %s", strerror(errno));
    chrome.pid = fork();
    if (chrome.pid == 0) {
        /* 3 and 4 may be among the pipe's own numbers: move them out of the way first. */
        int in = fcntl(to[0], F_DUPFD, 10);
        int out = fcntl(from[1], F_DUPFD, 10);

        setpgid(0, 0);
        setenv("HOME", profile, 1);
        dup2(in, 3);
        dup2(out, 4);
        for (int fd = 5; fd < 20; fd++)
            close(fd);
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(2, 1);
        execlp(program, program, "--headless=new", "--no-sandbox", "--disable-gpu",
               "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", "--hide-scrollbars",
               "--remote-debugging-pipe", dir, "about:blank", (char *)NULL);
        _exit(127);
    }
    if (chrome.pid < 0)
        die("fork: %s", strerror(errno));
    setpgid(chrome.pid, chrome.pid);
    close(to[0]);
    close(from[1]);
    chrome.to = to[1];
    chrome.from = from[0];
    burl_buf_init(&chrome.in, BURL_BUF_NO_LIMIT);
    free(dir);
}

/* ---- the protocol ---------------------------------------------------------------------- */

/* The next message; NULL when none came in time. */
static struct burl_json_value *
receive(long long until)
{
    for (;;) {
        char *end = chrome.in.n > 0 ? memchr(chrome.in.p, '\0', chrome.in.n) : NULL;
        struct pollfd p = { .fd = chrome.from, .events = POLLIN };
        struct burl_json_value *v;
        struct burl_err err;
        char *room;
        ssize_t n;

        if (end != NULL) {
            size_t len = (size_t)(end - chrome.in.p);
            size_t rest = chrome.in.n - len - 1;

            if (burl_json_parse(&v, chrome.in.p, len, &err) != BURL_OK)
                die("the browser said something else than JSON: %s", err.msg);
            memmove(chrome.in.p, end + 1, rest);
            burl_buf_truncate(&chrome.in, rest);
            return v;
        }
        if (now_ms() >= until || poll(&p, 1, (int)(until - now_ms())) == 0)
            return NULL;
        room = burl_buf_reserve(&chrome.in, 65536);
        n = read(chrome.from, room, 65536);
        if (n <= 0)
            die("the browser is gone");
        burl_buf_commit(&chrome.in, (size_t)n);
    }
}

/* Exceptions of scripts, and what the browser itself reports as an error: a refused script or
 * style, a file that is missing. */
static void
note_error(const struct burl_json_value *v)
{
    const char *method = burl_json_as_str(burl_json_get(v, "method"), "");
    const struct burl_json_value *params = burl_json_get(v, "params");
    const struct burl_json_value *x = burl_json_get(params, "exceptionDetails");

    if (strcmp(method, "Log.entryAdded") == 0) {
        x = burl_json_get(params, "entry");
        if (strcmp(burl_json_as_str(burl_json_get(x, "level"), ""), "error") != 0)
            return;
    } else if (strcmp(method, "Runtime.exceptionThrown") != 0)
        return;
    fprintf(stderr, "chrome_drive: error in the page: %s %s\n",
            burl_json_as_str(burl_json_get(x, "text"), ""),
            burl_json_as_str(burl_json_get(burl_json_get(x, "exception"), "description"), ""));
    chrome.threw = true;
}

/* Sends a command and waits for its answer, which the caller frees. `params` is JSON. */
static struct burl_json_value *
call(const char *method, const char *params, long long wait_ms)
{
    unsigned id = ++chrome.next_id;
    long long until = now_ms() + wait_ms;
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;

    burl_json_writer_init(&w, &out, 0);
    burl_json_object_begin(&w);
    burl_json_kv_u64(&w, "id", id);
    burl_json_kv_str(&w, "method", method);
    if (chrome.session != NULL)
        burl_json_kv_str(&w, "sessionId", chrome.session);
    burl_json_key(&w, "params");
    burl_json_raw(&w, params);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    for (size_t at = 0; at < out.n + 1;) {
        ssize_t n = write(chrome.to, burl_buf_str(&out) + at, out.n + 1 - at);

        if (n <= 0)
            die("the browser does not listen: %s", strerror(errno));
        at += (size_t)n;
    }
    burl_buf_deinit(&out);
    for (;;) {
        struct burl_json_value *v = receive(until);
        uint64_t got;

        if (v == NULL)
            die("%s: no answer", method);
        if (burl_json_as_u64(burl_json_get(v, "id"), &got) && got == id)
            return v;
        note_error(v);
        burl_json_free(v);
    }
}

static void
do_call(const char *method, const char *params)
{
    struct burl_json_value *v = call(method, params, START_MS);
    const struct burl_json_value *e = burl_json_get(v, "error");

    if (e != NULL)
        die("%s: %s", method, burl_json_as_str(burl_json_get(e, "message"), "failed"));
    burl_json_free(v);
}

/* {"name": "value"} with the value as a JSON string; caller frees. */
static char *
one_param(const char *name, const char *value, const char *more)
{
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;

    burl_buf_printf(&out, "{\"%s\":", name);
    burl_json_writer_init(&w, &out, 0);
    burl_json_str(&w, value);
    burl_json_writer_finish(&w);
    burl_buf_printf(&out, "%s}", more);
    return burl_buf_take(&out, NULL);
}

static void
attach(void)
{
    struct burl_json_value *v = call("Target.createTarget", "{\"url\":\"about:blank\"}", START_MS);
    const char *target =
        burl_json_as_str(burl_json_get(burl_json_get(v, "result"), "targetId"), "");
    char *params = one_param("targetId", target, ",\"flatten\":true");

    burl_json_free(v);
    v = call("Target.attachToTarget", params, START_MS);
    chrome.session =
        burl_xstrdup(burl_json_as_str(burl_json_get(burl_json_get(v, "result"), "sessionId"), ""));
    if (*chrome.session == '\0')
        die("cannot attach to a page");
    burl_json_free(v);
    free(params);
    do_call("Page.enable", "{}");
    do_call("Runtime.enable", "{}");
    do_call("Log.enable", "{}");
}

/* ---- commands -------------------------------------------------------------------------- */

/* The value as text, caller frees; NULL when there is none, as during navigation. */
static char *
evaluate(const char *expression)
{
    char *wrapped = burl_xasprintf("String(%s)", expression);
    char *params = one_param("expression", wrapped, ",\"returnByValue\":true");
    struct burl_json_value *v = call("Runtime.evaluate", params, START_MS);
    const struct burl_json_value *r = burl_json_get(v, "result");
    const struct burl_json_value *x = burl_json_get(r, "exceptionDetails");
    const char *s = burl_json_as_str(burl_json_get(burl_json_get(r, "result"), "value"), NULL);
    char *out = s != NULL && x == NULL ? burl_xstrdup(s) : NULL;

    burl_json_free(v);
    free(params);
    free(wrapped);
    return out;
}

static void
cmd_expect(const char *expression)
{
    long long until = now_ms() + EXPECT_MS;
    char *wrapped = burl_xasprintf("Boolean(%s)", expression);

    for (;;) {
        char *got = evaluate(wrapped);
        bool yes = got != NULL && strcmp(got, "true") == 0;

        free(got);
        if (yes)
            break;
        if (now_ms() > until) {
            char *where = evaluate("location.href");

            die("this did not become true: %s (at %s)", expression, where ? where : "?");
        }
        poll(NULL, 0, 20);
    }
    free(wrapped);
    printf("ok %s\n", expression);
}

static void
cmd_open(const char *url)
{
    char *params = one_param("url", url, "");
    struct burl_json_value *v = call("Page.navigate", params, START_MS);
    const char *why =
        burl_json_as_str(burl_json_get(burl_json_get(v, "result"), "errorText"), NULL);

    if (why != NULL)
        die("cannot open %s: %s", url, why);
    burl_json_free(v);
    free(params);
    cmd_expect("document.readyState === \"complete\" && location.href !== \"about:blank\"");
}

static void
cmd_key(const char *name)
{
    static const struct {
        const char *name;
        int code;
        const char *text;
    } keys[] = {
        { "Space", 32, " " },      { "Enter", 13, "\\r" },     { "Tab", 9, NULL },
        { "Escape", 27, NULL },    { "ArrowUp", 38, NULL },    { "ArrowDown", 40, NULL },
        { "ArrowLeft", 37, NULL }, { "ArrowRight", 39, NULL },
    };
    const char *text = name[1] == '\0' ? name : NULL;
    int code = name[1] == '\0' ? toupper((unsigned char)name[0]) : 0;
    char *down;
    char *up;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            code = keys[i].code;
            text = keys[i].text;
        }
    }
    if (strcmp(name, "Space") == 0)
        name = " ";
    if (code == 0)
        die("no key %s", name);
    down = burl_xasprintf("{\"type\":\"%s\",\"key\":\"%s\",\"windowsVirtualKeyCode\":%d%s%s%s}",
                          text != NULL ? "keyDown" : "rawKeyDown", name, code,
                          text != NULL ? ",\"text\":\"" : "", text != NULL ? text : "",
                          text != NULL ? "\"" : "");
    up = burl_xasprintf("{\"type\":\"keyUp\",\"key\":\"%s\",\"windowsVirtualKeyCode\":%d}", name,
                        code);
    do_call("Input.dispatchKeyEvent", down);
    do_call("Input.dispatchKeyEvent", up);
    free(down);
    free(up);
}

static void
cmd_text(const char *words)
{
    char *params = one_param("text", words, "");

    do_call("Input.insertText", params);
    free(params);
}

static void
cmd_size(const char *args)
{
    unsigned w;
    unsigned h;
    char scheme[16];
    char *params;

    if (sscanf(args, "%u %u %15s", &w, &h, scheme) != 3)
        die("size W H light|dark");
    params = burl_xasprintf("{\"width\":%u,\"height\":%u,\"deviceScaleFactor\":1,\"mobile\":false}",
                            w, h);
    do_call("Emulation.setDeviceMetricsOverride", params);
    free(params);
    params = burl_xasprintf("{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]}",
                            scheme);
    do_call("Emulation.setEmulatedMedia", params);
    free(params);
}

/* The picture comes as base64. */
static void
cmd_shot(const char *path)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct burl_json_value *v = call("Page.captureScreenshot", "{\"format\":\"png\"}", START_MS);
    const char *s = burl_json_as_str(burl_json_get(burl_json_get(v, "result"), "data"), "");
    FILE *f = fopen(path, "wb");
    unsigned acc = 0;
    unsigned bits = 0;

    if (f == NULL)
        die("cannot write %s", path);
    for (; *s != '\0' && *s != '='; s++) {
        acc = (acc << 6) | (unsigned)(strchr(digits, *s) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            fputc((int)(acc >> bits & 255), f);
        }
    }
    fclose(f);
    burl_json_free(v);
}

static void
run_line(char *line)
{
    char *arg = strchr(line, ' ');

    if (*line == '\0' || *line == '#')
        return;
    if (arg != NULL)
        *arg++ = '\0';
    else
        arg = line + strlen(line);
    if (strcmp(line, "open") == 0) {
        cmd_open(arg);
    } else if (strcmp(line, "size") == 0) {
        cmd_size(arg);
    } else if (strcmp(line, "key") == 0) {
        cmd_key(arg);
    } else if (strcmp(line, "text") == 0) {
        cmd_text(arg);
    } else if (strcmp(line, "expect") == 0) {
        cmd_expect(arg);
    } else if (strcmp(line, "shot") == 0) {
        cmd_shot(arg);
    } else if (strcmp(line, "noscript") == 0) {
        do_call("Emulation.setScriptExecutionDisabled",
                strcmp(arg, "on") == 0 ? "{\"value\":true}" : "{\"value\":false}");
    } else if (strcmp(line, "print") == 0) {
        char *s = evaluate(arg);

        printf("%s\n", s != NULL ? s : "(none)");
        free(s);
    } else {
        die("no command %s", line);
    }
    if (chrome.threw)
        die("a page has an error");
}

int
main(int argc, char **argv)
{
    char *line = NULL;
    size_t cap = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: chrome_drive CHROMIUM PROFILE_DIR <script\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    start(argv[1], argv[2]);
    attach();
    while (getline(&line, &cap, stdin) >= 0) {
        line_no++;
        line[strcspn(line, "\n")] = '\0';
        run_line(line);
    }
    free(line);
    free(chrome.session);
    chrome.session = NULL;
    end_browser();
    waitpid(chrome.pid, NULL, 0);
    burl_buf_deinit(&chrome.in);
    printf("done\n");
    return 0;
}
