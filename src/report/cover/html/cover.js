/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all coverage pages share: the data by name, building elements, the panel of a pair, keys.
 *
 * Names come from programs and may hold anything: text is only ever set as text, never as HTML.
 * A pair's number is its position in BURL_DATA.pairs. Following a pair: file/N.html#p=17&s=a is
 * its earlier line, s=b its later one.
 */
"use strict";

var Burl = (function () {
    var data = window.BURL_DATA || { files: [], sites: [], variables: [], strings: [""], pairs: [],
        lines: {}, schedules: [] };
    var body = document.body;
    var root = body.getAttribute("data-root") || "";
    /* Order of enum burl_cover_state. */
    var STATES = [
        { name: "covered", mark: "\u25cf", says: "covered" },
        { name: "uncovered", mark: "\u25cb", says: "possible, not covered yet" },
        { name: "pruned", mark: "P", says: "taken out of the target by the user" },
        { name: "proposed", mark: "?", says: "uncovered, and an argument says it is impossible" },
        { name: "impossible", mark: "\u00d7", says: "proven impossible by a complete search" },
        { name: "outside", mark: "+", says: "covered, though not in the static target" }
    ];

    /* el("a", { href: "x" }, "text", child, ...) */
    function el(tag, attrs) {
        var e = document.createElement(tag);
        var i;
        Object.keys(attrs || {}).forEach(function (k) {
            if (attrs[k] !== null && attrs[k] !== undefined && attrs[k] !== false)
                e.setAttribute(k, attrs[k] === true ? "" : attrs[k]);
        });
        for (i = 2; i < arguments.length; i++) {
            if (arguments[i] !== null && arguments[i] !== undefined)
                e.append(arguments[i]);
        }
        return e;
    }

    function site(i) {
        var s = data.sites[i];
        var f;
        if (!s)
            return { file: -1, name: "?", base: "?", line: 0, column: 0, func: "", variable: "",
                access: "access", href: "" };
        f = data.files[s[0]];
        return { file: s[0], name: f ? f[0] : "?", base: f ? f[0].replace(/^.*\//, "") : "?",
            line: s[1], column: s[2], func: s[3], variable: s[4], access: s[5],
            href: f ? root + f[1] : "" };
    }

    function pair(i) {
        var p = data.pairs[i];
        var v;
        if (!p)
            return null;
        v = data.variables[p[2]];
        return { id: i, a: p[0], b: p[1], variable: p[2], state: p[3], racy: !!p[4], exec: p[5],
            seed: p[6], strategy: data.strings[p[7]], schedule: data.schedules[p[8]],
            reason: data.strings[p[9]], tries: p[10], rank: p[11], why: data.strings[p[12]],
            name: v && v[0] ? v[0] : site(p[0]).variable || "?" };
    }

    function place(s) {
        return s.base + ":" + s.line;
    }

    /* The source line of one side of a pair; "" when it is on no page. */
    function hrefOf(id, side) {
        var p = data.pairs[id];
        var s = p ? site(side === "b" ? p[1] : p[0]) : null;
        return s && s.href && s.line ? s.href + "#p=" + id + "&s=" + side : "";
    }

    function stateOf(n) {
        return STATES[n] || { name: "?", mark: " ", says: "" };
    }

    function stateSpan(n) {
        var s = stateOf(n);
        return el("span", { "class": "st s" + n, title: s.says }, s.mark + " " + s.name);
    }

    /* ---- the hash of the address as names and values ------------------------------------- */

    function readHash() {
        var out = {};
        location.hash.replace(/^#/, "").split("&").forEach(function (part) {
            var at = part.indexOf("=");
            if (at > 0) {
                try {
                    out[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
                } catch (e) {
                    out[part.slice(0, at)] = "";
                }
            }
        });
        return out;
    }

    function writeHash(values) {
        var text = Object.keys(values).filter(function (k) {
            return values[k] !== "" && values[k] !== null && values[k] !== undefined;
        }).map(function (k) {
            return k + "=" + encodeURIComponent(values[k]);
        }).join("&");
        history.replaceState(null, "", "#" + text);
    }

    /* Survives going to a file and back; some browsers keep nothing for pages from disk. */
    function remember(key, value) {
        try {
            if (value === undefined)
                return sessionStorage.getItem("burl." + key) || "";
            sessionStorage.setItem("burl." + key, value);
        } catch (e) {
            /* It is a convenience only. */
        }
        return "";
    }

    /* ---- the panel ------------------------------------------------------------------------- */

    function source(s) {
        var lines = data.lines[s.file] || {};
        var pre = el("pre", { tabindex: "0", "aria-label": "Source around " + place(s) });
        var n;
        for (n = Math.max(1, s.line - 2); n <= s.line + 2; n++) {
            if (lines[n] !== undefined)
                pre.append(el("span", { "class": n === s.line ? "at" : null }, el("i", {}, "" + n),
                    lines[n]));
        }
        return pre.firstChild ? pre : null;
    }

    function sideBox(p, side, now) {
        var s = site(side === "b" ? p.b : p.a);
        var href = hrefOf(p.id, side);
        var where = s.name + ":" + s.line + (s.column ? ":" + s.column : "");
        return el("div", { "class": "side" + (side === now ? " now" : ""), "data-side": side },
            el("div", {}, side === "b" ? "\u2192 later: " : "earlier: ", s.access, " ",
                el("code", {}, s.variable || p.name)),
            el("div", {}, href ? el("a", { href: href, "class": "go" }, where) : where,
                s.func ? " in " : null, s.func ? el("code", {}, s.func) : null),
            source(s));
    }

    function fact(dl, name, value) {
        if (value)
            dl.append(el("dt", {}, name), el("dd", {}, value));
    }

    /* The command, and below it the switches of the schedule. */
    function schedule(s) {
        var list = el("ol", {});
        s[1].forEach(function (line) { list.append(el("li", {}, line)); });
        return el("div", {}, el("code", { "class": "run" }, s[0]), s[1].length === 0 ? null :
            el("details", {}, el("summary", {}, "The schedule: " + s[1].length +
                (s[1].length === 1 ? " switch" : " switches")), list));
    }

    function facts(p) {
        var dl = el("dl", {});
        var v = data.variables[p.variable];
        var was = p.state === 0 || p.state === 5;
        fact(dl, "State", stateSpan(p.state));
        fact(dl, "Variable", v ? el("a", { href: root + "variables.html#v=" + p.variable },
            el("code", {}, p.name), v[1] ? " (" + v[1] + ")" : "") : el("code", {}, p.name));
        if (was) {
            fact(dl, "First time", "execution " + p.exec + (p.racy ? ", as a data race" : ""));
            fact(dl, "Strategy", p.strategy ? p.strategy + ", seed " + p.seed : "seed " + p.seed);
            fact(dl, "Replay", p.schedule ? schedule(p.schedule) :
                "no schedule was kept; \u201cburl cover hunt\u201d keeps one");
        }
        fact(dl, "Reason", p.reason);
        if (p.rank)
            fact(dl, "Rank", p.rank + (p.why ? ": " + p.why : ""));
        if (p.tries)
            fact(dl, "Hunted", p.tries + " directed executions");
        return dl;
    }

    /* Shows the pair, or hides the panel when there is none. `now`: the side one is on. */
    function showPanel(id, now) {
        var panel = document.getElementById("panel");
        var p = pair(id);
        if (!panel)
            return;
        panel.replaceChildren();
        panel.hidden = !p;
        body.classList.toggle("paneled", !!p && getComputedStyle(panel).position === "fixed");
        if (!p)
            return;
        panel.append(el("h2", {}, "Pair on ", el("code", {}, p.name),
            now ? el("span", { "class": "def" }, "  Enter: the other line; Esc: the list") : null),
            el("div", { "class": "sides" }, sideBox(p, "a", now), sideBox(p, "b", now)), facts(p));
    }

    /* ---- keys -------------------------------------------------------------------------------- */

    var handlers = {};
    var help = [["/", "to the filter"], ["j, k", "next, previous"],
        ["Enter", "follow a pair to its first line, and again to the second"],
        ["Esc", "leave the filter; back to the list"], ["1, 2, 3", "Summary, Pairs, Variables"],
        ["?", "these keys"]];

    function on(key, fn) {
        handlers[key] = fn;
    }

    function typing(t) {
        return t && ((t.tagName === "INPUT" && t.type !== "checkbox") || t.tagName === "SELECT");
    }

    function showHelp() {
        var d = document.getElementById("help");
        if (!d) {
            d = el("dialog", { id: "help", "aria-label": "Keys" }, el("h2", {}, "Keys"));
            d.append(el("dl", {}), el("form", { method: "dialog" }, el("button", {}, "Close")));
            help.forEach(function (h) {
                d.querySelector("dl").append(el("dt", {}, el("kbd", {}, h[0])),
                    el("dd", {}, h[1]));
            });
            body.append(d);
        }
        d.showModal();
    }

    function focusFilter() {
        var q = document.getElementById("q");
        if (!q)
            return false;
        q.focus();
        q.select();
        return true;
    }

    function go(page) {
        location.href = root + page;
        return true;
    }

    document.addEventListener("keydown", function (ev) {
        var t = ev.target;
        var fn = handlers[ev.key];
        if (ev.ctrlKey || ev.altKey || ev.metaKey || document.querySelector("dialog[open]"))
            return;
        if (typing(t)) {
            if (ev.key === "Escape") {
                t.blur();
                ev.preventDefault();
            } else if (t.id === "q" && (ev.key === "Enter" || ev.key === "ArrowDown") &&
                handlers.leave) {
                t.blur();
                handlers.leave();
                ev.preventDefault();
            }
            return;
        }
        /* Links and buttons keep their own Enter. */
        if (ev.key === "Enter" && t.closest && t.closest("a, button, summary"))
            return;
        if (fn && fn(ev) !== false)
            ev.preventDefault();
    });
    on("/", focusFilter);
    on("?", showHelp);
    on("1", function () { return go("index.html"); });
    on("2", function () { return go("pairs.html"); });
    on("3", function () { return go("variables.html"); });

    /* ---- lists ------------------------------------------------------------------------------ */

    /* One of `rows` (elements) is current; j and k move it. `moved` gets its position. */
    function rover(rows, moved) {
        var at = -1;
        function set(i, focus) {
            if (at >= 0 && rows[at]) {
                rows[at].classList.remove("on");
                rows[at].removeAttribute("aria-current");
                rows[at].tabIndex = -1;
            }
            at = i;
            if (!rows[at])
                return;
            rows[at].classList.add("on");
            rows[at].setAttribute("aria-current", "true");
            rows[at].tabIndex = 0;
            if (focus) {
                rows[at].focus({ preventScroll: true });
                rows[at].scrollIntoView({ block: "nearest" });
            }
            if (moved)
                moved(at);
        }
        return { set: set, at: function () { return at; } };
    }

    /* The plain tables of the summary: filter, j, k, Enter. */
    function navigate(table) {
        var body_ = table.tBodies[0];
        var all = Array.from(body_.rows);
        var shown = all;
        var r = rover(shown);
        var q = el("input", { id: "q", type: "search", autocomplete: "off",
            "aria-keyshortcuts": "/" });
        table.parentNode.before(el("div", { "class": "filters" },
            el("label", {}, table.getAttribute("data-filter") + " ", q)));
        q.addEventListener("input", function () {
            var want = q.value.toLowerCase();
            r.set(-1);
            shown = all.filter(function (row) {
                row.hidden = row.cells[0].textContent.toLowerCase().indexOf(want) < 0;
                return !row.hidden;
            });
            r = rover(shown);
        });
        function move(by) {
            var to = Math.min(Math.max(r.at() + by, 0), shown.length - 1);
            if (shown.length > 0)
                r.set(to, true);
        }
        on("j", function () { move(1); });
        on("k", function () { move(-1); });
        on("leave", function () { r.set(-1); move(1); });
        on("Enter", function () {
            var a = shown[r.at()] && shown[r.at()].querySelector("a");
            if (!a)
                return false;
            location.href = a.href;
            return true;
        });
    }

    /* Links of the summary lead to a line; with a script they follow the pair. */
    document.querySelectorAll("a[data-pair]").forEach(function (a) {
        var href = hrefOf(+a.getAttribute("data-pair"), a.getAttribute("data-side"));
        if (href)
            a.href = href;
    });
    document.querySelectorAll("table[data-nav]").forEach(navigate);
    (function () {
        var cards = document.querySelector(".cards svg") && document.querySelector(".cards");
        var box = el("input", { type: "checkbox", id: "linear" });
        if (!cards)
            return;
        cards.before(el("p", { "class": "axes" }, el("label", {}, box,
            " linear axis of executions")));
        box.addEventListener("change", function () {
            cards.classList.toggle("linear", box.checked);
        });
    }());
    (function () {
        var b = el("button", { type: "button", "class": "keys", title: "Keys: press ?" }, "? keys");
        b.addEventListener("click", showHelp);
        document.querySelector("header").append(b);
    }());

    return { data: data, root: root, STATES: STATES, el: el, site: site, pair: pair, place: place,
        hrefOf: hrefOf, stateOf: stateOf, stateSpan: stateSpan, readHash: readHash,
        writeHash: writeHash, remember: remember, showPanel: showPanel, on: on, rover: rover };
}());
