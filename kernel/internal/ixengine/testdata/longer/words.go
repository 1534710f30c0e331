package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Word counts with bufio, custom split functions, readers and writers that wrap others, csv, regexp.

const text = `It was the best of times, it was the worst of times,
it was the age of wisdom... it was the age of "foolishness";
Größe und Maß — 世界 don't stop, e-mail x2 x10.`

type count struct {
	word string
	n    int
}

func words(data []byte, atEOF bool) (advance int, token []byte, err error) {
	start := 0
	for start < len(data) {
		if r := rune(data[start]); r >= 0x80 || unicode.IsLetter(r) {
			break
		}
		start++
	}
	for i := start; i < len(data); i++ {
		if b := data[i]; b < 0x80 && !unicode.IsLetter(rune(b)) && b != '\'' && b != '-' && !unicode.IsDigit(rune(b)) {
			return i + 1, data[start:i], nil
		}
	}
	if atEOF && len(data) > start {
		return len(data), data[start:], nil
	}
	return start, nil, nil
}

type upper struct{ io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type counter struct {
	io.Writer
	n     int
	lines map[int]int
}

func (c *counter) Write(p []byte) (n int, err error) {
	c.n += len(p)
	c.lines[bytes.Count(p, []byte("\n"))]++
	return c.Writer.Write(p)
}

type slow struct {
	s string
	i int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.i >= len(s.s) {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 3)], s.s[s.i:])
	s.i += n
	return n, nil
}

func main() {
	freq := map[string]int{}
	sc := bufio.NewScanner(&slow{s: text})
	sc.Split(words)
	for sc.Scan() {
		freq[strings.ToLower(sc.Text())]++
	}
	var list []count
	for w, n := range freq {
		list = append(list, count{w, n})
	}
	slices.SortFunc(list, func(a, b count) int { return cmp.Or(b.n-a.n, strings.Compare(a.word, b.word)) })
	fmt.Println(len(list), list[:6], sc.Err())
	for i, c := range list {
		if i%7 == 0 {
			fmt.Printf("%-12s|%3d|%s\n", c.word, c.n, strings.Repeat("#", c.n))
		}
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		fmt.Print(n, ":", len(lines.Text()), "/", len([]rune(lines.Text())), " ")
	}
	fmt.Println()
	var out bytes.Buffer
	c := &counter{Writer: &out, lines: map[int]int{}}
	n, err := io.Copy(c, io.LimitReader(upper{strings.NewReader(text)}, 30))
	fmt.Println(n, err, c.n, c.lines, out.String())
	pr, pw := io.Pipe()
	go func() {
		w := bufio.NewWriterSize(pw, 16)
		for i := range 5 {
			fmt.Fprintf(w, "line %d;", i)
		}
		w.Flush()
		pw.CloseWithError(io.ErrClosedPipe)
	}()
	br := bufio.NewReader(pr)
	for {
		s, err := br.ReadString(';')
		if err != nil {
			fmt.Printf("%q %v\n", s, err)
			break
		}
		fmt.Print(s, " ")
	}
	r := csv.NewReader(strings.NewReader("name,qty\n\"pen, red\",3\n# no\nink,\"4\"\"\"\n"))
	r.Comment = '#'
	recs, err := r.ReadAll()
	fmt.Printf("%q %v\n", recs, err)
	_, err = csv.NewReader(strings.NewReader("a,b\nc")).ReadAll()
	fmt.Println(err)
	re := regexp.MustCompile(`(?P<letter>[a-z])(\d+)`)
	fmt.Println(re.FindAllStringSubmatch(text, -1), re.ReplaceAllString("x2 y3", "${letter}<$2>"), re.SubexpNames()[1])
	fmt.Println(re.ReplaceAllStringFunc("a1 b22", func(s string) string { return strings.ToUpper(s) + fmt.Sprint(len(s)) }))
	fmt.Println(strings.FieldsFunc("a1b22c", unicode.IsDigit), strings.Map(func(r rune) rune {
		switch {
		case r == 'b':
			return -1
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		}
		return r + 1
	}, "abcXYZ世"), strings.Title("hello wörld"), strings.EqualFold("GRÖSSE", "grösse"))
	tee := io.TeeReader(strings.NewReader("tee"), hex.NewEncoder(&out))
	b, _ := io.ReadAll(io.MultiReader(tee, strings.NewReader("+more")))
	fmt.Println(string(b), out.String()[30:])
	for i, r := range "a\xffé\xf0\x9f世" {
		fmt.Print(i, ":", string(r), r, " ")
	}
	fmt.Println([]byte("é"), []rune("é世"), string([]rune{72, 0x4e16, -1}))
	var sb strings.Builder
	for i := range 3 {
		fmt.Fprintf(&sb, "%[2]*[1]d|%[1]x|%[1]b|%+[1]d|%#[1]o;", i*7, i+3)
	}
	fmt.Println(sb.String(), sb.Len())
	var a int
	var s1, s2 string
	k, err := fmt.Sscanf("12 ab:cd", "%d %2s:%s", &a, &s1, &s2)
	fmt.Println(k, err, a, s1, s2)
}
