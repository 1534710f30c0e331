package nmfimplicit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

var updatePeer = flag.Bool("update-peer", false, "write peer/problems.json and peer/jaxopt.json again")

// drawPeer draws the problems: the first ten matrices of row cg-on-map, each with its G.
func drawPeer(l *Lab) (problems []peerProblem) {
	rng := l.stream(23)
	for range 10 {
		s := drawSmooth(l.Context(), rng, 8, 7, 3)
		G := drawNormal(rng, 8, 7)
		problems = append(problems, peerProblem{8, 7, 3, s.A.RawMatrix().Data, s.U.RawMatrix().Data, s.W.RawMatrix().Data, G.RawMatrix().Data})
	}
	return problems
}

// derive runs derive.py on the text of problems.json, and returns its output.
func derive(t *testing.T, text []byte) []byte {
	t.Helper()
	python := pyenv.Python("jax, jaxopt", pyenv.Jax)
	if python == "" {
		t.Skip("no python3 with jaxopt: go run ./internal/pyenv/make jax installs it (300 MB)")
	}
	cmd := exec.CommandContext(t.Context(), python, "peer/derive.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The kept results belong to the kept problems and script. The kept problems are solutions, and their matrices are
// those of row cg-on-map.
func TestJaxoptKept(t *testing.T) {
	l := smokeLab(t)
	if *updatePeer {
		text, err := json.Marshal(drawPeer(l))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		for name, content := range map[string][]byte{"problems": text, "jaxopt": derive(t, text)} {
			if err := os.WriteFile("peer/"+name+".json", content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Skip("written: build again")
	}
	problems, results := readPeer()
	for name, want := range map[string]string{"problems.json": results.Problems, "derive.py": results.Script} {
		content, err := os.ReadFile("peer/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != want {
			t.Errorf("peer/%s has changed since jaxopt ran: go test ./paper/nmfimplicit -run JaxoptKept -update-peer", name)
		}
	}
	for i, q := range drawPeer(l) {
		if d := relativeDistance(mat.NewDense(q.N, q.D, problems[i].A), mat.NewDense(q.N, q.D, q.A)); d != 0 {
			t.Errorf("problem %d is another matrix than that of cg-on-map, by %g", i, d)
		}
		k := problems[i]
		if r := stationary(mat.NewDense(k.N, k.D, k.A), mat.NewDense(k.N, k.K, k.U), mat.NewDense(k.D, k.K, k.W)); r > 1e-10 {
			t.Errorf("problem %d: KKT residual %g", i, r)
		}
	}
	l.Jaxopt()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"jaxopt-cg":      record.NotReproduced,
		"jaxopt-default": record.NotReproduced,
	})
}

// Jaxopt gives the kept results again: equal up to rounding where the result is well determined, and failures where
// it failed.
func TestJaxopt(t *testing.T) {
	patience.SkipShort(t, "it has Python import jax")
	problems, kept := readPeer()
	text, err := json.Marshal(problems[:2]) // jax compiles again for each problem, which takes seconds
	if err != nil {
		t.Fatal(err)
	}
	var again jaxoptResults
	if err := json.Unmarshal(derive(t, text), &again); err != nil {
		t.Fatal(err)
	}
	for i, r := range again.Results {
		k := kept.Results[i]
		for j, s := range r.Singular {
			if d := s - k.Singular[j]; d > 1e-9*r.Singular[0] || d < -1e-9*r.Singular[0] {
				t.Errorf("problem %d: singular value %d is %g, was %g", i, j, s, k.Singular[j])
			}
		}
		row := func(r jaxoptResult, solver string) *mat.Dense {
			return mat.NewDense(1, len(r.Sum), r.Gradients[solver])
		}
		if d := relativeDistance(row(r, jaxoptTight), row(k, jaxoptTight)); d > 1e-6 {
			t.Errorf("problem %d: the gradient by %s is off by %g", i, jaxoptTight, d)
		}
		if g := r.Gradients[jaxoptCG]; g != nil && relativeDistance(row(r, jaxoptCG), row(k, jaxoptTight)) < 1e-5 {
			if kg := k.Gradients[jaxoptCG]; kg == nil || relativeDistance(row(k, jaxoptCG), row(k, jaxoptTight)) > 1e-5 {
				t.Errorf("problem %d: conjugate gradients now find the gradient", i)
			}
		}
	}
}
