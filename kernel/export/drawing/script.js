// The values of a figure at the pointer: the nearest point of its data, a ring around it and its numbers.
(function () {
  function number(v) {
    return String(Number(v.toPrecision(6))).replace("-", "−");
  }
  function begin(svg) {
    var data, panel = svg.parentNode, ring, said;
    try { data = JSON.parse(svg.dataset.values); } catch (e) { return; }
    function leave() {
      if (ring) { ring.remove(); said.remove(); ring = said = null; }
    }
    function move(e) {
      // The browser's own matrix: on a slide the picture stands in the middle of a place of another shape.
      var m = svg.getScreenCTM(), k = m && m.a;
      if (!k) { return; }
      var x = (e.clientX - m.e) / k, y = (e.clientY - m.f) / k, best = null, far = 20 / k;
      data.s.forEach(function (s) {
        for (var i = 0; i < s.p.length; i += 2) {
          var d = Math.hypot(s.p[i] / 10 - x, s.p[i + 1] / 10 - y);
          if (d < far) { far = d; best = { s: s, i: i }; }
        }
      });
      if (!best) { leave(); return; }
      if (!ring) {
        ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        ring.setAttribute("class", "at");
        ring.setAttribute("r", 4);
        svg.append(ring);
        said = document.createElement("div");
        said.className = "value";
        said.setAttribute("aria-hidden", "true");
        panel.append(said);
      }
      var px = best.s.p[best.i] / 10, py = best.s.p[best.i + 1] / 10;
      ring.setAttribute("cx", px);
      ring.setAttribute("cy", py);
      var name = best.s.n ? best.s.n + ": " : "";
      if (best.s.t) {
        said.textContent = (name + best.s.t[best.i / 2]);
      } else {
        said.textContent = name + (data.x ? data.x + " " : "") + number(best.s.v[best.i]) + ", " + (data.y ? data.y + " " : "") + number(best.s.v[best.i + 1]);
      }
      var frame = panel.getBoundingClientRect(), left = px * k + m.e - frame.left, top = py * k + m.f - frame.top;
      said.style.left = Math.max(0, Math.min(left + 10, panel.clientWidth - said.offsetWidth)) + "px";
      said.style.top = (top - said.offsetHeight - 8 < 0 ? top + 10 : top - said.offsetHeight - 8) + "px";
    }
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", leave);
  }
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("svg[data-values]").forEach(begin);
  });
})();
