"use strict";
// Views by address: "#/" the first page, "#/browse/<benchmark>", "#/sample/<benchmark>/<id>", "#/tables/<benchmark>",
// "#/reviewers/<benchmark>", "#/run" the manifest.
const App = (function () {
  const h = EG.h, main = document.getElementById("main"), told = new Set();
  const VIEWS = {
    browse: (about, rest, query, live) => Gallery.show(main, about, query, live),
    sample: (about, rest, query, live) => SampleView.show(main, about, rest.join("/"), query, live),
    tables: (about) => Tables.show(main, about),
    reviewers: (about, rest, query, live) => Reviewers.show(main, about, query, live)
  };

  // A sentence above every view, once: what the reader has to know and cannot see.
  function notice(text) {
    if (!told.has(text)) document.getElementById("notices").append(h("p", { class: "notice", role: "status" }, text));
    told.add(text);
  }

  async function manifest() {
    document.title = "Provenance – editgauge report";
    EG.fill(main, h("h1", {}, "Provenance"), h("p", {}, "editgauge " + EG.meta.version), h("h2", {}, "Commands"),
      EG.meta.manifest.map((entry) => h("details", {},
      h("summary", {}, entry.at + " · " + entry.command + (entry.benchmark ? " " + entry.benchmark : "")),
        h("pre", {}, JSON.stringify(entry, null, 1)))));
  }

  function failed(error) {
    EG.fill(main, h("h1", {}, "This view cannot be shown"), h("p", { class: "notice" }, error.message),
      h("p", {}, h("a", { href: "#/" }, "The first page")));
  }

  // -- header --

  function header(view, about) {
    const titles = { browse: "Samples", tables: "Tables", reviewers: "For reviewers" };
    const list = [[EG.address([""]), "Overview", view === ""]];
    Object.keys(titles).forEach((name) => list.push([EG.address([name, about.name]), titles[name],
      name === view || (name === "browse" && view === "sample")]));
    if (EG.meta.diagnosis) list.push([EG.meta.diagnosis, "Why edits failed", false]);
    list.push([EG.address(["run"]), "Provenance", view === "run"]);
    const pick = h("select", { id: "benchmark", "aria-label": "Benchmark",
      onchange: () => { location.hash = EG.address([titles[view] ? view : "browse", pick.value]); } },
      EG.meta.benchmarks.map((one) => h("option", { value: one.name, selected: one === about }, one.title)));
    EG.fill(document.getElementById("views"), list.map(([href, words, here]) => h("li", {},
      h("a", { href, "aria-current": here ? "page" : null }, words))),
      EG.meta.benchmarks.length > 1 ? h("li", {}, pick) : null);
    EG.fill(document.getElementById("tools"), EG.meta.variants.length > 1
      ? h("p", { class: "switch", role: "group", "aria-label": "Scores as" }, EG.meta.variants.map((name) =>
      h("button", { type: "button", id: "variant-" + name, "aria-pressed": String(name === EG.variant), title: name === "faithful" ?
        "as the paper's released code computes it, faults included" : "the same with the faults fixed", onclick: () => {
        const where = EG.parse(location.hash);
        EG.variant = name;
        history.replaceState(history.state, "", EG.address(where.path, where.query));
        route();
      } }, name))) : null, h("button", { type: "button", id: "shortcuts", onclick: help }, "Shortcuts"));
  }

  // A view is drawn when its data are there; by then another may have been asked for, and only the newest is drawn.
  let turn = 0;

  function route() {
    const mine = ++turn, live = () => mine === turn, { path: [view, name, ...rest], query } = EG.parse(location.hash);
    EG.variant = EG.meta.variants.includes(query.get("v")) ? query.get("v") : EG.meta.variants[0] || "faithful";
    query.delete("v");
    const about = VIEWS[view] && EG.find(name);
    header(view, about || EG.meta.benchmarks[0]);
    if (VIEWS[view] && !about) return failed(new Error("There is no benchmark " + name + " in this report."));
    if (about) document.title = about.title + " – editgauge report";
    return (about ? VIEWS[view](about, rest, query, live) : view === "run" ? manifest()
      : Start.show(main, live)).catch((error) => { if (live()) failed(error); });
  }

  // -- keys --

  const KEYS = { j: "next", n: "next", k: "previous", p: "previous", ArrowRight: "next", ArrowLeft: "previous", u: "back", r: "peek",
    "+": "zoom-in", "=": "zoom-in",
    "-": "zoom-out", "0": "zoom-fit" };
  SampleView.modes.forEach((mode, number) => { KEYS[number + 1] = "mode-" + mode[0]; });

  // Keys that scroll belong to what scrolls: an arrow walks only where nothing could be scrolled sideways.
  function scrolls(node) {
    for (; node && node !== document.documentElement; node = node.parentElement) {
      if (node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX)) return true;
    }
    return document.scrollingElement.scrollWidth > innerWidth + 1;
  }

  addEventListener("keydown", (event) => {
    const { tagName: at, type } = event.target, arrow = event.key.startsWith("Arrow");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (at === "SELECT" || (at === "INPUT" && (arrow || !["range",
      "checkbox"].includes(type))) || (arrow && (event.shiftKey || scrolls(event.target)))) return;
    const node = KEYS[event.key] && document.getElementById(KEYS[event.key]);
    if (event.key === "?") help();
    if (node) { node.click(); event.preventDefault(); }
  });

  function help() {
    const lines = [["j, n, →", "next sample"], ["k, p, ←", "previous sample"], ["u", "back to the list"],
      ["1 – 4", "side by side, slider, difference, mask"],
      ["r", "show the reference, and again to go back"], ["+ − 0",
        "larger, smaller, the whole picture; a double click and Ctrl with the wheel enlarge at the pointer"], ["?", "this help"]];
    const dialog = h("dialog", { "aria-labelledby": "help", onclose: () => dialog.remove() }, h("h2", { id: "help" }, "Shortcuts"),
      h("dl", {}, lines.map(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)])), h("form", { method: "dialog" }, h("button", {}, "Close")));
    document.body.append(dialog);
    dialog.showModal();
  }

  EG.load("meta", "data/meta.js").then((meta) => {
    EG.meta = meta;
    meta.benchmarks.forEach((about, at) => { about.at = at; });
    addEventListener("hashchange", async (event) => {
      const view = (url) => EG.parse(new URL(url).hash).path[0];
      await route();
      if (view(event.oldURL) !== view(event.newURL) || view(event.newURL) === "sample") window.scrollTo(0, 0);
    });
    return route();
  }).catch(failed);

  return { route, notice };
})();
