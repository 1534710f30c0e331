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
    button.addEventListener("click", function () {
      var now = root.dataset.theme || (dark.matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      stored(root.dataset.theme);
    });
    // On a phone the contents would fill the first screen.
    if (contents && innerWidth <= 960) { contents.open = false; }
  });
  // A link to a place in a folded part unfolds it, in browsers that do not do so by themselves.
  function unfold() {
    var at = document.getElementById(decodeURIComponent(location.hash.slice(1))), closed = at && at.closest("main details:not([open])");
    if (!closed) { return; }
    for (; closed; closed = at.closest("main details:not([open])")) { closed.open = true; }
    at.scrollIntoView();
  }
  document.addEventListener("DOMContentLoaded", unfold);
  addEventListener("hashchange", unfold);
  // Paper cannot be opened. The style says so too, which not all browsers know.
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("main details:not([open])"));
    opened.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (d) { d.open = false; });
    opened = [];
  });
})();
