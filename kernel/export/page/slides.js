(function () {
  var root = document.documentElement, slides = Array.from(document.querySelectorAll("section.slide")), notes = Array.from(document.querySelectorAll("aside.notes"));
  if (!slides.length) { return; }
  var desk = location.hash === "#desk", other = desk ? window.opener : null, at = 0, began = Date.now(), fitted = new Set();
  root.classList.add("live");

  // Letters shrink until what a slide has fits.
  function fit(slide) {
    var body = slide.querySelector(".body"), k = slide.matches(".output, .listing") ? 1.4 : 1;
    function over() {
      return body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1 ||
        Array.from(body.querySelectorAll(".formula, .wide")).some(function (e) { return e.scrollWidth > e.clientWidth + 1; });
    }
    function set(to) { k = to; body.style.setProperty("--k", k.toFixed(2)); }
    set(k);
    while (over() && k > 0.5) { set(k - 0.05); }
    if (over()) { set(0.75); } // what is too long can be read and scrolled
  }
  function show(to, silent) {
    at = Math.max(0, Math.min(slides.length - 1, to));
    slides.forEach(function (s, i) {
      s.classList.toggle("now", i === at);
      s.classList.toggle("next", i === at + 1);
      notes[i].classList.toggle("now", i === at);
      if ((i === at || desk && i === at + 1) && !fitted.has(i)) { fitted.add(i); fit(s); }
    });
    if (!desk) { history.replaceState(null, "", "#" + (at + 1)); }
    if (!silent && other && !other.closed) { other.postMessage({ slide: at }, "*"); }
    tick();
  }
  function tick() {
    var t = Math.floor((Date.now() - began) / 1000), two = function (n) { return (n < 10 ? "0" : "") + n; };
    document.querySelector("#desk time").textContent = new Date().toTimeString().slice(0, 5);
    document.querySelector("#desk span").textContent = "· " + Math.floor(t / 60) + ":" + two(t % 60) + " · " + (at + 1) + " of " + slides.length;
  }
  function present(on) { desk = on; root.classList.toggle("desk", on); refit(); }
  function refit() { fitted.clear(); show(at, true); }

  // The presenter's view is a second window, or where none may open, this one.
  function second() {
    if (desk) { if (!other) { present(false); } return; }
    other = window.open(location.href.split("#")[0] + "#desk", "desk", "width=1100,height=700");
    if (!other) { present(true); }
  }
  addEventListener("message", function (e) {
    if (e.source !== other || !e.data) { return; }
    if (e.data.hello) { other.postMessage({ slide: at }, "*"); }
    if (Number.isInteger(e.data.slide)) { show(e.data.slide, true); }
  });
  var keys = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1, Home: -1e9, End: 1e9
  };
  addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(e.target.tagName)) { return; }
    if (e.key in keys) { show(at + (e.key === " " && e.shiftKey ? -1 : keys[e.key])); }
    else if (e.key === "f") { if (document.fullscreenElement) { document.exitFullscreen(); } else { root.requestFullscreen(); } }
    else if (e.key === "s") { second(); }
    else if (e.key === "d") {
      var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    }
    else { return; }
    e.preventDefault();
  });
  addEventListener("resize", refit);
  addEventListener("hashchange", function () { var n = parseInt(location.hash.slice(1), 10); if (n && n - 1 !== at) { show(n - 1); } });
  at = Math.max(0, (parseInt(location.hash.slice(1), 10) || 1) - 1);
  present(desk);
  if (other) { other.postMessage({ hello: true }, "*"); }
  setInterval(tick, 1000);
  if (document.fonts) { document.fonts.ready.then(refit); }
})();
