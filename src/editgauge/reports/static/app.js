"use strict";
// Views by address: "#/" the first page, "#/browse/<benchmark>", "#/sample/<benchmark>/<id>", "#/tables/<benchmark>",
// "#/reviewers/<benchmark>", "#/study/<benchmark>", "#/run" the manifest.
var App = (function () {
  var h = EG.h;
  var main = document.getElementById("main");
  var VIEWS = ["browse", "sample", "tables", "reviewers", "study"];
  var told = new Set();

  // A sentence above every view, once: what the reader has to know and cannot see.
  function notice(text) {
    if (told.has(text)) return;
    told.add(text);
    document.getElementById("notices").append(h("p", { class: "notice", role: "status" }, text));
  }

  // Size and licence of the models, where a models.toml has them; a model of several benchmarks is one line.
  function models() {
    var known = new Map();
    EG.meta.benchmarks.forEach(function (about) { about.models.forEach(function (one) { known.set(one.editor, one); }); });
    if (!known.size) return null;
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Models" },
      h("table", { id: "models" }, h("caption", {}, "Models, by models.toml"),
        h("thead", {}, h("tr", {}, ["model", "parameters", "licence", "several pictures at once"].map(function (name) {
          return h("th", { scope: "col" }, name);
        }))),
        h("tbody", {}, Array.from(known.values()).map(function (one) {
          return h("tr", {}, h("th", { scope: "row" }, one.editor), h("td", {}, one.params || "–"), h("td", {}, one.licence || "–"),
            h("td", {}, one.several_images === null ? "–" : one.several_images ? "yes" : "no"));
        }))));
  }

  function manifest() {
    document.title = "Provenance – editgauge report";
    EG.fill(main, h("h1", {}, "Provenance"), h("p", {}, "editgauge " + EG.meta.version), models(),
      h("h2", {}, "Commands"),
      EG.meta.manifest.map(function (entry) {
        return h("details", {}, h("summary", {}, entry.at + " · " + entry.command + (entry.benchmark ? " " + entry.benchmark : "")),
          h("pre", {}, JSON.stringify(entry, null, 1)));
      }));
  }

  function failed(error) {
    EG.fill(main, h("h1", {}, "This view cannot be shown"), h("p", { class: "notice" }, error.message),
      h("p", {}, h("a", { href: "#/" }, "The first page")));
  }

  // -- header --

  function theme(name) {
    if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
  }

  function tools() {
    var colours = h("select", { id: "theme", "aria-label": "Colours", onchange: function () {
      EG.remember("theme", colours.value);
      theme(colours.value);
    } }, [["", "System colours"], ["light", "Light"], ["dark", "Dark"]].map(function (one) {
      return h("option", { value: one[0], selected: (EG.recall("theme") || "") === one[0] }, one[1]);
    }));
    var both = EG.meta.variants.length > 1;
    return h("div", { class: "tools" }, both ? h("p", { class: "switch", role: "group", "aria-label": "Scores as" }, EG.meta.variants.map(function (name) {
      return h("button", { type: "button", id: "variant-" + name, "data-variant-switch": name, title: name === "faithful" ?
        "as the paper's released code computes it, faults included" : "the same with the faults fixed", onclick: function () {
        EG.variant = name;
        var where = EG.parse(location.hash);
        history.replaceState(history.state, "", EG.address(where.path, where.query));
        route();
      } }, name);
    })) : null, colours, h("button", { type: "button", id: "shortcuts", onclick: help }, "Shortcuts"));
  }

  function header(view, benchmark) {
    var about = benchmark && EG.find(benchmark) ? EG.find(benchmark).about : EG.meta.benchmarks[0], list = [["#", "Overview", view === ""]];
    if (about) {
      list.push([EG.address(["browse", about.name]), "Samples", view === "browse" || view === "sample"],
        [EG.address(["tables", about.name]), "Tables", view === "tables"],
        [EG.address(["reviewers", about.name]), "For reviewers", view === "reviewers"]);
      if (about.study) list.push([EG.address(["study", about.name]), "People", view === "study"]);
    }
    if (EG.meta.diagnosis) list.push([EG.meta.diagnosis, "Why edits failed", false]);
    list.push([EG.address(["run"]), "Provenance", view === "run"]);
    list[0][0] = EG.address([""]);
    var pick = h("select", { id: "benchmark", "aria-label": "Benchmark", onchange: function () {
      location.hash = EG.address([VIEWS.indexOf(view) >= 0 && view !== "sample" ? view : "browse", pick.value]);
    } }, EG.meta.benchmarks.map(function (one) { return h("option", { value: one.name, selected: about && one.name === about.name }, one.title); }));
    EG.fill(document.getElementById("views"), list.map(function (one) {
      return h("li", {}, h("a", { href: one[0], "aria-current": one[2] ? "page" : null }, one[1]));
    }), EG.meta.benchmarks.length > 1 ? h("li", { class: "pick" }, pick) : null);
    document.querySelectorAll("[data-variant-switch]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.variantSwitch === EG.variant));
    });
  }

  // A view is drawn when its data are there; by then another may have been asked for, and only the newest is drawn.
  var turn = 0;

  function route() {
    var mine = ++turn;
    function live() { return mine === turn; }
    SampleView.stop();
    var where = EG.parse(location.hash), view = where.path[0] || "", query = where.query;
    EG.variant = EG.meta.variants.indexOf(query.get("v")) >= 0 ? query.get("v") : EG.meta.variants[0] || "faithful";
    query.delete("v");
    header(view, VIEWS.indexOf(view) >= 0 ? where.path[1] : "");
    if (VIEWS.indexOf(view) >= 0) {
      var found = EG.find(where.path[1]);
      if (!found) return failed(new Error("There is no benchmark " + where.path[1] + " in this report."));
      document.title = found.about.title + " – editgauge report";
      return {
        browse: function () { return Gallery.show(main, found.at, found.about, query, live); },
        sample: function () { return SampleView.show(main, found.at, found.about, where.path.slice(2).join("/"), query, live); },
        tables: function () { return Tables.show(main, found.about); },
        reviewers: function () { return Reviewers.show(main, found.at, found.about, query, live); },
        study: function () { return StudyView.show(main, found.at, found.about, live, Tables.node); }
      }[view]().catch(function (error) { if (live()) failed(error); });
    }
    if (view === "run") return manifest();
    return Start.show(main, live).catch(function (error) { if (live()) failed(error); });
  }

  // -- keys --

  function follow(id) {
    var node = document.getElementById(id);
    if (node) node.click();
    return Boolean(node);
  }

  var KEYS = { j: "next", n: "next", k: "previous", p: "previous", ArrowRight: "next", ArrowLeft: "previous", u: "back", x: "swap",
    r: "peek", "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", "0": "zoom-fit" };
  SampleView.modes.forEach(function (mode, number) { KEYS[String(number + 1)] = "mode-" + mode[0]; });

  // Keys that scroll belong to what scrolls: an arrow walks only where nothing could be scrolled sideways.
  function scrolls(node) {
    for (; node && node !== document.documentElement; node = node.parentElement) {
      if (node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX)) return true;
    }
    return document.scrollingElement.scrollWidth > innerWidth + 1;
  }

  addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var at = event.target.tagName;
    if (at === "SELECT" || at === "TEXTAREA" || (at === "INPUT" && event.target.type !== "range" && event.target.type !== "checkbox")) return;
    if (event.key.slice(0, 5) === "Arrow" && (at === "INPUT" || event.shiftKey || scrolls(event.target))) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") return help();
    if (KEYS[event.key] && follow(KEYS[event.key])) event.preventDefault();
  });

  function help() {
    var lines = [["j, n, →", "next sample"], ["k, p, ←", "previous sample"], ["u", "back to the list"],
      ["1 – 5", "side by side, slider, flicker, difference, mask"], ["r", "show the reference, and again to go back"],
      ["+ − 0", "larger, smaller, the whole picture; a double click and Ctrl with the wheel enlarge at the pointer"],
      ["x", "swap the two pictures (flicker)"], ["?", "this help"]];
    var dialog = h("dialog", { "aria-labelledby": "help" }, h("h2", { id: "help" }, "Shortcuts"),
      h("dl", { class: "facts" }, lines.map(function (l) { return [h("dt", {}, l[0]), h("dd", {}, l[1])]; })),
      h("form", { method: "dialog" }, h("button", {}, "Close")));
    dialog.addEventListener("close", function () { dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  }

  theme(EG.recall("theme"));
  EG.load("meta", "data/meta.js").then(function (meta) {
    EG.meta = meta;
    EG.variant = meta.variants[0] || "faithful";
    document.getElementById("tools").append(tools());
    addEventListener("hashchange", function (event) {
      var before = EG.parse(new URL(event.oldURL).hash).path[0], now = EG.parse(location.hash).path[0];
      Promise.resolve(route()).then(function () { if (before !== now || now === "sample") window.scrollTo(0, 0); });
    });
    document.documentElement.dataset.ready = "yes";
    return route();
  }).catch(failed);

  return { route: route, notice: notice };
})();
