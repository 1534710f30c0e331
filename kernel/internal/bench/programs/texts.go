package programs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

//program:concat

// Concat makes n strings of 100 letters, letter by letter, and adds up their lengths and last letters. With much
// longer strings the comparison with CPython would be unfair: Go copies the whole string at each step, CPython does
// not. It builds strings with +=.
func Concat(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		s := ""
		for j := 0; j < 100; j++ {
			s += "abcdefgh"[(i+j)%8 : (i+j)%8+1]
		}
		total += int(s[len(s)-1]) + len(s)
	}
	return total
}

//program:builder

// Builder writes n numbers, each followed by a comma, and returns the length of the text plus the number of commas.
// It makes a string with strings.Builder.
func Builder(n int) int {
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(',')
	}
	s := b.String()
	return len(s) + strings.Count(s, ",")
}

//program:levbytes

// LevBytesDistance returns the Levenshtein distance between s and t, counted in bytes.
func LevBytesDistance(s, t string) int {
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(s); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(t); j++ {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(t)]
}

// Text returns n pseudorandom letters, which depend on seed.
func LevBytesText(n, seed int) string {
	letters := make([]byte, n)
	for i := range letters {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		letters[i] = "abcdefgh"[seed>>16&7]
	}
	return string(letters)
}

// LevBytes returns the distance between two texts of n letters. It computes the edit distance of two strings, byte by
// byte.
func LevBytes(n int) int { return LevBytesDistance(LevBytesText(n, 1), LevBytesText(n, 2)) }

//program:levrunes

// LevRunesDistance returns the Levenshtein distance between s and t, counted in runes.
func LevRunesDistance(s, t string) int {
	other := []rune(t)
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	i := 0
	for _, a := range s {
		diagonal := row[0]
		i++
		row[0] = i
		for j, b := range other {
			cost := 1
			if a == b {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(other)]
}

// Text returns n pseudorandom letters, which depend on seed.
func LevRunesText(n, seed int) string {
	alphabet := []rune("αβγδεζηθ")
	letters := make([]rune, n)
	for i := range letters {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		letters[i] = alphabet[seed>>16&7]
	}
	return string(letters)
}

// LevRunes returns the distance between two texts of n letters. It computes the edit distance of two strings, rune by
// rune.
func LevRunes(n int) int { return LevRunesDistance(LevRunesText(n, 1), LevRunesText(n, 2)) }

//program:tokens

type word struct{ count, first int }

// Tokens counts how often each word occurs in a text of n words, and notes where it occurs first. It returns a
// checksum of the counts and the first places. It splits a text into words, character by character, and counts the
// words in a map of structs.
func Tokens(n int) int {
	vocabulary := []string{"the", "loss", "of", "Gradient", "descent", "falls", "x1", "naïve", "kernel", "a"}
	var b strings.Builder
	seed := 1
	for range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b.WriteString(vocabulary[(seed>>16)%10])
		b.WriteString(vocabulary[(seed>>8)%10])
		b.WriteString(", ")
	}
	text := b.String()

	words := map[string]word{}
	place, begin := 0, -1
	for i, r := range text {
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		if inWord && begin < 0 {
			begin = i
		}
		if !inWord && begin >= 0 {
			key := strings.ToLower(text[begin:i])
			w, found := words[key]
			if !found {
				w.first = place
			}
			w.count++
			words[key] = w
			place++
			begin = -1
		}
	}
	sum := len(words)
	for _, w := range words {
		sum += w.count * (w.first + 1)
	}
	return sum
}

//program:jsons

type sample struct {
	Name   string    `json:"name"`
	ID     int       `json:"id"`
	Valid  bool      `json:"valid"`
	Values []float64 `json:"values"`
}

// JSONs encodes n structs as JSON and decodes them. It returns the length of the text plus a checksum of what was
// decoded.
func JSONs(n int) float64 {
	samples := make([]sample, n)
	for i := range samples {
		x := float64(i%1000) + 0.5
		samples[i] = sample{fmt.Sprintf("sample %d", i), i, i%3 == 0, []float64{x, 0.25 * x, -x}}
	}
	text, err := json.Marshal(samples)
	if err != nil {
		panic(err)
	}
	var decoded []sample
	if err := json.Unmarshal(text, &decoded); err != nil {
		panic(err)
	}
	sum := float64(len(text))
	for _, s := range decoded {
		if s.Valid {
			sum += float64(s.ID%10) * s.Values[1]
		}
		sum += float64(len(s.Name))
	}
	return sum
}

//program:logs

// Logs writes a log of n requests, parses it, and returns a checksum of the failed requests. It writes the log
// with fmt.Fprintf and parses it with a regular expression.
func Logs(n int) int {
	var log strings.Builder
	seed := 1
	for i := range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		r := seed >> 8
		fmt.Fprintf(&log, "2026-11-%02d %02d:%02d host%d GET /page/%d %d %dms\n",
			i%28+1, r%24, r%60, r%7, r%1000, 200+r%4*100, r%503)
	}
	request := regexp.MustCompile(`^(\S+) (\d\d):(\d\d) \w+ GET /page/(\d+) (\d+) (\d+)ms$`)
	sum := 0
	for _, line := range strings.Split(log.String(), "\n") {
		m := request.FindStringSubmatch(line)
		if m == nil || m[5] < "400" {
			continue
		}
		page, _ := strconv.Atoi(m[4])
		ms, _ := strconv.Atoi(m[6])
		sum += page%10*ms + len(m[1])
	}
	return sum
}

//program:writers

type writersCounter struct{ bytes, calls int }

func (c *writersCounter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	c.calls++
	return len(p), nil
}

// Writers writes n short texts through a small buffer, and returns the number of bytes that arrive plus the number of
// calls to Write. It prints through a bufio.Writer to a value of a type that the package declares. The bufio.Writer
// calls this type's method Write.
func Writers(n int) int {
	c := &writersCounter{}
	w := bufio.NewWriterSize(c, 16)
	for range n {
		w.WriteString("a text of 16 ch.")
	}
	w.Flush()
	return c.bytes + c.calls
}

//program:stringers

type level int

func (l level) String() string {
	if l%2 == 0 {
		return "low"
	}
	return "high"
}

// Stringers prints n values to strings and returns the total length of the strings. It prints values whose type has a
// method String, which package fmt calls.
func Stringers(n int) int {
	sum := 0
	for i := range n {
		sum += len(fmt.Sprint(level(i)))
	}
	return sum
}
