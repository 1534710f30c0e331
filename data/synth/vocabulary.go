package synth

import "strings"

// themes holds the built-in topics of film reviews.
var themes = []struct {
	name  string
	words []string
}{
	{"acting", strings.Fields(`actor actress cast performance role lead star acting character
		portrayal chemistry talent supporting debut convincing wooden screen
		expression voice charisma nuance casting presence dialogue`)},
	{"plot", strings.Fields(`plot story script twist ending narrative pacing writer scene mystery
		subplot suspense climax predictable storyline opening hole
		villain hero revenge secret tension novel adaptation`)},
	{"music", strings.Fields(`music score song soundtrack melody orchestra theme composer piano
		rhythm chorus singing ballad musical violin band lyrics
		tune guitar concert harmony jazz drums opera`)},
	{"effects", strings.Fields(`effects explosion computer animation action stunt spaceship monster
		camera visual budget fight chase robot alien green
		pixel model battle costume makeup creature fire spectacle`)},
	{"humour", strings.Fields(`funny joke laugh comedy humour hilarious comic gag parody witty
		slapstick satire silly sarcasm punchline comedian absurd
		clown amusing irony prank awkward banter sketch`)},
}

// neutral lists words that belong to no theme.
var neutral = strings.Fields(`the a of and to in it is was film movie that this with but for you on
	one not have see time watch minutes really first some director people year made all
	think would like because before after never`)

// builtInCount returns the number of built-in words.
func builtInCount() int {
	n := len(neutral)
	for _, t := range themes {
		n += len(t.words)
	}
	return n
}

// reviews returns the built-in vocabulary, the names of the first K themes, and for each of them the parameters of a
// Dirichlet distribution over all words. The parameters are proportional to beta, and largest for the theme's own
// words.
func reviews(K int, beta float64) (words, names []string, parameters [][]float64) {
	theme := make([]int, 0, builtInCount()) // theme of each word, −1 for none
	for k, t := range themes {
		for _, w := range t.words {
			words, theme = append(words, w), append(theme, k)
		}
	}
	for _, w := range neutral {
		words, theme = append(words, w), append(theme, -1)
	}
	for k := range K {
		names = append(names, themes[k].name)
		p := make([]float64, len(words))
		for v, t := range theme {
			switch t {
			case k:
				p[v] = 10 * beta
			case -1:
				p[v] = 5 * beta
			default:
				p[v] = 0.1 * beta
			}
		}
		parameters = append(parameters, p)
	}
	return words, names, parameters
}

// madeUpWord returns the made-up word with number v, at most 342,999. It has two syllables, or three for numbers
// from 70² on. The syllables are the base-70 digits of 1009 v mod 70² (or 70³). Since 1009 and 70 are
// coprime, all words differ, and words with neighboring numbers do not look alike.
func madeUpWord(v int) string {
	const consonants, vowels = "bdfghklmnprstz", "aeiou"
	all := 70 * 70
	if v >= all {
		all *= 70
	}
	word := ""
	for rest := v * 1009 % all; all > 1; all /= 70 {
		s := rest % 70
		word = consonants[s/5:s/5+1] + vowels[s%5:s%5+1] + word
		rest /= 70
	}
	return word
}
