/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file/N.html: the pairs of each line, and the pair that is being followed.
 *
 * The source is in the page; a line's pairs are listed below it when they are asked for.
 */
"use strict";

(function () {
    var el = Burl.el;
    var src = document.querySelector(".src");
    var file = +src.getAttribute("data-file");
    var marked = Array.from(src.querySelectorAll("button.p"))
        .map(function (b) { return b.parentNode; });
    var cur = -1;       /* of marked: where j and k are */
    var follow = null;  /* { id, side } of the address */
    var byLine = null;

    /* Line to numbers of pairs; made when the first list is asked for. */
    function pairsOf(line) {
        if (!byLine) {
            byLine = {};
            Burl.data.pairs.forEach(function (p, i) {
                var last = 0;
                [p[0], p[1]].forEach(function (s) {
                    var at = Burl.data.sites[s];
                    if (!at || at[0] !== file || at[1] === last)
                        return;
                    last = at[1];
                    (byLine[last] = byLine[last] || []).push(i);
                });
            });
        }
        return byLine[line] || [];
    }

    function lineOf(div) {
        return +div.id.slice(1);
    }

    function item(id, line) {
        var p = Burl.pair(id);
        var a = Burl.site(p.a);
        var b = Burl.site(p.b);
        var here = a.file === file && a.line === line;
        var side = here ? "a" : "b";
        var name = here ? a.access + " " + (a.variable || p.name) + " here, then " + b.access +
            " at " + Burl.place(b) + (b.func ? " in " + b.func : "") :
            a.access + " at " + Burl.place(a) + (a.func ? " in " + a.func : "") + ", then " +
            b.access + " " + (b.variable || p.name) + " here";
        return el("li", {}, Burl.stateSpan(p.state), " ",
            el("a", { href: Burl.hrefOf(id, side), "data-pair": id }, name));
    }

    function close(div) {
        var next = div.nextElementSibling;
        if (next && next.classList.contains("here"))
            next.remove();
        div.querySelector("button.p").setAttribute("aria-expanded", "false");
    }

    var MANY = 200;

    function open(div) {
        var line = lineOf(div);
        var ids = pairsOf(line);
        var list = el("ul", { "class": "here", "aria-label": "Pairs of line " + line });
        close(div);
        ids.slice(0, MANY).forEach(function (id) { list.append(item(id, line)); });
        if (ids.length > MANY)
            list.append(el("li", {}, el("a", { href: Burl.root + "pairs.html#f=" + file + "&q=" +
                encodeURIComponent(":" + line) }, "and " + (ids.length - MANY) + " more")));
        div.after(list);
        div.querySelector("button.p").setAttribute("aria-expanded", "true");
        return list;
    }

    function isOpen(div) {
        return div.querySelector("button.p").getAttribute("aria-expanded") === "true";
    }

    function show(div) {
        div.scrollIntoView({ block: "center" });
    }

    function setCur(i) {
        if (marked[cur])
            marked[cur].classList.remove("cur");
        cur = i;
        if (marked[cur]) {
            marked[cur].classList.add("cur");
            marked[cur].querySelector("button.p").focus({ preventScroll: true });
            show(marked[cur]);
        }
    }

    /* Where j and k begin: the line being followed, else what is on the screen. */
    function start(by) {
        var at = follow ? Burl.site(follow.side === "b" ? Burl.data.pairs[follow.id][1] :
            Burl.data.pairs[follow.id][0]).line : 0;
        var i;
        if (cur >= 0)
            return cur + by;
        for (i = 0; i < marked.length; i++) {
            if (at ? lineOf(marked[i]) >= at : marked[i].getBoundingClientRect().top > 60)
                break;
        }
        return at && by < 0 ? i - 1 : at && marked[i] && lineOf(marked[i]) === at ? i + 1 : i;
    }

    function move(by) {
        var to = start(by);
        if (to >= 0 && to < marked.length)
            setCur(to);
    }

    /* ---- following a pair -------------------------------------------------------------------- */

    function land() {
        var h = Burl.readHash();
        var p = h.p !== undefined ? Burl.pair(+h.p) : null;
        var s;
        var div;
        src.querySelectorAll(".aim").forEach(function (d) { d.classList.remove("aim"); });
        follow = null;
        if (!p) {
            Burl.showPanel(-1);
            return;
        }
        follow = { id: p.id, side: h.s === "b" ? "b" : "a" };
        s = Burl.site(follow.side === "b" ? p.b : p.a);
        div = document.getElementById("L" + s.line);
        Burl.showPanel(p.id, follow.side);
        setCur(-1);
        if (document.activeElement)
            document.activeElement.blur();
        if (div && s.file === file) {
            div.classList.add("aim");
            show(div);
        }
        document.title = (follow.side === "b" ? "Later: " : "Earlier: ") + Burl.place(s) +
            " - burl cover";
    }

    src.addEventListener("click", function (ev) {
        var b = ev.target.closest("button.p");
        if (!b)
            return;
        if (isOpen(b.parentNode))
            close(b.parentNode);
        else
            open(b.parentNode);
    });
    Burl.on("j", function () { move(1); });
    Burl.on("k", function () { move(-1); });
    Burl.on("Enter", function () {
        var href = follow ? Burl.hrefOf(follow.id, follow.side === "a" ? "b" : "a") : "";
        if (!href)
            return false;
        location.href = href;
        return true;
    });
    Burl.on("Escape", function () {
        location.href = Burl.root + "pairs.html" + Burl.remember("list");
    });
    window.addEventListener("hashchange", land);
    land();
}());
