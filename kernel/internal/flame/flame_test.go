package flame

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
)

var update = flag.Bool("update", false, "rewrite testdata")

// sample returns a profile of stacks with their values, outermost frame first: "In[1]:3 f@In[1]:5
// gonum/mat.Mul".
func sample(kind engine.ProfileKind, stacks map[string]int64) *engine.Profile {
	p := &profile.Profile{}
	for stack, v := range stacks {
		s := &profile.Sample{Value: []int64{v / 4e6, v}}
		for frame := range strings.FieldsSeq(stack) {
			name, at, isCell := strings.Cut(frame, "@")
			file, line := "x.go", 1
			if isCell {
				i := strings.LastIndexByte(at, ':')
				file = at[:i]
				fmt.Sscan(at[i+1:], &line)
			}
			name = strings.ReplaceAll(name, "_", " ")
			s.Location = append([]*profile.Location{{Line: []profile.Line{{Line: int64(line), Function: &profile.Function{Name: name, Filename: file}}}}}, s.Location...)
		}
		p.Sample = append(p.Sample, s)
	}
	text := []string{"", "x := load()", "for k := range 10 {", "\tfit(x) // <&> \"quoted\"", "}", "func fit(x []float64) {", "\tc.Mul(a, b)"}
	return &engine.Profile{Kind: kind, Rate: 250, Profile: p, Took: 1200 * time.Millisecond, Processor: 1013 * time.Millisecond, Outside: 3, Collector: 5, Line: func(file string, line int) (string, bool) {
		if file != "In[1]" || line >= len(text) {
			return "", file == "In[1]"
		}
		return text[line], true
	}}
}

var stacks = map[string]int64{
	"In[1]@In[1]:1": 100e6,
	"In[1]@In[1]:3 fit@In[1]:6 gonum.org/v1/gonum/mat.(*Dense).Mul gonum.org/v1/gonum/blas/gonum.dgemm": 600e6,
	"In[1]@In[1]:3 fit@In[1]:6 gonum.org/v1/gonum/mat.(*Dense).Mul":                                     200e6,
	"In[1]@In[1]:3 fit@In[1]:6": 40e6,
	"In[1]@In[1]:3 sort.Slice sort.quick sort.quick sort.heap sort.quick": 40e6,
	"garbage_collector": 20e6,
}

func TestTree(t *testing.T) {
	p := sample(engine.CPUProfile, stacks)
	root := Tree(p)
	if root.Total != 1000e6 {
		t.Errorf("%d in all", root.Total)
	}
	var b strings.Builder
	var write func(n *Node, indent string)
	write = func(n *Node, indent string) {
		sum := n.Self
		for _, c := range n.Children {
			sum += c.Total
		}
		if sum != n.Total {
			t.Errorf("%s: parts are %d of %d", n.Name, sum, n.Total)
		}
		fmt.Fprintf(&b, "%s%s %d/%d %s\n", indent, n.Name, n.Self/1e6, n.Total/1e6, n.Text)
		for _, c := range n.Children {
			write(c, indent+" ")
		}
	}
	write(root, "")
	want := `all 0/1000 
 In[1]:3 0/880 fit(x) // <&> "quoted"
  fit In[1]:6 40/840 c.Mul(a, b)
   mat.(*Dense).Mul 200/800 
    gonum.dgemm 600/600 
  sort.Slice 0/40 
   sort.quick 40/40 
 In[1]:1 100/100 x := load()
 garbage collector 20/20 
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	rows := Top(root, 3)
	if len(rows) != 3 || rows[0].Name != "gonum.dgemm" || rows[1].Name != "mat.(*Dense).Mul" || rows[1].Total != 800e6 || rows[2].Name != "In[1]:1" {
		t.Errorf("%v", rows)
	}
}

// TestGolden compares picture, caption and table with the files in testdata.
func TestGolden(t *testing.T) {
	for _, kind := range []engine.ProfileKind{engine.CPUProfile, engine.HeapProfile} {
		p := sample(kind, stacks)
		root := Tree(p)
		caption := Caption(p, root)
		for name, got := range map[string]string{
			string(kind) + ".svg": string(SVG(kind, root, caption)),
			string(kind) + ".txt": caption + "\n" + Table(kind, root, Top(root, 10)),
		} {
			file := filepath.Join("testdata", name)
			if *update {
				testfile.Write(t, file, got)
			}
			want := testfile.Read(t, file)
			if got != string(want) {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

// FuzzSVG: for any names and lines the picture is valid XML, and no name or line becomes markup in the page.
func FuzzSVG(f *testing.F) {
	f.Add("a<b>&", "x := \"</script><script>\"", int64(5))
	f.Add("\x00\xff\ufffe", "'\"", int64(-1))
	f.Fuzz(func(t *testing.T, name, text string, v int64) {
		root := &Node{Name: "all", Total: v, Children: []*Node{{Name: name, Text: text, Total: v, Self: v}}}
		svg := SVG(engine.CPUProfile, root, text)
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, svg)
			}
		}
		page := Page(svg, name, text)
		if n := strings.Count(page, "<script>"); n != 1 {
			t.Errorf("%d scripts", n)
		}
	})
}
