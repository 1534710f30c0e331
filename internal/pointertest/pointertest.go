// Package pointertest provides a script for tests. Added to a page, the script finds out which values a figure
// shows at the pointer.
package pointertest

// Script belongs at the end of a page. Its function pointed(svg, x, y, shift) returns the values that a panel shows at
// the point (x, y). Like a reader, it locates the point by the numbers printed at the axes, independently of the code
// under test. For bars, x may be their label; shift is then the offset from the label's middle, in widths of a bar if
// the groups have three bars. pointed.figure(title) returns the panel with the given title or, if the title is that of
// a figure, the first panel of this figure, as drawn at the current width.
const Script = `<script>
function pointed(svg, x, y, shift) {
	function middle(t) { var r = t.getBoundingClientRect(); return {s: t.textContent.trim(), v: Number(t.textContent.replace("−", "-")), x: (r.left + r.right) / 2, y: (r.top + r.bottom) / 2}; }
	var all = Array.from(svg.querySelectorAll("text")).filter(function (t) { return t.textContent.trim(); }).map(middle), numbers = all.filter(function (t) { return !isNaN(t.v); });
	// The two ends of an axis determine where each of its values is.
	function at(row, key, v) {
		row = row.slice().sort(function (a, b) { return a.v - b.v; });
		var a = row[0], b = row[row.length - 1];
		return a[key] + (v - a.v) / (b.v - a.v) * (b[key] - a[key]);
	}
	var lowest = Math.max.apply(null, numbers.map(function (t) { return t.y; })), px, py;
	if (typeof x === "string") {
		var labels = numbers.filter(function (t) { return Math.abs(t.y - lowest) < 2; });
		px = labels.find(function (t) { return t.s === x; }).x + shift * Math.abs(labels[1].x - labels[0].x) / 4;
	} else {
		px = at(numbers.filter(function (t) { return Math.abs(t.y - lowest) < 2; }), "x", x);
	}
	var left = Math.min.apply(null, numbers.map(function (t) { return t.x; }));
	py = at(numbers.filter(function (t) { return Math.abs(t.x - left) < 14 && t.y < lowest - 4; }), "y", y);
	svg.dispatchEvent(new PointerEvent("pointermove", {clientX: px, clientY: py, bubbles: true}));
	var said = svg.parentNode.querySelector(".value");
	return said ? said.textContent : "nothing";
}
pointed.figure = function (title) {
	var place = Array.from(document.querySelectorAll(".drawing .name, .drawing + figcaption b")).find(function (e) { return e.textContent.trim() === title; });
	place = place.closest(".panel") || place.closest("figure");
	var all = Array.from(place.querySelectorAll("svg[data-values]"));
	return all.find(function (e) { return getComputedStyle(e).display !== "none"; }) || all[0];
};
</script>`
