// Package mathml converts TeX formulas to MathML, which browsers draw without scripts or a network.
//
// It supports the part of TeX's math mode that notebooks on mathematics use: Greek letters, operators, relations,
// arrows, sub- and superscripts, fractions, roots, accents, braces, delimiters of all sizes, alphabets such as
// \mathbb, text, matrices, cases, aligned equations and tags. An unknown command results in an *UnknownError, and any
// other error in a *SyntaxError, so that the caller can show the source instead. No input makes Convert panic.
//
// # Reading order
//
// scan.go splits the source into tokens, parse.go turns them into atoms with TeX's classes (ordinary, operator,
// binary, relation, opening, closing, punctuation), command.go reads the commands that have arguments, spacing.go
// inserts the space between atoms by TeX's rules, and symbols.go has the tables of commands.
//
// # Traps
//
// The result is for MathML Core, the part of MathML that all browsers draw. Letters of other alphabets are written as
// Unicode characters, because Core has no mathvariant for them. Every operator has explicit attributes for its space
// and for stretching, because a browser's defaults depend on the operator's position and make each parenthesis as tall
// as the line. Properties that no other attribute can set, such as the gap below an accent, are in style attributes
// (see parse.go), so that formulas need no style sheet. Wide accents need a font with wider forms in its MATH table,
// such as the font that package export embeds.
package mathml
