package headless

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/kernel"
	"overcomplete/kernel/notebook"
)

func openKernel() (InProcess, error) {
	k, err := kernel.New(kernel.Options{})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// real runs a notebook with the real kernel.
func real(t *testing.T, opt Options, cells ...string) (string, *Result, error) {
	t.Helper()
	opt.New = Here(openKernel)
	res, err := Run(context.Background(), write(t, cells...), opt)
	if res.Written == "" {
		return "", res, err
	}
	return shown(t, res.Written), res, err
}

func TestRealKernel(t *testing.T) {
	patience.SkipShort(t, "it runs notebooks in kernels of their own")
	opt := options(nil)
	opt.Set = []Assignment{{"size", "full"}, {"n", "5"}, {"rate", "1e-3"}, {"wait", "2s"}}
	cells := []string{
		"import (\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n\n\t\"gonum.org/v1/gonum/mat\"\n\t\"gonum.org/v1/plot\"\n)",
		"#tag parameters\nsize := \"lecture\"\nn := 3\nrate := 0.5\nwait := time.Second",
		"fmt.Println(size, n, rate, wait)\nfmt.Fprintln(os.Stderr, \"careful\")\nn*n",
		"display.DisplayID(\"a\", display.Markdown(\"*one*\"))\nfor i := range 3 {\n\tdisplay.UpdateDisplay(\"a\", i)\n}",
		"mat.NewDense(2, 2, []float64{1, 2, 3, 4})",
		"p := plot.New()\np.Title.Text = \"T\"\np",
		"type point struct{ x, y int }\nfunc (p point) Norm() int { return p.x + p.y }\n[]point{{1, 2}, {3, 4}}",
		"type page struct{}\nfunc (page) HTML() string { return \"<b>hi</b>\" }\npage{}",
		"&point{1, 2}",
		"#tag raises-exception\nvar q []int\nq[3]",
		"fmt.Print(\"gone\")\ndisplay.Clear(true)\nfmt.Print(\"here\")",
	}
	got, res, err := real(t, opt, cells...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"[4] stdout:full 5 0.001 2s\n stderr:careful\n out4:25\n",
		"[5] shown:2\n",
		"out6:1  2\n3  4\nmat.Dense, 2×2\n",
		"out7:plot: T\n",
		"out8:x  y\n1  2\n3  4\n",
		"out10:&point{x: 1, y: 2}\n",
		"[11] Panic:",
		"[12] stdout:here",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	n, _ := notebook.Read(res.Written)
	for i, mime := range map[int]string{5: "text/html", 6: "image/svg+xml", 7: "text/html", 8: "text/html"} {
		if data, _ := n.Cells[i].Outputs[0]["data"].(map[string]any); data[mime] == nil {
			t.Errorf("cell %d shows no %s", i+1, mime)
		}
	}
	first, _ := os.ReadFile(res.Written)
	_, res, err = real(t, opt, cells...)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := os.ReadFile(res.Written)
	if same, err := Same(first, second); err != nil || !same {
		t.Errorf("two runs differ (%v)", err)
	}
	py := pyenv.Python("nbformat", pyenv.FrontEnds)
	if py == "" {
		t.Log("not validated: Python's nbformat is not installed")
		return
	}
	const script = "import sys, nbformat; nbformat.validate(nbformat.read(sys.argv[1], 4))"
	if out, err := exec.Command(py, "-c", script, res.Written).CombinedOutput(); err != nil {
		t.Errorf("nbformat: %v\n%s", err, out)
	}
}

func TestRealFailures(t *testing.T) {
	opt := options(nil)
	opt.Grace = 5 * time.Second
	for _, c := range []struct{ name, cell, want string }{
		{"panic", "x := 1\nvar m map[string]int\nm[\"a\"] = x", "n.ipynb: cell 1 (In[1]) line 3: Panic: "},
		{"type", "a := 1\nb := a + \"x\"", "n.ipynb: cell 1 (In[1]) line 2: TypeError: "},
		{"syntax", "a := )", "n.ipynb: cell 1 (In[1]) line 1: SyntaxError: "},
		{"exit", "import \"os\"\nos.Exit(3)", "n.ipynb: cell 1 (In[1])"},
		{"endless", "for {\n}", "time-out: the cell took longer than 300ms"},
		{"unknown parameter", "#tag parameters\nn := 1", "no parameter seeds; the notebook's parameters are n (int)"},
	} {
		o := opt
		if c.name == "endless" {
			o.CellTimeout = 300 * time.Millisecond
		}
		if c.name == "unknown parameter" {
			o.Set = []Assignment{{"seeds", "1"}}
		}
		_, res, err := real(t, o, c.cell)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if res.Abandoned {
			t.Fatalf("%s: the cell did not stop", c.name)
		}
		var ce *CellError
		if errors.As(err, &ce) != (res.Written != "") {
			t.Errorf("%s: written %q after %v", c.name, res.Written, err)
		}
	}
}

// TestRealLab: an experiment of a paper ends when its cell's time limit is reached, well within the grace, and
// the next cell runs.
func TestRealLab(t *testing.T) {
	patience.SkipShort(t, "it runs an experiment")
	if patience.RaceDetector {
		t.Skip("the stop flag is read without a lock on purpose; the race detector says so")
	}
	t.Setenv("OVERCOMPLETE_DATA", "")
	opt := options(nil)
	opt.CellTimeout, opt.Grace = 2*time.Second, time.Second
	opt.GoOn, opt.AllowErrors = true, true
	got, res, err := real(t, opt,
		"import \"overcomplete/paper/iconframework\"\nlab, err := iconframework.New(\"lecture\", 1)\nerr",
		"lab.Embeddings()", "len(lab.Rows())")
	if err != nil || res.Abandoned || res.Failed != 1 || res.Cells != 3 {
		t.Fatalf("%v, %+v", err, res)
	}
	if !strings.Contains(got, "Interrupted") || strings.Contains(got, "left behind") || !strings.HasSuffix(got, "[3] out3:0") {
		t.Errorf("%s", got)
	}
}
