// Package figuremeta has the form in which a figure says, inside its SVG, what it shows: a JSON document in the element
// metadata. Package figure writes it; pages, reports and checks read it and need not take the picture apart.
//
// figuremeta.go has the form, write.go puts it into an SVG, read.go takes it out again.
//
// # Traps
//
// An SVG may come from anybody. Read checks what it returns: the numbers are finite, ranges ascend, lists are
// bounded; Data unpacks no more than a bounded number of bytes. Shapes are numbers of elements, which whoever uses
// them compares with how many there are.
package figuremeta
