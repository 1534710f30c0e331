package main

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/csv"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"log/slog"
	"math"
	"math/big"
	"math/bits"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing/quick"
	"text/tabwriter"
	"text/template"
	"time"
	"unicode"
)

type byAge []person

func (b byAge) Len() int           { return len(b) }
func (b byAge) Less(i, j int) bool { return b[i].Age < b[j].Age }
func (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type person struct {
	Name string `json:"name" xml:"name,attr"`
	Age  int    `json:"age,omitempty"`
}

func (p person) Greet(s string) string { return s + " " + p.Name }

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type temp float64

func (t temp) String() string               { return fmt.Sprintf("%.1f degrees", float64(t)) }
func (t temp) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }
func (t *temp) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(strings.Fields(strings.Trim(string(b), `"`))[0], 64)
	*t = temp(x)
	return err
}

type notFound struct{ what string }

func (e notFound) Error() string        { return e.what + " not found" }
func (e notFound) Is(target error) bool { return target == os.ErrNotExist }

type hello struct{ greeting string }

func (h *hello) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusTeapot)
	fmt.Fprintf(w, "%s %s", h.greeting, r.URL.Query().Get("who"))
}

type upper struct{ r io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type checker struct{}

func (checker) ColorModel() color.Model { return color.GrayModel }
func (checker) Bounds() image.Rectangle { return image.Rect(0, 0, 2, 2) }
func (checker) At(x, y int) color.Color { return color.Gray{uint8(255 * ((x + y) % 2))} }

func Result() string {
	var out []string
	say := func(a ...any) { out = append(out, fmt.Sprint(a...)) }

	ps := []person{{"ann", 30}, {"bob", 20}}
	sort.Sort(byAge(ps))
	say(ps)
	h := &intHeap{5, 2, 8}
	heap.Init(h)
	heap.Push(h, 1)
	say(heap.Pop(h), heap.Pop(h))
	b, err := json.Marshal(map[string]any{"t": temp(21), "p": ps[0]})
	say(string(b), err)
	var back struct{ T temp }
	say(json.Unmarshal(b, &back), back.T)
	var pp person
	say(json.Unmarshal([]byte(`{"name":"eve","age":3}`), &pp), pp)
	xb, _ := xml.Marshal(pp)
	say(string(xb))
	tm := template.Must(template.New("t").Funcs(template.FuncMap{"twice": func(i int) int { return 2 * i }}).
		Parse(`{{range .}}{{.Greet "hi"}} {{twice .Age}};{{end}}`))
	var buf bytes.Buffer
	say(tm.Execute(&buf, ps), buf.String())
	e := fmt.Errorf("reading: %w", notFound{"x"})
	var nf notFound
	say(e, errors.Is(e, os.ErrNotExist), errors.As(e, &nf), nf.what)

	srv := httptest.NewServer(&hello{"good day"})
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/?who=you")
	if err != nil {
		return err.Error()
	}
	body, _ := io.ReadAll(upper{resp.Body})
	resp.Body.Close()
	say(resp.StatusCode, string(body))
	rec := httptest.NewRecorder()
	http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Method) }).
		ServeHTTP(rec, httptest.NewRequest("PUT", "/", nil))
	say(rec.Body)

	say(math.Pi, math.MaxUint64/uint64(2), math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1))
	say(new(big.Int).Exp(big.NewInt(2), big.NewInt(100), nil), bits.OnesCount(255))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	say(ctx.Err(), errors.Is(ctx.Err(), context.DeadlineExceeded), 1500*time.Millisecond, time.March)
	say(regexp.MustCompile(`(\w)(\d)`).ReplaceAllString("a1 b2", "$2$1"), unicode.IsUpper('A'))
	rows, err := csv.NewReader(strings.NewReader("a,b\n1,\"x,y\"\n")).ReadAll()
	say(rows, err)
	say(quick.Check(func(a, b int16) bool { return a+b == b+a }, nil))
	var tb strings.Builder
	tw := tabwriter.NewWriter(&tb, 0, 8, 1, '.', 0)
	fmt.Fprint(tw, "a\tb\nlong\tc\n")
	tw.Flush()
	say(strings.ReplaceAll(tb.String(), "\n", "/"))
	var net bytes.Buffer
	gob.NewEncoder(&net).Encode(ps)
	var ps2 []person
	say(gob.NewDecoder(&net).Decode(&ps2), ps2)
	var lb strings.Builder
	slog.New(slog.NewTextHandler(&lb, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})).Info("done", "n", 3, "t", temp(1))
	say(strings.TrimSpace(lb.String()))
	var im image.Image = checker{}
	g := image.NewGray(im.Bounds())
	for y := range 2 {
		for x := range 2 {
			g.Set(x, y, im.At(x, y))
		}
	}
	say(g.Pix)
	say(fmt.Sprintf("%T %v %+v", ps[0], temp(3), ps[0]))
	return strings.Join(out, "|")
}

// want: [{bob 20} {ann 30}]|1 2|{"p":{"name":"bob","age":20},"t":"21.0 degrees"}<nil>|<nil> 21.0 degrees|<nil> {eve 3}|<person name="eve"><Age>3</Age></person>|<nil>hi bob 40;hi ann 60;|reading: x not found true truex|418GOOD DAY YOU|PUT|3.141592653589793 9223372036854775807 5e-324 1.7976931348623157e+308 +Inf|1267650600228229401496703205376 8|context deadline exceeded true 1.5s March|1a 2btrue|[[a b] [1 x,y]] <nil>|<nil>|a....b/long.c/|<nil> [{bob 20} {ann 30}]|level=INFO msg=done n=3 t="1.0 degrees"|[0 255 255 0]|main.person 3.0 degrees {Name:bob Age:20}
