package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/data"
	"overcomplete/internal/testfile"
	"overcomplete/ui/progress"
)

// A network answers HTTP requests in place of the real network.
type network func(r *http.Request) *http.Response

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r), nil }

func answer(status int, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body))}
}

// dataRun runs "overcomplete data" with its data in dir and an empty cache.
func dataRun(t *testing.T, dir string, n network, args ...string) (code int, out, errs string) {
	t.Helper()
	t.Setenv(data.Variable, dir)
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	if n == nil {
		n = func(r *http.Request) *http.Response {
			t.Errorf("%v uses the network: %s", args, r.URL)
			return answer(http.StatusTeapot, nil)
		}
	}
	var o, e bytes.Buffer
	code = dataCommand{out: &o, err: &e, client: &http.Client{Transport: n}}.run(context.Background(), args)
	return code, o.String(), e.String()
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ex7faces.mat", "letter.data", "t10k-labels-idx1-ubyte.gz"} {
		testfile.Write(t, filepath.Join(dir, name), "hello")
	}
	for _, c := range []struct {
		args     string
		code     int
		out, err string // parts of the output
	}{
		{"", 2, "", "usage: overcomplete data list"},
		{"-h", 0, "", "usage:"},
		{"get -h", 0, "", "usage:"},
		{"list --all", 2, "", "-all"},
		{"lsit", 2, "", `unknown command "lsit"`},
		{"list", 0, "cifar10       170.0 MB  absent ", ""},
		{"list", 0, "fsdd          636 kB    absent (by hand) ", ""},
		{"list", 0, "mnist         11.6 MB   1 of 4 files ", ""},
		{"list", 0, "letters       1.2 MB    letter.data ", ""},
		{"list", 0, "Searched in " + dir + " and ", ""},
		{"list mnist", 2, "", "no names"},
		{"path mnits", 2, "", `did you mean "mnist"?`},
		{"path", 2, "", "one name"},
		{"path letters", 0, filepath.Join(dir, "letter.data") + "\n", ""},
		{"path reviews", 1, "", "run 'overcomplete data get reviews'"},
		{"path mnist", 1, "", "no train-images-idx3-ubyte.gz or train-images-idx3-ubyte in " + dir},
		{"get", 2, "", "--all"},
		{"get mnist --all", 2, "", "--all"},
		{"get faces", 2, "", "the sets are att-faces, cifar10"},
		{"get fsdd", 1, "", "by hand: clone"},
		{"verify course-faces", 0, "no checksum is known", ""},
		{"verify reviews", 1, "DAMAGED OR MISSING", "scale_data.tar.gz"},
		{"verify letters", 1, "DAMAGED", "SHA-256"},
		{"verify", 1, "reviews       absent\n", "letter.data"},
		{"verify", 1, "fsdd          absent (by hand)\n", "SHA-256"},
		{"verify", 1, "mnist         DAMAGED", "t10k-labels-idx1-ubyte.gz"},
	} {
		code, out, errs := dataRun(t, dir, nil, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) || c.code == 0 && c.err == "" && errs != "" {
			t.Errorf("data %s: %d, not %d\n%s%s\nlacks %q or %q", c.args, code, c.code, out, errs, c.out, c.err)
		}
	}
	// Absent sets are not a failure, and no set is damaged.
	if code, out, errs := dataRun(t, t.TempDir(), nil, "verify"); code != 0 || errs != "" || strings.Count(out, "absent") != len(data.Sets()) {
		t.Error(code, out, errs)
	}
	// The variable is set to the empty string.
	if code, out, _ := dataRun(t, "", nil, "list"); code != 0 || !strings.Contains(out, "no folder (data: the data set is not") {
		t.Error(code, out)
	}
}

func TestDataGet(t *testing.T) {
	dir := t.TempDir()
	var asked []string
	missing := func(r *http.Request) *http.Response {
		asked = append(asked, r.URL.String())
		return answer(http.StatusNotFound, nil)
	}
	code, _, errs := dataRun(t, dir, missing, "get", "letters")
	if code != 1 || len(asked) != 1 || !strings.Contains(errs, asked[0]) {
		t.Error(code, asked, errs)
	}
	// All sets: each address is asked once, and sets to fetch by hand get instructions.
	asked = nil
	code, _, errs = dataRun(t, dir, missing, "get", "--all")
	if code != 1 || !strings.Contains(errs, "natural must be downloaded by hand") || len(asked) < 7 {
		t.Error(code, asked, errs)
	}
	// The server sends a web page instead of the file.
	code, _, errs = dataRun(t, dir, func(*http.Request) *http.Response { return answer(200, []byte("<html>sign in</html>")) }, "get", "ecg")
	if left, err := os.ReadDir(dir); code != 1 || !strings.Contains(errs, "SHA-256") || err != nil || len(left) != 0 {
		t.Error(code, errs, left, err)
	}
}

// TestDataGetReal downloads a real file through the fake network.
func TestDataGetReal(t *testing.T) {
	p, err := data.Path("ecg", "")
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := testfile.Read(t, p)
	dir := filepath.Join(t.TempDir(), "made")
	code, _, errs := dataRun(t, dir, func(*http.Request) *http.Response { return answer(200, b) }, "get", "ecg")
	if code != 0 || errs != "downloading foetal_ecg.dat.gz\nchecking foetal_ecg.dat.gz\nfoetal_ecg.dat.gz is present and complete\n" {
		t.Errorf("%d %q", code, errs)
	}
	if code, out, _ := dataRun(t, dir, nil, "verify", "ecg"); code != 0 || !strings.Contains(out, "whole") {
		t.Error(code, out)
	}
	if code, _, errs := dataRun(t, dir, nil, "get", "ecg"); code != 0 || !strings.Contains(errs, "is present and complete") {
		t.Error(code, errs)
	}
	// A canceled context.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var o, e bytes.Buffer
	if code := (dataCommand{out: &o, err: &e}).run(ctx, []string{"get", "ecg"}); code != 130 || !strings.Contains(e.String(), "stopped") {
		t.Error(code, e.String())
	}
}

func TestProgressLine(t *testing.T) {
	events := []progress.Event{{What: "downloading x", Step: 500_000, Total: 2_000_000}, {What: "downloading x", Step: 1_000_000}, {What: "x is there"}}
	for tty, want := range map[bool]string{
		true:  "\r\x1b[Kdownloading x: 500 kB of 2.0 MB, 25 %\r\x1b[Kdownloading x: 1.0 MB\r\x1b[Kx is there\n",
		false: "downloading x\nx is there\n",
	} {
		var b strings.Builder
		l := &progressLine{w: &b, tty: tty}
		for _, e := range events {
			l.Record(e)
		}
		l.end()
		l.end()
		if b.String() != want {
			t.Errorf("%q, not %q", b.String(), want)
		}
	}
}
