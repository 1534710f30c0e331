package mathml

import "strings"

// A level is how a part of a formula is set: as in a displayed formula, as in an inline formula, or as in a script. TeX
// calls this the style.
type level int

const (
	display level = iota
	inline
	scripts
)

// TeX's spaces, in em.
const (
	thin   = "0.1667"
	medium = "0.2222"
	thick  = "0.2778"
)

// spaceBetween returns the space between an atom of class l and an atom of class r to its right, in em, or "" for no
// space (The TeXbook, chapter 18). In scripts, only atoms of the class op have space around them.
func spaceBetween(l, r class, at level) string {
	switch {
	case r == op && (l == ord || l == op || l == shut), l == op && r == ord:
		return thin
	case at == scripts:
		return ""
	case l == punct:
		return thin
	case l == bin && (r == ord || r == op || r == open), r == bin && (l == ord || l == shut):
		return medium
	case l == rel && (r == ord || r == op || r == open), r == rel && (l == ord || l == op || l == shut):
		return thick
	}
	return ""
}

// settle gives the class ord to each binary operator that lacks an operand on one side, such as the minus of −x.
func settle(atoms []atom) {
	prev, before := -1, class(-1)
	for i, a := range atoms {
		if a.class == space {
			continue
		}
		if a.class == bin && (prev < 0 || before == bin || before == op || before == rel || before == open || before == punct) {
			atoms[i].class = ord
		}
		if prev >= 0 && before == bin && (a.class == rel || a.class == shut || a.class == punct) {
			atoms[prev].class = ord
		}
		prev, before = i, atoms[i].class
	}
	if prev >= 0 && before == bin {
		atoms[prev].class = ord
	}
}

// pieces returns the MathML of the atoms, with the spaces between them. The MathML is split after each binary operator
// and relation, where TeX would break a line.
func pieces(atoms []atom, at level) []string {
	settle(atoms)
	var list []string
	var b strings.Builder
	last := class(-1)
	for _, a := range atoms {
		if a.class == space {
			b.WriteString(a.xml)
			continue
		}
		gap := ""
		if last >= 0 {
			gap = spaceBetween(last, a.class, at)
		}
		if gap != "" {
			b.WriteString(blank(gap))
		}
		if last == bin || last == rel {
			list = append(list, b.String())
			b.Reset()
		}
		b.WriteString(a.xml)
		last = a.class
	}
	return append(list, b.String())
}

func joined(atoms []atom, at level) string { return strings.Join(pieces(atoms, at), "") }

func blank(em string) string { return `<mspace width="` + em + `em"/>` }
