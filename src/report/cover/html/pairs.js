/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.html: all pairs, filtered, sorted, a page of rows at a time.
 *
 * What is filtered, sorted and selected is in the address, so that it can be kept and shared, and
 * going back from a source line finds the list as it was.
 */
"use strict";

(function () {
    var PER_PAGE = 100;
    var el = Burl.el;
    var pairs = Burl.data.pairs.map(function (p, i) { return Burl.pair(i); });
    var table = document.getElementById("pairs");
    var q = document.getElementById("q");
    var stateSel = document.getElementById("state");
    var varSel = document.getElementById("variable");
    var fileSel = document.getElementById("file");
    var shown = [];   /* numbers of pairs, filtered and sorted */
    var page = 0;
    var rover = null; /* over the rows of the page */
    var sort = "rank";
    var down = false;

    pairs.forEach(function (p) {
        var a = Burl.site(p.a);
        var b = Burl.site(p.b);
        p.sa = a;
        p.sb = b;
        p.hay = [p.name, a.variable, b.variable, a.func, b.func, a.name + ":" + a.line,
            b.name + ":" + b.line, a.access, b.access, Burl.stateOf(p.state).name, p.strategy,
            p.why, p.reason, p.racy ? "race" : ""].join("\n").toLowerCase();
    });

    /* ---- order ----------------------------------------------------------------------------- */

    function text(x, y) {
        return x < y ? -1 : x > y ? 1 : 0;
    }

    function bySite(x, y) {
        return text(x.name, y.name) || x.line - y.line || x.column - y.column;
    }

    var COLUMNS = {
        rank: { title: "Rank", by: function (x, y) {
            return (x.rank || Infinity) === (y.rank || Infinity) ? x.state - y.state :
                (x.rank || Infinity) - (y.rank || Infinity); } },
        state: { title: "State", by: function (x, y) { return x.state - y.state; } },
        variable: { title: "Variable", by: function (x, y) { return text(x.name, y.name); } },
        a: { title: "Earlier", by: function (x, y) { return bySite(x.sa, y.sa); } },
        b: { title: "Later", by: function (x, y) { return bySite(x.sb, y.sb); } },
        exec: { title: "Execution", by: function (x, y) {
            return (x.state === 0 || x.state === 5 ? x.exec : Infinity) -
                (y.state === 0 || y.state === 5 ? y.exec : Infinity) || 0; } }
    };

    function header() {
        var row = el("tr", {});
        Object.keys(COLUMNS).forEach(function (k) {
            var b = el("button", { type: "button" }, COLUMNS[k].title +
                (k === sort ? (down ? " \u25bc" : " \u25b2") : ""));
            b.addEventListener("click", function () {
                down = k === sort && !down;
                sort = k;
                header();
                update(0);
                table.tHead.querySelector("th[aria-sort] button").focus();
            });
            row.append(el("th", { scope: "col", "class": k === "rank" || k === "exec" ? "r" : null,
                "aria-sort": k === sort ? (down ? "descending" : "ascending") : null }, b));
        });
        table.tHead.replaceChildren(row);
    }

    /* ---- filter ------------------------------------------------------------------------------ */

    function matches(p, words, state, variable, file) {
        if (state === "gaps" ? p.state !== 1 && p.state !== 3 :
            state !== "" && Burl.stateOf(p.state).name !== state)
            return false;
        if (variable !== "" && p.variable !== +variable)
            return false;
        if (file !== "" && p.sa.file !== +file && p.sb.file !== +file)
            return false;
        return words.every(function (w) { return p.hay.indexOf(w) >= 0; });
    }

    function filter() {
        var words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
        var by = COLUMNS[sort].by;
        shown = pairs.filter(function (p) {
            return matches(p, words, stateSel.value, varSel.value, fileSel.value);
        });
        shown.sort(function (x, y) { return (down ? by(y, x) : by(x, y)) || x.id - y.id; });
        shown = shown.map(function (p) { return p.id; });
    }

    /* ---- rows -------------------------------------------------------------------------------- */

    function siteCell(p, side) {
        var s = side === "b" ? p.sb : p.sa;
        var href = Burl.hrefOf(p.id, side);
        return el("td", {}, s.access, " ", href ? el("a", { href: href, tabindex: "-1" },
            Burl.place(s)) : Burl.place(s), s.func ? el("span", { "class": "def" }, "in " +
            s.func) : null);
    }

    function row(id) {
        var p = pairs[id];
        var was = p.state === 0 || p.state === 5;
        var r = el("tr", { tabindex: "-1", "data-pair": id },
            el("td", { "class": "r" }, p.rank ? "" + p.rank : ""),
            el("td", {}, Burl.stateSpan(p.state)),
            el("td", { "class": "mono" }, p.name),
            siteCell(p, "a"), siteCell(p, "b"),
            el("td", { "class": "r" }, was ? "" + p.exec : ""));
        return r;
    }

    function save() {
        var id = rover && rover.at() >= 0 ? shown[page * PER_PAGE + rover.at()] : "";
        Burl.writeHash({ q: q.value, state: stateSel.value, v: varSel.value, f: fileSel.value,
            sort: sort === "rank" ? "" : sort, down: down ? "1" : "", sel: id });
        Burl.remember("list", location.hash);
    }

    function pager() {
        var p = document.getElementById("pager");
        var pages = Math.ceil(shown.length / PER_PAGE);
        var prev = el("button", { type: "button", disabled: page === 0 }, "Previous");
        var next = el("button", { type: "button", disabled: page >= pages - 1 }, "Next");
        p.replaceChildren();
        p.hidden = pages < 2;
        prev.addEventListener("click", function () { draw(page - 1, 0, true); });
        next.addEventListener("click", function () { draw(page + 1, 0, true); });
        p.append(prev, "page " + (page + 1) + " of " + pages, next);
    }

    /* Draws the page and selects its row `at`. */
    function draw(n, at, focus) {
        var rows;
        page = n;
        rows = shown.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map(row);
        table.tBodies[0].replaceChildren.apply(table.tBodies[0], rows);
        rover = Burl.rover(rows, function (i) {
            Burl.showPanel(shown[page * PER_PAGE + i], "");
            save();
        });
        pager();
        if (rows.length > 0)
            rover.set(Math.min(at, rows.length - 1), focus);
        else
            Burl.showPanel(-1);
        save();
    }

    function update(sel) {
        filter();
        document.getElementById("count").textContent = shown.length === pairs.length ?
            pairs.length + (pairs.length === 1 ? " pair" : " pairs") :
            shown.length + " of " + pairs.length + " pairs";
        draw(Math.floor(sel / PER_PAGE), sel % PER_PAGE, false);
    }

    function move(by) {
        var to = page * PER_PAGE + rover.at() + by;
        if (to < 0 || to >= shown.length)
            return;
        if (Math.floor(to / PER_PAGE) === page)
            rover.set(to % PER_PAGE, true);
        else
            draw(Math.floor(to / PER_PAGE), to % PER_PAGE, true);
    }

    /* ---- start ------------------------------------------------------------------------------- */

    function option(select, value, name) {
        select.append(el("option", { value: value }, name));
    }

    function fillSelects() {
        var used = {};
        pairs.forEach(function (p) {
            used["v" + p.variable] = used["f" + p.sa.file] = used["f" + p.sb.file] = true;
        });
        option(stateSel, "", "all");
        option(stateSel, "gaps", "gaps: uncovered, proposed");
        Burl.STATES.forEach(function (s) { option(stateSel, s.name, s.mark + " " + s.name); });
        option(varSel, "", "all");
        Burl.data.variables.map(function (v, i) { return [v[0] || "?", i]; })
            .filter(function (v) { return used["v" + v[1]]; })
            .sort(function (x, y) { return text(x[0], y[0]) || x[1] - y[1]; })
            .forEach(function (v) { option(varSel, v[1], v[0]); });
        option(fileSel, "", "all");
        Burl.data.files.forEach(function (f, i) {
            if (used["f" + i])
                option(fileSel, i, f[0]);
        });
    }

    function load() {
        var h = Burl.readHash();
        var sel;
        q.value = h.q || "";
        stateSel.value = h.state || "";
        varSel.value = h.v || "";
        fileSel.value = h.f || "";
        sort = COLUMNS[h.sort] ? h.sort : "rank";
        down = h.down === "1";
        header();
        filter();
        sel = shown.indexOf(+h.sel);
        update(h.sel !== undefined && sel >= 0 ? sel : 0);
    }

    fillSelects();
    document.getElementById("filters").hidden = false;
    table.hidden = false;
    load();
    q.addEventListener("input", function () { update(0); });
    [stateSel, varSel, fileSel].forEach(function (s) {
        s.addEventListener("change", function () { update(0); });
    });
    document.getElementById("filters").addEventListener("submit", function (ev) {
        ev.preventDefault();
    });
    document.getElementById("filters").addEventListener("reset", function () {
        setTimeout(function () { update(0); }, 0);
    });
    window.addEventListener("hashchange", load);
    table.tBodies[0].addEventListener("click", function (ev) {
        var r = ev.target.closest("tr");
        if (r && !ev.target.closest("a"))
            rover.set(Array.from(table.tBodies[0].rows).indexOf(r), true);
    });
    Burl.on("j", function () { move(1); });
    Burl.on("k", function () { move(-1); });
    Burl.on("ArrowDown", function () { move(1); });
    Burl.on("ArrowUp", function () { move(-1); });
    Burl.on("leave", function () {
        if (shown.length > 0)
            rover.set(Math.max(rover.at(), 0), true);
    });
    Burl.on("Enter", function () {
        var id = shown[page * PER_PAGE + rover.at()];
        var href = id === undefined ? "" : Burl.hrefOf(id, "a") || Burl.hrefOf(id, "b");
        if (!href)
            return false;
        location.href = href;
        return true;
    });
}());
