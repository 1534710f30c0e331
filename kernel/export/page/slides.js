(function () {
  var root = document.documentElement, slides = Array.from(document.querySelectorAll("section.slide")), notes = Array.from(document.querySelectorAll("aside.notes"));
  if (!slides.length) { return; }
  var desk = location.hash === "#desk", other = desk ? window.opener : null, at = 0, began = Date.now(), fitted = new Set();
  // A phone held upright has room for the letters of a slide, but not for its width: there slides are a page to scroll.
  var upright = matchMedia("(max-width: 600px) and (orientation: portrait)"), live = false, scrolling = 0;

  // Letters shrink until what a slide has fits.
  function fit(slide) {
    var body = slide.querySelector(".body"), k = slide.matches(".output, .listing") ? 1.4 : 1;
    function over() {
      return body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1 ||
        Array.from(body.querySelectorAll(".formula, .wide")).some(function (e) { return e.scrollWidth > e.clientWidth + 1; });
    }
    function set(to) { k = to; body.style.setProperty("--k", k.toFixed(2)); }
    set(1);
    // What is too long can be read and scrolled; on a small screen letters do not shrink below what can be read.
    var readable = 0.75, least = Math.min(readable, Math.max(0.5, 11 / parseFloat(getComputedStyle(body).fontSize)));
    set(k);
    while (over() && k > least + 0.001) { set(Math.max(least, k - 0.05)); }
    if (over()) { set(readable); }
  }
  function show(to, silent) {
    at = Math.max(0, Math.min(slides.length - 1, to));
    if (!live) { slides[at].scrollIntoView(); note(); return; }
    slides.forEach(function (s, i) {
      s.classList.toggle("now", i === at);
      s.classList.toggle("next", i === at + 1);
      notes[i].classList.toggle("now", i === at);
      if ((i === at || desk && i === at + 1) && !fitted.has(i)) { fitted.add(i); fit(s); }
    });
    edges.forEach(function (b, i) { b.disabled = at === (i ? slides.length - 1 : 0); });
    note();
    if (!silent && other && !other.closed) { other.postMessage({ slide: at }, "*"); }
    tick();
  }
  function note() { if (!desk) { history.replaceState(null, "", "#" + (at + 1)); } }
  function tick() {
    var t = Math.floor((Date.now() - began) / 1000), two = function (n) { return (n < 10 ? "0" : "") + n; };
    document.querySelector("#desk time").textContent = new Date().toTimeString().slice(0, 5);
    var until = parseFloat(slides[at].dataset.until);
    document.querySelector("#desk span").textContent = "· " + Math.floor(t / 60) + ":" + two(t % 60) + " · " + (at + 1) + " of " + slides.length +
      (until ? " · until " + Math.floor(until) + ":" + two(Math.round(until % 1 * 60)) : "");
  }
  function present(on) { desk = on; root.classList.toggle("desk", on); refit(); }
  function refit() {
    var before = live;
    live = desk || !upright.matches;
    root.classList.toggle("live", live);
    if (live) { fitted.clear(); show(at, true); return; }
    if (before) { slides.concat(notes).forEach(function (s) { s.classList.remove("now", "next"); }); }
    if (before || !scrolling) { scrolling = 1; show(at, true); }
  }

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
  // Fingers: a touch of an edge, or a swipe to the side, but for what itself moves to the side.
  var edges = ["back", "on"].map(function (name, i) {
    var b = document.createElement("button");
    b.className = "turn " + name;
    b.textContent = i ? "›" : "‹";
    b.setAttribute("aria-label", i ? "next slide" : "previous slide");
    b.addEventListener("click", function () { show(at + (i ? 1 : -1)); });
    document.body.append(b);
    return b;
  }), touch = null;
  function moves(e) {
    for (; e && e !== document.body; e = e.parentElement) {
      if (e.tagName === "INPUT" || e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)) { return true; }
    }
    return false;
  }
  addEventListener("touchstart", function (e) {
    touch = e.touches.length === 1 && !moves(e.target) ? e.touches[0] : null;
  }, { passive: true });
  addEventListener("touchend", function (e) {
    if (!touch || !live || e.touches.length || window.visualViewport && visualViewport.scale > 1.05) { touch = null; return; }
    var dx = e.changedTouches[0].clientX - touch.clientX, dy = e.changedTouches[0].clientY - touch.clientY;
    touch = null;
    if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) { show(at + (dx < 0 ? 1 : -1)); }
  }, { passive: true });
  // Which slide is read, on an upright phone: a phone that is turned goes on with it.
  addEventListener("scroll", function () {
    if (live || scrolling === 2) { return; }
    scrolling = 2;
    requestAnimationFrame(function () {
      scrolling = 1;
      if (live) { return; }
      slides.forEach(function (s, i) { if (s.getBoundingClientRect().top <= innerHeight / 3) { at = i; } });
      note();
    });
  }, { passive: true });
  addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(e.target.tagName)) { return; }
    if (e.key in keys) {
      if (!live) { return; } // it scrolls
      show(at + (e.key === " " && e.shiftKey ? -1 : keys[e.key]));
    }
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
