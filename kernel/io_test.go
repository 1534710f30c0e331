package kernel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// A person is an Output that answers questions.
type person struct {
	mu      sync.Mutex
	text    strings.Builder
	asked   []string
	answers []string
}

func (p *person) Stream(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.WriteString(text)
}
func (p *person) Display(d display.Data, _ bool) { p.Result(d) }
func (p *person) Result(d display.Data)          { p.Stream("", d.Data["text/plain"].(string)+"\n") }
func (p *person) Clear(bool)                     {}

func (p *person) Input(ctx context.Context, prompt string, password bool) (string, error) {
	p.mu.Lock()
	p.asked = append(p.asked, prompt)
	if len(p.answers) == 0 {
		p.mu.Unlock()
		<-ctx.Done()
		return "", ctx.Err()
	}
	defer p.mu.Unlock()
	line := p.answers[0]
	p.answers = p.answers[1:]
	return line, nil
}

// mute is an Output that cannot ask the user.
type mute struct{ Output }

func TestInput(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	run := func(ctx context.Context, out Output, source string) error {
		t.Helper()
		return k.Execute(ctx, engine.Cell{Name: "In[1]", Source: source}, out)
	}
	ctx := context.Background()
	p := &person{answers: []string{"6 7", "a line", "end"}}
	if err := run(ctx, p, `import ("bufio"; "fmt"; "os")
var a, b int
fmt.Print("numbers: ")
fmt.Scan(&a, &b)
in := bufio.NewScanner(os.Stdin)
for in.Scan() && in.Text() != "end" { fmt.Println(in.Text()) }
a * b`); err != nil {
		t.Fatal(err)
	}
	if got := p.text.String(); got != "numbers: a line\n42\n" {
		t.Errorf("shown %q", got)
	}

	// The front end cannot ask the user.
	p = &person{}
	if err := run(ctx, mute{p}, "n, err := fmt.Scan(&a)\nfmt.Println(n, err)"); err != nil {
		t.Fatal(err)
	}
	if got := p.text.String(); !strings.Contains(got, "0 EOF") || !strings.Contains(got, ErrNoStdin.Error()) {
		t.Errorf("shown %q", got)
	}
	k.mu.Lock()
	k.inputState = inputState{ctx, nil}
	k.mu.Unlock()
	if _, err := display.Input("?"); !errors.Is(err, ErrNoStdin) {
		t.Errorf("display.Input: %v", err)
	}
	if patience.RaceDetector {
		return // interrupting interpreted code sets a flag that the code reads without synchronization, by design
	}

	// An interrupt arrives while the cell waits for input.
	stop, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	err = run(stop, &person{}, "fmt.Scan(&a)\nfor {}")
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.Interrupted {
		t.Errorf("interrupted: %v", err)
	}
	p = &person{answers: []string{"5"}}
	if err := run(ctx, p, "fmt.Scan(&a)\na"); err != nil || p.text.String() != "5\n" {
		t.Errorf("afterwards: %v, %q", err, p.text.String())
	}
}

func (p *place) Redirect(a display.Area) (before display.Area) {
	before, p.area = p.area, a
	return before
}

func (p *place) Stream(name, text string) {
	if p.area != nil {
		p.area.Stream(name, text)
		return
	}
	p.person.Stream(name, text)
}

func (o *onlyText) Stream(name, text string) { o.said.Stream(name, text) }
