// Package figuremeta defines the metadata by which a figure describes itself inside its SVG: a JSON document in the
// SVG's <metadata> element. Package figure writes it. Pages, reports and checks read it, so they need not parse the
// drawing.
//
// figuremeta.go has the types, among them Name, by which a notebook's output says which saved figure it shows; write.go writes the metadata into an SVG, read.go reads the metadata back.
//
// # Traps
//
// An SVG may come from an untrusted source. Read checks the metadata that it returns: numbers are finite, ranges
// ascend, lists are bounded. Data unpacks only a bounded number of bytes. A Range holds indices of shapes: callers
// must check them against the number of shapes in the SVG.
package figuremeta
