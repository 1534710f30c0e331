// Package picture tells whether a figure, drawn again, is the same picture: it keeps
// of each a small signature, which is compared in place of the files, because the
// bytes of two drawings differ as soon as a processor rounds otherwise.
//
//	now, err := picture.Sign(svg, png)
//	same, why := picture.Compare(recorded, now)
//
// A [Signature] has the structure of the SVG (how many elements of each kind, how many
// shapes in each style, the texts) and what is seen in the PNG (its size, a thumbnail of
// 48 × 32 grey cells, which tells where pictures differ, and a sketch of all pixels,
// which tells how much). [Compare] documents the tolerances.
//
// Pictures of measured times differ with each run, as do their captions; it is for the
// caller to leave them out.
package picture
