package reviews

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"overcomplete/data"
	"overcomplete/internal/panics"
)

func pack(files map[string]string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))})
		io.WriteString(w, files[name])
	}
	w.Close()
	return b.Bytes()
}

// small returns two reviews of each author.
func small() map[string]string {
	m := map[string]string{"scaledata.README.1.0.txt": "hello"}
	for i, a := range authors {
		m[folder+a+"/id."+a] = fmt.Sprintf("%d\n%d\n", 10+i, 20+i)
		m[folder+a+"/subj."+a] = "a bad film .\nhow good !\n"
		m[folder+a+"/rating."+a] = "0.1\n0.75"
		m[folder+a+"/label.3class."+a] = "0\n2\n"
		m[folder+a+"/label.4class."+a] = "0\n2\n"
	}
	return m
}

func TestRead(t *testing.T) {
	r, err := Read(bytes.NewReader(pack(small())))
	if err != nil || r.Len() != 8 || !slices.Equal(r.Authors(), authors) {
		t.Fatal(r, err)
	}
	x := r.By("Scott+Renshaw")
	if x.Len() != 2 || x.Reviews[1].ID != "22" || x.Reviews[0].Author != "Scott+Renshaw" {
		t.Error(x)
	}
	if got := x.Reviews[0].Tokens(); !slices.Equal(got, []string{"a", "bad", "film", "."}) {
		t.Error(got)
	}
	if !slices.Equal(x.Ratings(), []float64{0.1, 0.75}) || !slices.Equal(x.Labels(3), []int{0, 2}) || !slices.Equal(x.Labels(4), []int{0, 2}) || x.Texts()[1] != "how good !" {
		t.Error(x.Ratings(), x.Labels(3), x.Labels(4), x.Texts())
	}
	if m, _ := panics.Value(func() { r.Labels(5) }).(string); !strings.HasPrefix(m, "reviews: ") {
		t.Error(m)
	}
}

// TestClasses checks the limits between classes. The limits for three classes are the same as in the set's
// README.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		v           float64
		three, four int
	}{{0, 0, 0}, {0.39, 0, 0}, {0.4, 0, 1}, {0.41, 1, 1}, {0.59, 1, 1}, {0.6, 1, 2}, {0.69, 1, 2}, {0.7, 2, 2}, {0.79, 2, 2}, {0.8, 2, 3}, {1, 2, 3}} {
		if a, b := threeClass(c.v), fourClass(c.v); a != c.three || b != c.four {
			t.Errorf("%v: %d %d, not %d %d", c.v, a, b, c.three, c.four)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	const a = "Steve+Rhodes"
	for name, c := range map[string]struct{ kind, text, want string }{
		"empty":         {"subj", "", "empty"},
		"fewer lines":   {"subj", "one\n", "1 lines"},
		"more lines":    {"rating", "0.1\n0.75\n0.1\n", "3 lines"},
		"not UTF-8":     {"subj", "\xff\n\xfe\n", "UTF-8"},
		"no text":       {"subj", "one\n  \n", "line 2: there is no text"},
		"no id":         {"id", "one\n2\n", `"one"`},
		"rating 2":      {"rating", "0.1\n2\n", "line 2: the rating"},
		"rating NaN":    {"rating", "NaN\n0.75\n", "line 1: the rating"},
		"rating Inf":    {"rating", "0.1\nInf\n", "the rating"},
		"wrong label":   {"label.3class", "0\n1\n", "line 2: the rating 0.75 belongs to classes 2 and 2"},
		"wrong label 4": {"label.4class", "0\n3\n", "the labels say"},
		"label x":       {"label.4class", "0\nx\n", "the labels say"},
	} {
		m := small()
		m[folder+a+"/"+c.kind+"."+a] = c.text
		if _, err := Read(bytes.NewReader(pack(m))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name := range small() {
		m := small()
		delete(m, name)
		if _, err := Read(bytes.NewReader(pack(m))); (err == nil) != strings.Contains(name, "README") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	m := small()
	m[a+"/id."+a] = "1\n2\n"
	if _, err := Read(bytes.NewReader(pack(m))); err == nil || !strings.Contains(err.Error(), "two folders") {
		t.Error(err)
	}
	if _, err := Read(strings.NewReader("")); err == nil {
		t.Error("nothing: no error")
	}
}

func TestRealSet(t *testing.T) {
	r, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]int{"Dennis+Schwartz": 1027, "James+Berardinelli": 1307, "Scott+Renshaw": 902, "Steve+Rhodes": 1770} {
		if got := r.By(a).Len(); got != want {
			t.Errorf("%s: %d reviews, not %d", a, got, want)
		}
	}
	count := func(y []int, n int) []int {
		c := make([]int, n)
		for _, v := range y {
			c[v]++
		}
		return c
	}
	if three, four := count(r.Labels(3), 3), count(r.Labels(4), 4); !slices.Equal(three, []int{1197, 1915, 1894}) || !slices.Equal(four, []int{615, 1553, 1998, 840}) {
		t.Error(three, four)
	}
	// This example is in the set's README.
	if x := r.By("Steve+Rhodes").Reviews[0]; x.Three != 0 || x.Four != 0 || x.ID != "11790" || x.Rating != 0.1 {
		t.Error(x.Three, x.Four, x.ID, x.Rating)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pack(small()))
	f.Add(pack(map[string]string{"a": "b"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, x := range r.Reviews {
			if !(x.Rating >= 0 && x.Rating <= 1) || x.Three < 0 || x.Three > 2 || x.Four < 0 || x.Four > 3 || len(x.Tokens()) == 0 {
				t.Fatal(x)
			}
		}
	})
}

func Example() {
	r, err := Load()
	if err != nil {
		fmt.Println("no reviews here:", err)
		return
	}
	for _, a := range r.Authors() {
		fmt.Println(a, r.By(a).Len())
	}
}
