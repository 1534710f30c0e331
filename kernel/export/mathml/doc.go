// Package mathml writes TeX formulas as MathML, which browsers draw without scripts, fonts or a network.
//
// It supports the part of TeX's math mode that notebooks on mathematics use: Greek, operators, relations and
// arrows, scripts, fractions and roots, accents and braces, delimiters of all sizes, alphabets, text, matrices,
// cases and aligned equations, tags. An unknown command results in an *UnknownError, and any other error in a
// *SyntaxError, so that the caller can show the source instead; nothing is dropped silently. No input makes
// Convert panic.
//
// # Reading order
//
// scan.go splits the source into tokens, parse.go turns them into atoms with TeX's classes (ordinary, operator,
// binary, relation, opening, closing, punctuation), spacing.go inserts the space between atoms by TeX's rules,
// and symbols.go is the table of commands.
//
// # Traps
//
// The result is for MathML Core, the part that all browsers draw. Letters of other alphabets are written as
// Unicode characters, because Core has no mathvariant. Every operator has explicit attributes for its space and
// for stretching, because a browser's defaults depend on the operator's position and make each parenthesis as
// tall as the line. The other properties of accents are in a style attribute (see parse.go), so that formulas
// need no style sheet. Wide accents need a font with wider forms in its MATH table, such as the font that
// package export embeds.
package mathml
