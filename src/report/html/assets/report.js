// SPDX-License-Identifier: Apache-2.0
//
// The page of findings: folds, filters, keys, theme, copying. Everything is in the document
// already; without this script it is unfolded and has no filter.
"use strict";
(function () {
    var findings = Array.from(document.querySelectorAll(".finding"));
    var texts = null; // in lower case, made when the filter is first used
    var q = document.getElementById("q");
    var kind = document.getElementById("kind");
    var count = document.getElementById("count");
    var help = document.getElementById("help");
    var fold = document.getElementById("fold");

    function details(f) { return f.firstElementChild; }
    function summary(f) { return details(f).firstElementChild; }
    function visible() { return findings.filter(function (f) { return !f.hidden; }); }

    // ---- filter: words, all of which must be in the finding

    function filter() {
        var words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
        var n = 0;
        if (words.length && !texts)
            texts = findings.map(function (f) { return f.textContent.toLowerCase(); });
        findings.forEach(function (f, i) {
            f.hidden = (kind.value !== "" && f.dataset.kind !== kind.value) ||
                !words.every(function (w) { return texts[i].includes(w); });
            n += !f.hidden;
        });
        document.getElementById("none").hidden = n > 0 || findings.length === 0;
        count.textContent = n === findings.length ? "" : n + " of " + findings.length;
    }

    // ---- folding

    function foldAll(open) {
        visible().forEach(function (f) { details(f).open = open; });
        nameFold();
    }
    function isAllOpen() {
        return visible().every(function (f) { return details(f).open; });
    }
    function nameFold() { fold.textContent = isAllOpen() ? "Fold all" : "Unfold all"; }

    // A finding that the address names: unfolded, whatever the filter says.
    function openTarget() {
        var f = location.hash && document.getElementById(location.hash.slice(1));
        if (!f || !f.classList.contains("finding"))
            return;
        if (f.hidden) {
            q.value = kind.value = "";
            filter();
        }
        details(f).open = true;
        f.scrollIntoView();
        summary(f).focus();
    }

    // ---- keys

    function current() {
        return document.activeElement && document.activeElement.closest(".finding");
    }
    function go(by) {
        var v = visible();
        var at = v.indexOf(current());
        var f = v[at < 0 ? (by > 0 ? 0 : v.length - 1) : at + by];
        if (f) {
            summary(f).focus({ preventScroll: true });
            summary(f).scrollIntoView({ block: details(f).open ? "start" : "nearest" });
        }
    }

    function copy(button) {
        var code = button.parentElement.querySelector("code");
        var range = document.createRange();
        var done = function () {
            button.textContent = "Copied";
            setTimeout(function () { button.textContent = "Copy"; }, 1500);
        };
        // A page from disk may not have the clipboard; then the selected text is copied.
        var select = function () {
            range.selectNodeContents(code);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            if (document.execCommand("copy"))
                done();
        };
        if (navigator.clipboard)
            navigator.clipboard.writeText(code.textContent).then(done, select);
        else
            select();
    }

    // ---- theme: the system's, until another is chosen

    function isDark() {
        var chosen = document.documentElement.dataset.theme;
        return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    }
    function setTheme(name) {
        document.documentElement.dataset.theme = name;
        try {
            localStorage.setItem("burl-theme", name);
        } catch (e) {
            // no storage: the choice lasts as long as the page
        }
    }
    function toggleTheme() { setTheme(isDark() ? "light" : "dark"); }

    var keys = {
        "j": function () { go(1); },
        "k": function () { go(-1); },
        "ArrowDown": function () { go(1); },
        "ArrowUp": function () { go(-1); },
        "o": function () {
            var f = current();
            if (f) {
                details(f).open = !details(f).open;
                summary(f).focus();
            }
        },
        "a": function () { foldAll(!isAllOpen()); },
        "c": function () {
            var b = current() && current().querySelector(".copy");
            if (b)
                copy(b);
        },
        "t": toggleTheme,
        "/": function () { q.focus(); q.select(); },
        "?": function () { help.showModal(); }
    };

    function onKey(ev) {
        var el = ev.target;
        if (ev.ctrlKey || ev.altKey || ev.metaKey || help.open)
            return;
        if (el === q) {
            if (ev.key === "Escape") {
                q.value = "";
                filter();
                q.blur();
            } else if (ev.key === "Enter" || ev.key === "ArrowDown") {
                ev.preventDefault();
                q.blur();
                go(1);
            }
            return;
        }
        if (el.matches("select, input"))
            return;
        // In a region that scrolls, and where no finding has the focus, arrows scroll.
        if (ev.key.startsWith("Arrow") && !el.matches("summary"))
            return;
        if (Object.hasOwn(keys, ev.key)) {
            ev.preventDefault();
            keys[ev.key]();
        }
    }

    // ---- printing shows what the filter shows, unfolded

    var folded = [];
    addEventListener("beforeprint", function () {
        folded = visible().filter(function (f) { return !details(f).open; });
        foldAll(true);
    });
    addEventListener("afterprint", function () {
        folded.forEach(function (f) { details(f).open = false; });
        nameFold();
    });

    try {
        var stored = localStorage.getItem("burl-theme");
        if (stored === "dark" || stored === "light")
            document.documentElement.dataset.theme = stored;
    } catch (e) {
        // no storage: as the system says
    }
    document.getElementById("filter").hidden = findings.length === 0;
    document.querySelector(".tools").hidden = false;
    document.querySelectorAll(".copy").forEach(function (b) {
        b.hidden = false;
        b.addEventListener("click", function () { copy(b); });
    });
    findings.slice(1).forEach(function (f) { details(f).open = false; });
    document.addEventListener("toggle", nameFold, true);
    document.addEventListener("keydown", onKey);
    q.form.addEventListener("submit", function (ev) { ev.preventDefault(); });
    q.addEventListener("input", filter);
    kind.addEventListener("change", filter);
    fold.addEventListener("click", function () { foldAll(!isAllOpen()); });
    document.getElementById("theme").addEventListener("click", toggleTheme);
    document.getElementById("keys").addEventListener("click", function () { help.showModal(); });
    addEventListener("hashchange", openTarget);
    nameFold();
    openTarget();
}());
