(function () {
  var root = document.documentElement, key = "overcomplete-theme", dark = matchMedia("(prefers-color-scheme: dark)");
  function stored(value) {
    try {
      if (value !== undefined) { localStorage.setItem(key, value); }
      return localStorage.getItem(key);
    } catch (e) { return null; } // a file that may store nothing
  }
  var choice = stored();
  if (choice === "light" || choice === "dark") { root.dataset.theme = choice; }

  document.addEventListener("DOMContentLoaded", function () {
    var button = document.getElementById("theme"), contents = document.getElementById("contents");
    button.hidden = false;
    button.addEventListener("click", function () {
      var now = root.dataset.theme || (dark.matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      stored(root.dataset.theme);
    });
    // On a phone the contents would fill the first screen.
    if (contents && innerWidth <= 960) { contents.open = false; }
    document.addEventListener("keydown", function (e) {
      if (e.key === "Escape" && document.activeElement.closest("td[tabindex]")) { document.activeElement.blur(); }
    });
    // The table of claims was once on the scoreboard: addresses with its filters lead there.
    var claims = document.querySelector("#claims > a");
    if (claims && location.hash.indexOf("=") >= 0) { location.replace(claims.href + location.hash); }
    var form = document.getElementById("filters");
    if (form) { filters(form, document.getElementById("all-claims"), document.getElementById("shown")); }
  });

  // The filters are in the address, after #: verdict=partial,failed&paper=s3c&q=two+words. An
  // address without = is that of a place on the page.
  function filters(form, table, shown) {
    var rows = Array.from(table.tBodies[0].rows);
    var texts = rows.map(function (r) { return r.textContent.toLowerCase(); });
    var names = ["paper", "size", "data", "kind", "as", "finding", "changed"];

    function read() { // from the address to the form
      if (location.hash.length > 1 && location.hash.indexOf("=") < 0) { return false; }
      var p = new URLSearchParams(location.hash.slice(1)), verdicts = (p.get("verdict") || "").split(",");
      form.elements.q.value = p.get("q") || "";
      names.forEach(function (n) {
        form.elements[n].value = p.get(n) || "";
        if (form.elements[n].selectedIndex < 0) { form.elements[n].value = ""; }
      });
      form.elements.verdict.forEach(function (box) { box.checked = verdicts.indexOf(box.value) >= 0; });
      return true;
    }
    function checked() {
      return Array.from(form.elements.verdict).filter(function (b) { return b.checked; }).map(function (b) { return b.value; });
    }
    function write() { // from the form to the address
      var p = new URLSearchParams(), verdicts = checked();
      names.forEach(function (n) { if (form.elements[n].value) { p.set(n, form.elements[n].value); } });
      if (verdicts.length) { p.set("verdict", verdicts.join(",")); }
      if (form.elements.q.value.trim()) { p.set("q", form.elements.q.value.trim()); }
      var hash = p.toString().replace(/%2C/g, ",");
      history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
    }
    function apply() {
      var words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean), verdicts = checked(), n = 0;
      rows.forEach(function (r, i) {
        var show = (!verdicts.length || verdicts.indexOf(r.dataset.verdict) >= 0) &&
          names.every(function (k) { return !form.elements[k].value || r.dataset[k] === form.elements[k].value; }) &&
          words.every(function (w) { return texts[i].indexOf(w) >= 0; });
        r.hidden = !show;
        if (show) { n++; }
      });
      shown.textContent = n === rows.length ? n + " claims" : n + " of " + rows.length + " claims";
    }
    form.hidden = false;
    form.addEventListener("submit", function (e) { e.preventDefault(); });
    form.addEventListener("input", function () { write(); apply(); });
    form.addEventListener("reset", function () { setTimeout(function () { write(); apply(); }); });
    addEventListener("hashchange", function () { if (read()) { apply(); } });
    read();
    apply();
  }
})();
