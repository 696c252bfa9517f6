/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variables.html: the variables, and for one of them the matrix of its sites.
 *
 * Rows of the matrix are the earlier access, columns the later one. A variable with very many
 * sites is shown in blocks.
 */
"use strict";

(function () {
    var PER_PAGE = 100;
    var BLOCK = 60;
    var el = Burl.el;
    var table = document.getElementById("variables");
    var q = document.getElementById("q");
    var matrix = document.getElementById("matrix");
    var byVariable = {};
    var vars;
    var shown = [];
    var page = 0;
    var rover = null;
    var current = -1;
    var block = [0, 0];
    var sort = "uncovered";
    var down = true;

    Burl.data.pairs.forEach(function (p, i) {
        (byVariable[p[2]] = byVariable[p[2]] || []).push(i);
    });
    vars = Burl.data.variables.map(function (v, i) {
        return { id: i, name: v[0] || "?", object: v[1], untyped: !!v[2], covered: v[3],
            uncovered: v[4], pruned: v[5], impossible: v[6], sites: v[7],
            hay: (v[0] + "\n" + v[1]).toLowerCase() };
    });

    /* ---- the list ---------------------------------------------------------------------------- */

    var COLUMNS = { name: "Variable", covered: "\u25cf covered", uncovered: "\u25cb uncovered",
        pruned: "P pruned", impossible: "\u00d7 impossible", sites: "Sites" };

    function value(v) {
        return sort === "sites" ? v.sites.length : v[sort];
    }

    function compare(x, y) {
        var a = value(x);
        var b = value(y);
        return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1) || x.id - y.id;
    }

    function header() {
        var row = el("tr", {});
        Object.keys(COLUMNS).forEach(function (k) {
            var b = el("button", { type: "button" }, COLUMNS[k] +
                (k === sort ? (down ? " \u25bc" : " \u25b2") : ""));
            b.addEventListener("click", function () {
                down = k === sort ? !down : k !== "name";
                sort = k;
                header();
                update();
                table.tHead.querySelector("th[aria-sort] button").focus();
            });
            row.append(el("th", { scope: "col", "class": k === "name" ? null : "r",
                "aria-sort": k === sort ? (down ? "descending" : "ascending") : null }, b));
        });
        table.tHead.replaceChildren(row);
    }

    function row(v) {
        return el("tr", { tabindex: "-1", "data-variable": v.id },
            el("td", { "class": "mono" }, v.name, v.object || v.untyped ? el("span",
                { "class": "def" }, v.object + (v.untyped ? " (untyped)" : "")) : null),
            el("td", { "class": "r" }, "" + v.covered), el("td", { "class": "r" },
                "" + v.uncovered),
            el("td", { "class": "r" }, "" + v.pruned),
            el("td", { "class": "r" }, "" + v.impossible), el("td", { "class": "r" },
                "" + v.sites.length));
    }

    function draw(n, at, focus) {
        var rows;
        var pages = Math.ceil(shown.length / PER_PAGE);
        var pager = document.getElementById("pager");
        var prev = el("button", { type: "button", disabled: n === 0 }, "Previous");
        var next = el("button", { type: "button", disabled: n >= pages - 1 }, "Next");
        page = n;
        rows = shown.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map(row);
        table.tBodies[0].replaceChildren.apply(table.tBodies[0], rows);
        rover = Burl.rover(rows, function (i) { select(shown[page * PER_PAGE + i].id); });
        prev.addEventListener("click", function () { draw(page - 1, 0, true); });
        next.addEventListener("click", function () { draw(page + 1, 0, true); });
        pager.replaceChildren(prev, "page " + (page + 1) + " of " + pages, next);
        pager.hidden = pages < 2;
        if (rows.length > 0 && at >= 0)
            rover.set(Math.min(at, rows.length - 1), focus);
    }

    function update() {
        var words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
        var at;
        shown = vars.filter(function (v) {
            return words.every(function (w) { return v.hay.indexOf(w) >= 0; });
        }).sort(compare);
        document.getElementById("count").textContent = shown.length === vars.length ?
            vars.length + (vars.length === 1 ? " variable" : " variables") :
            shown.length + " of " + vars.length + " variables";
        at = Math.max(0, shown.findIndex(function (v) { return v.id === current; }));
        draw(Math.floor(at / PER_PAGE), at % PER_PAGE, false);
        if (shown.length === 0) {
            matrix.replaceChildren();
            Burl.showPanel(-1);
        }
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

    /* ---- the matrix -------------------------------------------------------------------------- */

    /* The sites of the variable and of its pairs, by place. */
    function sitesOf(id) {
        var seen = {};
        var list = [];
        function add(s) {
            if (s >= 0 && !seen[s]) {
                seen[s] = true;
                list.push({ id: s, s: Burl.site(s) });
            }
        }
        vars[id].sites.forEach(add);
        (byVariable[id] || []).forEach(function (i) {
            add(Burl.data.pairs[i][0]);
            add(Burl.data.pairs[i][1]);
        });
        return list.sort(function (x, y) {
            return x.s.file - y.s.file || x.s.line - y.s.line || x.s.column - y.s.column ||
                x.id - y.id;
        });
    }

    function label(s) {
        return Burl.place(s) + (s.column ? ":" + s.column : "") + " " + s.access;
    }

    function cell(id) {
        var p = Burl.pair(id);
        var st = Burl.stateOf(p.state);
        var what = label(Burl.site(p.a)) + ", then " + label(Burl.site(p.b)) + ": " + st.name;
        return el("td", {}, el("button", { type: "button", tabindex: "-1", "class": "s" + p.state,
            "data-pair": id, "aria-label": what, title: what }, st.mark));
    }

    function blocks(n, which, name) {
        var s = el("select", { "aria-label": name });
        var i;
        for (i = 0; i * BLOCK < n; i++)
            s.append(el("option", { value: i, selected: i === block[which] }, name + " " +
                (i * BLOCK + 1) + " to " + Math.min(n, (i + 1) * BLOCK)));
        s.addEventListener("change", function () {
            block[which] = +s.value;
            drawMatrix();
        });
        return s;
    }

    function grid(list, cells) {
        var rows = list.slice(block[0] * BLOCK, (block[0] + 1) * BLOCK);
        var cols = list.slice(block[1] * BLOCK, (block[1] + 1) * BLOCK);
        var head = el("tr", {}, el("th", { scope: "col" }, "earlier \u2193  later \u2192"));
        var body = el("tbody", {});
        cols.forEach(function (c) {
            head.append(el("th", { scope: "col", title: label(c.s) + (c.s.func ? " in " +
                c.s.func : "") }, el("span", {}, label(c.s))));
        });
        rows.forEach(function (r) {
            var tr = el("tr", {}, el("th", { scope: "row", title: label(r.s) + (r.s.func ? " in " +
                r.s.func : "") }, label(r.s)));
            cols.forEach(function (c) {
                var id = cells[r.id + " " + c.id];
                tr.append(id === undefined ? el("td", {}) : cell(id));
            });
            body.append(tr);
        });
        return el("div", { "class": "grid" }, el("table", {}, el("thead", {}, head), body));
    }

    function drawMatrix() {
        var v = vars[current];
        var list = sitesOf(current);
        var cells = {};
        var legend = el("p", { "class": "legend" });
        var more = el("p", { "class": "pager" });
        var first;
        (byVariable[current] || []).forEach(function (i) {
            cells[Burl.data.pairs[i][0] + " " + Burl.data.pairs[i][1]] = i;
        });
        Burl.STATES.forEach(function (s, i) {
            legend.append(el("span", { title: s.says }, el("b", { "class": "s" + i }, s.mark), " " +
                s.name));
        });
        legend.append(el("span", {}, "empty: not a pair"));
        if (list.length > BLOCK)
            more.append(blocks(list.length, 0, "earlier"), blocks(list.length, 1, "later"));
        matrix.replaceChildren(el("h2", {}, el("code", {}, v.name), v.object ? " (" + v.object +
            ")" : ""), legend, more, grid(list, cells), el("p", {}, el("a",
            { href: "pairs.html#v=" + current }, "The pairs of this variable as a list")));
        first = matrix.querySelector("td button");
        if (first)
            first.tabIndex = 0;
    }

    function select(id) {
        if (id !== current) {
            block = [0, 0];
            Burl.showPanel(-1);
        }
        current = id;
        drawMatrix();
        Burl.writeHash({ v: id });
    }

    /* The next cell with a pair in that direction. */
    function step(button, dy, dx) {
        var td = button.parentNode;
        var rows = td.closest("tbody").rows;
        var y = td.parentNode.rowIndex - 1 + dy;
        var x = td.cellIndex + dx;
        for (; rows[y] && rows[y].cells[x] && x > 0; y += dy, x += dx) {
            if (rows[y].cells[x].firstChild) {
                rows[y].cells[x].firstChild.focus();
                return;
            }
        }
    }

    var STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
        k: [-1, 0], j: [1, 0], h: [0, -1], l: [0, 1] };

    matrix.addEventListener("keydown", function (ev) {
        var b = ev.target.closest("td button");
        if (!b || !STEPS[ev.key] || ev.ctrlKey || ev.altKey || ev.metaKey)
            return;
        step(b, STEPS[ev.key][0], STEPS[ev.key][1]);
        ev.preventDefault();
        ev.stopPropagation();
    });
    matrix.addEventListener("focusin", function (ev) {
        var b = ev.target.closest("td button");
        if (!b)
            return;
        matrix.querySelectorAll("td button[tabindex='0']").forEach(function (o) {
            o.tabIndex = -1;
        });
        b.tabIndex = 0;
        Burl.showPanel(+b.getAttribute("data-pair"), "");
    });
    /* A mouse only selects, Enter follows. */
    matrix.addEventListener("click", function (ev) {
        var b = ev.target.closest("td button");
        var href = b && ev.detail === 0 ? Burl.hrefOf(+b.getAttribute("data-pair"), "a") : "";
        if (href)
            location.href = href;
        else if (b)
            b.focus();
    });

    /* ---- start ------------------------------------------------------------------------------- */

    function load() {
        var v = +Burl.readHash().v;
        if (vars[v] && v !== current) {
            current = v;
            q.value = "";
            update();
        }
    }

    document.getElementById("filters").hidden = false;
    document.getElementById("filters").addEventListener("submit", function (ev) {
        ev.preventDefault();
    });
    table.hidden = false;
    header();
    current = vars[+Burl.readHash().v] && location.hash ? +Burl.readHash().v : -1;
    update();
    q.addEventListener("input", update);
    window.addEventListener("hashchange", load);
    table.tBodies[0].addEventListener("click", function (ev) {
        var r = ev.target.closest("tr");
        if (r)
            rover.set(Array.from(table.tBodies[0].rows).indexOf(r), true);
    });
    Burl.on("j", function () { move(1); });
    Burl.on("k", function () { move(-1); });
    Burl.on("leave", function () {
        if (shown.length > 0)
            rover.set(Math.max(rover.at(), 0), true);
    });
    Burl.on("Enter", function () {
        var b = matrix.querySelector("td button[tabindex='0']");
        if (!b)
            return false;
        b.focus();
        return true;
    });
    Burl.on("Escape", function () {
        if (shown.length > 0)
            rover.set(Math.max(rover.at(), 0), true);
    });
}());
