(function (here) {
  // The image becomes the SVG itself, which has titles and can be clicked.
  var root = here && here.parentNode;
  if (!root || !root.querySelector) return;
  var img = root.querySelector("img");
  if (!img) return;
  var bytes = atob(img.src.split(",")[1]), text = "";
  for (var i = 0; i < bytes.length; i++) text += "%" + ("0" + bytes.charCodeAt(i).toString(16)).slice(-2);
  var svg = new DOMParser().parseFromString(decodeURIComponent(text), "image/svg+xml").documentElement;
  if (svg.nodeName !== "svg") return;
  svg = document.importNode(svg, true);
  svg.style.maxWidth = "100%";
  svg.style.height = "auto";
  img.parentNode.replaceChild(svg, img);
  var width = svg.viewBox.baseVal.width - 8, boxes = svg.querySelectorAll("g.box");
  function show(from, part) { // what is between from and from + part fills the width
    for (var i = 0; i < boxes.length; i++) {
      var g = boxes[i], x = (+g.dataset.x - from) / part, w = +g.dataset.w / part;
      var left = Math.max(0, x), right = Math.min(1, x + w);
      if (right - left < 0.0004) { g.style.display = "none"; continue; }
      g.style.display = "";
      var r = g.querySelector("rect"), t = g.querySelector("text"), px = (right - left) * width;
      r.setAttribute("x", 4 + left * width);
      r.setAttribute("width", px);
      r.setAttribute("opacity", x < -1e-9 || x + w > 1 + 1e-9 ? 0.6 : 1);
      t.setAttribute("x", 7 + left * width);
      var label = Array.from(g.dataset.l), room = Math.floor((px - 6) / 7.3);
      t.textContent = label.length <= room ? label.join("") : room < 3 ? "" : label.slice(0, room - 1).join("") + "…";
    }
  }
  svg.addEventListener("click", function (e) {
    var g = e.target.closest ? e.target.closest("g.box") : null;
    if (g) show(+g.dataset.x, +g.dataset.w); else show(0, 1);
  });
  svg.style.cursor = "pointer";
})(document.currentScript);
