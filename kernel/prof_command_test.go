package kernel

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// shown is an Output that keeps the displayed data.
type shown struct {
	transcript
	data []display.Data
}

func (s *shown) Display(d display.Data, update bool) {
	s.data = append(s.data, d)
	s.transcript.Display(d, update)
}

const threeToOne = `
sink := 0
type box struct{ n map[int]int }
func (b *box) put(n int) { for i := 0; i < n; i++ { b.n[i%10]++ } }
type pile struct{ *box }
func (p pile) put(n int) { for i := 0; i < n; i++ { p.n[i%10]++ } }
func long(b *box) { pile{b}.put(30000) }
func short(b *box) { b.put(10000) }
`

// TestProfCommand: two callers share the processor time 3 to 1, as they share the work, both in the table and
// in the file for go tool pprof. The page contains the picture as XML, without external addresses.
func TestProfCommand(t *testing.T) {
	patience.SkipShort(t, "it measures for seconds")
	if patience.RaceDetector {
		t.Skip("the race detector's work is most of the time")
	}
	k := open(t)
	if got := executed(k, "In[1]", threeToOne, context.Background()); got != "" {
		t.Fatal(got)
	}
	patience.Try(t, func() string { return profile3to1(t, k) })
}

// profile3to1 returns a message if the samples are not divided between the two callers as the work is. On a
// busy machine there may be too few samples.
func profile3to1(t *testing.T, k *Kernel) string {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	out := &shown{}
	src := "%%prof -o '" + file + "'\nb := &box{map[int]int{}}\nfor k := 0; k < 400; k++ {\n\tlong(b)\n\tshort(b)\n}\nlen(b.n)"
	if err := k.Execute(context.Background(), engine.Cell{Name: "In[2]", Source: src}, out); err != nil {
		t.Fatal(err)
	}
	if len(out.data) == 0 {
		t.Fatalf("nothing is shown: %s", out)
	}
	if !strings.Contains(out.String(), "] 10\n") {
		t.Errorf("the cell's value is not shown: %s", out)
	}
	text := out.data[0].Data[display.MIMETypeText].(string)
	if testing.Verbose() {
		t.Log(text)
	}
	for _, want := range []string{"Processor time: ", "(*box).put In[1]:4", " pile.put In[1]:6"} {
		if !strings.Contains(text, want) {
			return fmt.Sprintf("the table has no %q:\n%s", want, text)
		}
	}
	page := out.data[0].Data[display.MIMETypeHTML].(string)
	m := regexp.MustCompile(`src="data:image/svg\+xml;base64,([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no picture")
	}
	svg, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		t.Fatal(err)
	}
	// The cell's lines only make calls. On a busy machine the last rows of the table are the runtime's work,
	// with one sample each.
	for _, want := range []string{"In[2]:4  long(b)", "In[2]:5  short(b)"} {
		if !strings.Contains(string(svg), want) {
			return fmt.Sprintf("the picture has no %q:\n%s", want, svg)
		}
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	if rest := strings.ReplaceAll(page+string(svg), "http://www.w3.org/2000/svg", ""); strings.Contains(rest, "://") || strings.Contains(string(svg), "<script") {
		t.Error("the page loads something")
	}

	data := testfile.Read(t, file)
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]float64{}
	for _, s := range p.Sample {
		for _, l := range s.Location {
			at[fmt.Sprintf("%s:%d", l.Line[0].Function.Filename, l.Line[0].Line)] += float64(s.Value[1])
		}
	}
	if part := at["In[2]:4"] / (at["In[2]:4"] + at["In[2]:5"]); part < 0.62 || part > 0.86 {
		return fmt.Sprintf("long has %.2f of both, not 0.75", part)
	}
	return ""
}

// TestProfCommandStops: a cell that is interrupted or fails shows its profile and its error. The next cell is
// not profiled.
func TestProfCommandStops(t *testing.T) {
	patience.SkipShort(t, "it measures for seconds")
	k := open(t)
	for src, want := range map[string]string{"%%prof\nfor {}": "ERR Interrupted", "%%prof\nx := []int{}\nfor i := range 5000000 { if i == 4999999 { println(x[i]) } }": "ERR Panic"} {
		limit := 300 * time.Millisecond
		if want == "ERR Panic" {
			limit = time.Minute
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		got := executed(k, "In[1]", src, ctx)
		cancel()
		// On a busy machine the cell may run too briefly for a sample.
		if !strings.Contains(got, want) || !strings.Contains(got, "Processor time") && !strings.Contains(got, "no samples") {
			t.Errorf("%s\n%s", src, got)
		}
	}
	for src, want := range map[string]string{
		"%%prof": "nothing to profile", "%%prof wall\nx := 1": "the arguments are cpu or heap", "%%prof -rate 0\nx := 1": "must be an integer, 1 or larger", "%%prof -rate 5000\nx := 1": "at most 1000",
		"%%prof -o\nx := 1": "needs a value", "%%prof cpu heap\nx := 1": "one profile at a time", "%%prof heap -rate 1\nx := 1": "from 512", "%%prof\ny := undefined": "undefined",
		"%%prof\n1 + 1": "no samples: the cell took 0 ms", "%%prof heap\ny := 1": "no samples: the cell allocated less", "%%prof -o none/cpu.pprof\nx := 1": "the folder none does not exist",
	} {
		got := executed(k, "In[2]", src, context.Background())
		// If there is nothing else to sample, the garbage collector may be sampled.
		for again := 0; again < 5 && strings.Contains(got, "garbage collector"); again++ {
			got = executed(k, "In[2]", src, context.Background())
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n%s", src, got)
		}
	}
}
