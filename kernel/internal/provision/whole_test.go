package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/modules"
)

// TestDecide makes decisions for whole notebooks.
func TestDecide(t *testing.T) {
	lock := &modules.Lock{Mod: "module notebook\nrequire github.com/google/uuid v1.5.0\n"}
	fat := "github.com/fatih/color"
	for _, test := range []struct {
		name     string
		wish     Wish
		recorded *modules.Lock
		set      func(w *world)
		want     string // expected program, lock, answers or error
		asked    string
	}{
		{"nothing", Wish{Imports: []string{"fmt"}}, nil, nil, "plain", ""},
		{"not another module's", Wish{Imports: []string{"tabwritr"}}, nil, nil, "plain", ""},
		{"two packages", Wish{Imports: []string{"fmt", uuidIn, fat, uuidIn}}, nil, nil, "program(" + uuidIn + " " + fat + ") with go.mod", "sources " + uuidIn + " " + fat + "; compile " + uuidIn + " " + fat},
		{"known", Wish{Imports: []string{uuidIn}}, nil, func(w *world) { w.cached = [][]string{{uuidIn, fat}} }, "program(" + uuidIn + " " + fat + ") with go.mod", ""},
		{"generic", Wish{Imports: []string{"github.com/samber/lo"}}, nil, nil, "plain with go.mod", "sources github.com/samber/lo"},
		{"generic and another", Wish{Imports: []string{"github.com/samber/lo", uuidIn}}, nil, nil, "program(" + uuidIn + ") with go.mod", "sources github.com/samber/lo " + uuidIn + "; compile " + uuidIn},
		{"from source", Wish{Imports: []string{uuidIn, fat}, Source: []string{uuidIn}}, nil, nil, "program(" + fat + ") with go.mod", "sources " + fat + "; compile " + fat},
		{"all from source", Wish{Imports: []string{uuidIn}, Source: []string{uuidIn}}, nil, nil, "plain with go.mod", ""},
		{"cannot run from source", Wish{Imports: []string{uuidIn}}, nil, func(w *world) { w.fails["sources "+uuidIn] = unfit(uuidIn, "no") }, "program(" + uuidIn + ") with go.mod", "sources " + uuidIn + "; compile " + uuidIn},
		{"does not compile", Wish{Imports: []string{uuidIn}}, nil, func(w *world) {
			w.fails["compile "+uuidIn] = &modules.Error{Kind: modules.NotCompiling, Text: "it does not compile"}
		}, "it does not compile", "sources " + uuidIn + "; compile " + uuidIn},
		{"nothing compiles here", Wish{Imports: []string{uuidIn}}, nil, func(w *world) {
			w.fails["compile "+uuidIn] = &modules.Error{Kind: modules.NoSource, Text: "no source"}
		}, "plain with go.mod", "sources " + uuidIn + "; compile " + uuidIn},
		{"neither way", Wish{Imports: []string{uuidIn}}, nil, func(w *world) {
			w.fails["sources "+uuidIn] = unfit(uuidIn, "no")
			w.fails["compile "+uuidIn] = &modules.Error{Kind: modules.NoSource, Text: "no source"}
		}, "no source", "sources " + uuidIn + "; compile " + uuidIn},
		{"pins", Wish{Gets: []string{uuidIn + "@latest " + fat + "@v1.0.0"}}, nil, nil,
			"plain with go.mod; " + uuidIn + "@latest " + fat + "@v1.0.0: " + uuidIn + " v1.6.0, " + fat + " v1.0.0", "get " + uuidIn + "@latest " + fat + "@v1.0.0"},
		{"pins that are recorded", Wish{Gets: []string{uuidIn, "-u " + uuidIn + "@latest", uuidIn + "@v1.5.0"}}, lock, nil,
			"plain with go.mod; -u " + uuidIn + "@latest: " + uuidIn + " v1.5.0; " + uuidIn + ": " + uuidIn + " v1.5.0; " + uuidIn + "@v1.5.0: " + uuidIn + " v1.5.0", ""},
		{"pins that are recorded otherwise", Wish{Gets: []string{uuidIn + "@v1.0.0 " + fat}}, lock, nil,
			"plain with go.mod; " + uuidIn + "@v1.0.0 " + fat + ": " + uuidIn + " v1.0.0, " + fat + " v1.19.0", "get " + uuidIn + "@v1.0.0 " + fat},
		{"a pin that is none", Wish{Gets: []string{"-u"}}, nil, nil, "%get needs a module, for example %get github.com/google/uuid@v1.6.0; without a version, it uses the newest", ""},
		{"no such version", Wish{Gets: []string{"a.b/c@v9"}}, nil, func(w *world) { w.fails["get"] = errors.New("no such version") }, "no such version", "get a.b/c@v9"},
		{"native cells", Wish{Native: []string{"fmt", uuidIn}}, nil, nil, "plain with go.mod", ""},
		{"native cells without the network", Wish{Native: []string{uuidIn}}, nil, func(w *world) { w.fails["modules"] = errors.New("no network") }, "no network", ""},
		{"no lock", Wish{Imports: []string{uuidIn}}, nil, func(w *world) { w.fails["lock"] = errors.New("no lock") }, "no lock", "sources " + uuidIn + "; compile " + uuidIn},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			if test.set != nil {
				test.set(w)
			}
			plan, err := decide(context.Background(), w, test.wish, test.recorded, (*loader)(w).Importable, func(*modules.Program) error { return nil }, func(string) {})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = describePlan(t, plan)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			asked := strings.NewReplacer("[", "", "]\n", "; ").Replace(w.out.String())
			if asked = strings.TrimSuffix(asked, "; "); asked != test.asked {
				t.Errorf("asked for %q, want %q", asked, test.asked)
			}
		})
	}
}

func describePlan(t *testing.T, p *Plan) string {
	text := "plain"
	if p.Program != nil {
		text = p.Program.Path
	}
	if p.Lock != nil {
		text += " with go.mod"
	}
	var s resumeState
	if err := json.Unmarshal(p.State, &s); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for args, pins := range s.Answers {
		var list []string
		for _, m := range pins {
			list = append(list, m.Path+" "+m.Version)
		}
		lines = append(lines, fmt.Sprintf("; %s: %s", args, strings.Join(list, ", ")))
	}
	slices.Sort(lines)
	return text + strings.Join(lines, "")
}

// TestAnswers runs a notebook's cells in the kernel of a plan: the kernel does not resolve the %get lines
// again.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	lock := &modules.Lock{Mod: "module notebook\nrequire github.com/google/uuid v1.5.0\n"}
	plan, err := decide(context.Background(), w, Wish{Gets: []string{uuidIn}, Imports: []string{uuidIn}}, lock, (*loader)(w).Importable, func(*modules.Program) error { return nil }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	w.out.Reset()
	w.begin(plan.Program)
	if err := w.provider.Resume(context.Background(), plan.State); err != nil {
		t.Fatal(err)
	}
	w.cells("%get github.com/google/uuid", "x := 1\n%get github.com/google/uuid", uuid)
	want := "--- %get github.com/google/uuid\n%get github.com/google/uuid@v1.5.0\n--- x := 1\n    %get github.com/google/uuid\n%get github.com/google/uuid@v1.5.0\n" +
		"--- import \"github.com/google/uuid\"\n    uuid.New()\n"
	if got := w.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
