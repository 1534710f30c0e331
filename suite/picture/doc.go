// Package picture reports whether a redrawn figure shows the same picture. It computes a small signature of
// each figure and compares the signatures instead of the files, because the bytes of two drawings differ as
// soon as a processor rounds differently.
//
//	now, err := picture.Sign(svg, png)
//	same, why := picture.Compare(recorded, now)
//
// A [Signature] has two parts. The first is the figure's description of itself in the SVG's metadata: its texts,
// panels, axes and legends, the number of its shapes, and the length of its series. The second is the appearance of
// the PNG: its size, a thumbnail of 24 × 16 gray cells, which shows where pictures differ, and a sketch of all
// pixels, which shows by how much. [Compare] documents the tolerances.
//
// Pictures of measured times and their captions differ from run to run; the caller must leave them out.
package picture
