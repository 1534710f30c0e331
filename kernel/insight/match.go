package insight

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// The ways in which a name can match the typed text.
const (
	exactly = iota // the name begins with the typed text
	nearly         // the name begins with the typed text, ignoring case
	byHumps        // each typed part begins a hump: NewDense for nd or NeDe
	notAtAll
)

// rank returns the candidates that match the given prefix, best first. They are ordered by kind of match, then by the
// number of skipped humps (see humps), then by distance of the declaration, then by name.
func rank(list []candidate, prefix string) []candidate {
	type ranked struct {
		candidate
		how, skipped int
	}
	var out []ranked
	for _, c := range list {
		text := c.match
		if text == "" {
			text = c.text
		}
		how, skipped := match(text, prefix)
		if how == notAtAll {
			continue
		}
		if c.far == farUnbound && how == exactly {
			how = nearly // names that the notebook uses come first
		}
		out = append(out, ranked{c, how, skipped})
	}
	slices.SortFunc(out, func(a, b ranked) int {
		return cmp.Or(a.how-b.how, a.skipped-b.skipped, a.far-b.far, strings.Compare(a.text, b.text))
	})
	best := make([]candidate, len(out))
	for i, c := range out {
		best[i] = c.candidate
	}
	return best
}

// match returns how a name matches the typed prefix, as one of the constants exactly, nearly, byHumps and notAtAll. For
// byHumps it also returns the number of skipped humps (see humps).
func match(name, prefix string) (how, skipped int) {
	switch {
	case strings.HasPrefix(name, prefix):
		return exactly, 0
	case len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix):
		return nearly, 0
	case len(prefix) < 2 || len(prefix) > 20: // a single letter begins a hump of most names
		return notAtAll, 0
	}
	if n := humps([]rune(name), []rune(prefix)); n >= 0 {
		return byHumps, n
	}
	return notAtAll, 0
}

// humps matches a prefix against the humps of a name, which are the parts that start at an upper-case letter, a digit
// or a letter after an underscore. It returns how many humps must be skipped so that the prefix is a concatenation of
// beginnings of the other humps, or -1 if there is no match. The first hump may not be skipped.
func humps(name, prefix []rune) int {
	same := func(a, b rune) bool { return unicode.ToLower(a) == unicode.ToLower(b) }
	if len(name) == 0 || !same(name[0], prefix[0]) {
		return -1
	}
	var from func(i, j int) int // humps skipped after name[i] has matched prefix[j], or -1
	from = func(i, j int) int {
		if j++; j == len(prefix) {
			return 0
		}
		best := -1
		better := func(n int) {
			if n >= 0 && (best < 0 || n < best) {
				best = n
			}
		}
		if i+1 < len(name) && same(name[i+1], prefix[j]) {
			better(from(i+1, j))
		}
		skipped := 0
		for k := i + 1; k < len(name) && best != 0; k++ {
			if !begins(name, k) {
				continue
			}
			if same(name[k], prefix[j]) {
				if n := from(k, j); n >= 0 {
					better(n + skipped)
				}
			}
			skipped++
		}
		return best
	}
	return from(0, 0)
}

func begins(name []rune, k int) bool {
	a, b := name[k-1], name[k]
	return unicode.IsUpper(b) && (!unicode.IsUpper(a) || k+1 < len(name) && unicode.IsLower(name[k+1])) ||
		unicode.IsDigit(b) && !unicode.IsDigit(a) || a == '_' && b != '_'
}
