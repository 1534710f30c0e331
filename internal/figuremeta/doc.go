// Package figuremeta defines the metadata by which a figure describes itself inside its SVG: a JSON
// document in the element metadata. Package figure writes it; pages, reports and checks read it and
// need not parse the picture.
//
// figuremeta.go has the types, write.go puts them into an SVG, read.go reads them back.
//
// # Traps
//
// An SVG may come from anybody. Read checks what it returns: the numbers are finite, ranges ascend,
// lists are bounded; Data unpacks no more than a bounded number of bytes. Shapes are indices of
// elements: callers must check them against the number of elements.
package figuremeta
