"use strict";
// What the reader writes down: a note, tags, ratings of outputs, marked regions. Kept in this browser and nowhere else,
// until it is exported as a csv file, in the shape that "editgauge study import" takes.
var Notes = (function () {
  var h = EG.h;
  var kept = null, changes = 0, safe = true;

  function place() { return "notes/" + EG.meta.id; }

  function all() {
    if (!kept) {
      try { kept = JSON.parse(EG.recall(place()) || "{}"); } catch (error) { kept = {}; }
      if (!kept || typeof kept !== "object") kept = {};
    }
    return kept;
  }

  function write() {
    changes++;
    safe = EG.remember(place(), JSON.stringify(all()));
  }

  function of(benchmark, id) {
    var found = (all()[benchmark] || {})[id] || {};
    return { text: found.text || "", tags: found.tags || [], ratings: found.ratings || {}, regions: found.regions || {} };
  }

  function empty(note) {
    return !note.text && !note.tags.length && !Object.keys(note.ratings).length && !Object.keys(note.regions).length;
  }

  function put(benchmark, id, note) {
    var mine = all()[benchmark] = all()[benchmark] || {};
    if (empty(note)) delete mine[id]; else mine[id] = note;
    write();
  }

  function tags(benchmark) {
    var found = new Set(), mine = all()[benchmark] || {};
    Object.keys(mine).forEach(function (id) { (mine[id].tags || []).forEach(function (tag) { found.add(tag); }); });
    return Array.from(found).sort();
  }

  function tagged(benchmark, tag) {
    var mine = all()[benchmark] || {};
    return new Set(Object.keys(mine).filter(function (id) { return (mine[id].tags || []).indexOf(tag) >= 0; }));
  }

  // Some words for a row of the list.
  function brief(benchmark, id) {
    var note = of(benchmark, id);
    if (empty(note)) return "";
    return "✎ " + note.tags.concat(note.text ? [note.text.slice(0, 60)] : []).join(" · ");
  }

  // -- on one sample --

  function editor(about, id, editors, redraw) {
    var note = of(about.name, id);
    function save(change) { Object.assign(note, change); put(about.name, id, note); }
    var state = h("p", { class: "kept", role: "status" });
    function told() { state.textContent = safe ? "Kept in this browser." : "This browser keeps nothing: export before you close the page."; }
    var text = h("textarea", { id: "note-text", rows: 3, oninput: function () { save({ text: text.value }); told(); } });
    text.value = note.text;
    var labels = h("input", { id: "note-tags", value: note.tags.join(", "), onchange: function () {
      save({ tags: labels.value.split(",").map(function (one) { return one.trim(); }).filter(Boolean) });
      told();
    } });
    return h("section", { "aria-labelledby": "notes", class: "notes-panel" }, h("h2", { id: "notes" }, "Your notes"),
      h("p", { class: "control" }, h("label", { for: "note-text" }, "Note"), text),
      h("p", { class: "control" }, h("label", { for: "note-tags" }, "Tags, between commas"), labels),
      h("details", { class: "ratings", open: Object.keys(note.ratings).length > 0 }, h("summary", {}, "Rate the outputs, 1 (bad) to 5 (good)"),
        editors.map(function (name, number) {
          var pick = h("select", { id: "rate-" + number, "data-editor": name, onchange: function () {
            var ratings = Object.assign({}, note.ratings);
            if (pick.value) ratings[name] = Number(pick.value); else delete ratings[name];
            save({ ratings: ratings });
            told();
          } }, ["", "1", "2", "3", "4", "5"].map(function (value) {
            return h("option", { value: value, selected: String(note.ratings[name] || "") === value }, value || "–");
          }));
          return h("p", { class: "control" }, h("label", { for: "rate-" + number }, name), pick);
        })),
      regionList(note, function (who, at) {
        var regions = Object.assign({}, note.regions);
        regions[who] = regions[who].filter(function (_, place) { return place !== at; });
        if (!regions[who].length) delete regions[who];
        save({ regions: regions });
        redraw();
      }), state, h("p", {}, h("a", { href: "#/notes" }, "All notes, and export")));
  }

  function regionList(note, remove) {
    var rows = [];
    Object.keys(note.regions).forEach(function (who) {
      note.regions[who].forEach(function (box, at) {
        rows.push(h("li", {}, who + ": " + (box[4] || "region") + " (" + box.slice(0, 4).map(Math.round).join(", ") + ") ",
          h("button", { type: "button", onclick: function () { remove(who, at); } }, "Remove")));
      });
    });
    return rows.length ? h("ul", { class: "regions" }, rows) : null;
  }

  function mark(about, id, who, box) {
    var note = of(about.name, id), regions = Object.assign({}, note.regions);
    regions[who] = (regions[who] || []).concat([box]);
    put(about.name, id, Object.assign(note, { regions: regions }));
  }

  // -- all of them --

  function rows(benchmark, reader) {
    var mine = all()[benchmark] || {};
    var found = [["sample", "annotator", "editor", "question", "scale", "value", "comment", "tags", "regions"]];
    Object.keys(mine).sort().forEach(function (id) {
      var note = of(benchmark, id), editors = new Set(Object.keys(note.ratings).concat(Object.keys(note.regions)));
      if (!editors.size) editors.add(EG.find(benchmark).about.editors[0] || "");
      editors.forEach(function (name) {
        found.push([id, reader, name, "reader", "1-5", note.ratings[name] || "", note.text, note.tags.join(";"),
          (note.regions[name] || []).map(function (box) { return box.slice(0, 4).map(Math.round).join(" ") + (box[4] ? " " + box[4] : ""); }).join(";")]);
      });
    });
    return found;
  }

  function show(main) {
    var name = h("input", { id: "reader", value: EG.recall("reader") || "reader", onchange: function () {
      EG.remember("reader", name.value.trim() || "reader");
    } });
    var there = EG.meta.benchmarks.filter(function (about) { return Object.keys(all()[about.name] || {}).length; });
    document.title = "Notes – editgauge report";
    EG.fill(main, h("h1", {}, "Your notes"),
      h("p", {}, "Notes, tags, ratings and regions are kept in this browser and sent nowhere. Write them on a sample's page."),
      h("p", { class: "control" }, h("label", { for: "reader" }, "Your name in the file (a pseudonym)"), name),
      there.length ? there.map(function (about) {
        var mine = all()[about.name];
        return h("section", {}, h("h2", {}, about.title),
          h("p", {}, h("button", { type: "button", class: "export", onclick: function () {
            EG.save(about.name + "-notes.csv", EG.lines(rows(about.name, EG.recall("reader") || "reader")), "text/csv");
          } }, "Export as csv"), " for ", h("code", {}, "editgauge study import RUN " + about.name + "-notes.csv --benchmark " + about.name),
          ". The import takes the ratings, with the note as their comment; a note without a rating stays in the file."),
          h("ul", {}, Object.keys(mine).sort().map(function (id) {
            return h("li", {}, h("a", { href: EG.address(["sample", about.name, id]) }, id), " " + (brief(about.name, id) || ""),
              Object.keys(of(about.name, id).ratings).length ? " · " + Object.keys(of(about.name, id).ratings).length + " rated" : null);
          })),
          h("p", {}, h("button", { type: "button", onclick: function () {
            if (!confirm("Remove all notes on " + about.title + "? Export them first.")) return;
            delete all()[about.name];
            write();
            App.route();
          } }, "Remove all of these")));
      }) : h("p", { class: "notice" }, "No notes yet."));
  }

  return { of: of, tags: tags, tagged: tagged, brief: brief, editor: editor, mark: mark, rows: rows, show: show,
    stamp: function () { return changes; } };
})();
