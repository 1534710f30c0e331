// Package mathml writes TeX formulas as MathML, which browsers draw by
// themselves, without scripts, fonts or a network.
//
// It supports the part of TeX's math mode that notebooks on mathematics use:
// Greek, operators, relations and arrows, scripts, fractions and roots, accents
// and braces, delimiters of all sizes, alphabets, text, matrices, cases and
// aligned equations, tags. A command that it does not know results in an
// *UnknownError, and other faults in a *SyntaxError, so that the caller can
// show the source instead; nothing is left out silently. No input makes Convert
// panic.
//
// # Reading order
//
// scan.go cuts the source into tokens, parse.go turns them into atoms with
// TeX's classes (ordinary, operator, binary, relation, opening, closing,
// punctuation), spacing.go inserts the space between atoms that TeX's rules
// demand, and symbols.go is the table of commands.
//
// # Traps
//
// The result is for MathML Core, the part that all browsers draw. Alphabets are
// characters of Unicode, since mathvariant is not in Core. Every operator states
// its own space and whether it stretches, since a browser's defaults depend on
// where it stands and make each parenthesis as tall as the line. What an accent
// needs besides is in its style attribute (see parse.go), so that formulas need
// no style sheet. Wide accents need a font whose MATH table has wider forms of
// them, such as the font that package export puts into its pages.
package mathml
