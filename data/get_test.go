//go:build !js

package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/ui/progress"
)

// content is what the servers of these tests serve: 300 kB without a pattern.
var content = func() []byte {
	b := make([]byte, 300_000)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}()

// A server counts requests and records their Range headers.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T, h func(w http.ResponseWriter, r *http.Request, nth int)) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		nth := len(s.ranges)
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		h(w, r, nth)
	}))
	t.Cleanup(s.Close)
	return s
}

// serveWhole serves content and supports ranges, like a file server.
func serveWhole(w http.ResponseWriter, r *http.Request, _ int) {
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(content))
}

// serveCut serves the first n bytes and drops the connection.
func serveCut(w http.ResponseWriter, n int, etag string) {
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	w.Write(content[:n])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func set(urls ...string) Set {
	return Set{Name: "test", Files: []File{{Name: "f.bin", Size: int64(len(content)), SHA256: []string{hash(content)}, URLs: urls, Limit: 1 << 20}}}
}

func fast(dir string) Options {
	return Options{Folder: dir, Pause: time.Millisecond, Stall: patience.Long}
}

// filesIn lists the files in a folder.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func wantFile(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "f.bin"))
	if err != nil || !bytes.Equal(b, content) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if names := filesIn(t, dir); names != "f.bin" {
		t.Errorf("left behind: %s", names)
	}
}

// leavePart creates the files that a killed download leaves.
func leavePart(t *testing.T, dir, url string, n int, etag string) {
	t.Helper()
	b, err := json.Marshal(note{URL: url, ETag: etag})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "f.bin.part"), content[:n])
	write(t, filepath.Join(dir, "f.bin.part.json"), b)
}

func TestGet(t *testing.T) {
	s := serve(t, serveWhole)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	opt := fast(dir)
	var last progress.Event
	opt.Recorder = progress.Func(func(e progress.Event) { last = e })
	if err := set(s.URL).get(context.Background(), opt); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir)
	if last.Step != len(content) || last.Total != len(content) {
		t.Errorf("the last event is %+v", last)
	}
	// A second call needs no request.
	if err := set(s.URL).get(context.Background(), opt); err != nil || len(s.ranges) != 1 {
		t.Error(s.ranges, err)
	}
	// A damaged file is replaced.
	write(t, filepath.Join(dir, "f.bin"), []byte("damaged"))
	if err := set(s.URL).get(context.Background(), opt); err != nil || len(s.ranges) != 2 {
		t.Error(s.ranges, err)
	}
	wantFile(t, dir)
}

func TestGetResumes(t *testing.T) {
	for name, c := range map[string]struct {
		have int
		etag string
		h    func(w http.ResponseWriter, r *http.Request, nth int)
		want []string // the requested ranges
	}{
		"same version":      {100_000, `"v1"`, serveWhole, []string{"bytes=100000-"}},
		"all but last step": {300_000, `"v1"`, serveWhole, []string{"bytes=300000-"}},
		"another version":   {100_000, `"v0"`, serveWhole, []string{"bytes=100000-"}},
		"no note of it":     {100_000, ``, serveWhole, []string{""}},
		"too much":          {1<<20 + 1, `"v1"`, serveWhole, []string{""}},
		"no ranges": {100_000, `"v1"`, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Write(content)
		}, []string{"bytes=100000-"}},
		"wrong range": {100_000, `"v1"`, func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 0 {
				w.Header().Set("Content-Range", "bytes 99999-299999/300000")
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[99_999:])
				return
			}
			serveWhole(w, r, nth)
		}, []string{"bytes=100000-", ""}},
		"If-Range is ignored": {100_000, `"v0"`, func(w http.ResponseWriter, r *http.Request, nth int) {
			r.Header.Del("If-Range")
			serveWhole(w, r, nth)
		}, []string{"bytes=100000-", ""}},
		"refused range": {100_000, `"v1"`, func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 0 {
				http.Error(w, "", http.StatusRequestedRangeNotSatisfiable)
				return
			}
			serveWhole(w, r, nth)
		}, []string{"bytes=100000-", ""}},
		"cut twice": {0, ``, func(w http.ResponseWriter, r *http.Request, nth int) {
			switch nth {
			case 0:
				serveCut(w, 50_000, `"v1"`)
			case 1:
				w.Header().Set("Content-Range", "bytes 50000-299999/300000")
				w.Header().Set("Content-Length", "250000")
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[50_000:200_000])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			serveWhole(w, r, nth)
		}, []string{"", "bytes=50000-", "bytes=200000-"}},
		"cut without a version": {0, ``, func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 0 {
				serveCut(w, 50_000, `W/"v1"`)
			}
			w.Header().Set("ETag", `W/"v1"`)
			w.Write(content)
		}, []string{"", ""}}, // a weak ETag cannot be used in If-Range
		"busy at first": {0, ``, func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth < 2 {
				http.Error(w, "", []int{http.StatusServiceUnavailable, http.StatusTooManyRequests}[nth])
				return
			}
			serveWhole(w, r, nth)
		}, []string{"", "", ""}},
		"length not said": {0, ``, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.(http.Flusher).Flush()
			w.Write(content)
		}, []string{""}},
		"packed on the way": {0, ``, func(w http.ResponseWriter, r *http.Request, nth int) {
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				t.Error("compression is asked for")
			}
			serveWhole(w, r, nth)
		}, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.h)
			dir := t.TempDir()
			switch {
			case c.have > len(content):
				leavePart(t, dir, s.URL, 0, c.etag)
				write(t, filepath.Join(dir, "f.bin.part"), make([]byte, c.have))
			case c.have > 0:
				leavePart(t, dir, s.URL, c.have, c.etag)
			}
			if err := set(s.URL).get(context.Background(), fast(dir)); err != nil {
				t.Fatal(err)
			}
			wantFile(t, dir)
			if fmt.Sprint(s.ranges) != fmt.Sprint(c.want) {
				t.Errorf("asked for %q, want %q", s.ranges, c.want)
			}
		})
	}
}

// A .part with wrong bytes is downloaded to its end once, and then removed.
func TestGetResumesWrongBytes(t *testing.T) {
	s := serve(t, serveWhole)
	dir := t.TempDir()
	leavePart(t, dir, s.URL, 100, `"v1"`)
	write(t, filepath.Join(dir, "f.bin.part"), make([]byte, 100))
	if err := set(s.URL).get(context.Background(), fast(dir)); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := set(s.URL).get(context.Background(), fast(dir)); err != nil {
		t.Error(err)
	}
	wantFile(t, dir)
}

func TestGetRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		h    func(w http.ResponseWriter, r *http.Request, nth int)
		want string
		kept bool // the next try may use the .part
		n    int  // number of requests
	}{
		"wrong checksum":      {func(w http.ResponseWriter, r *http.Request, _ int) { w.Write(content[1:]) }, "SHA-256", false, 1},
		"always cut":          {func(w http.ResponseWriter, r *http.Request, _ int) { serveCut(w, 1000, `"v1"`) }, "after 3 tries: received 1000 of 300000", true, 3},
		"declared too large":  {func(w http.ResponseWriter, r *http.Request, _ int) { w.Header().Set("Content-Length", "1048577") }, "limit", false, 1},
		"too large after all": {func(w http.ResponseWriter, r *http.Request, _ int) { io.CopyN(w, zeros{}, 2<<20) }, "limit", false, 1},
		"not found":           {func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) }, "404", false, 1},
		"always busy":         {func(w http.ResponseWriter, r *http.Request, _ int) { http.Error(w, "", http.StatusServiceUnavailable) }, "after 3 tries: status 503", false, 3},
		"nothing":             {func(w http.ResponseWriter, r *http.Request, _ int) {}, "SHA-256", false, 1},
		"redirects for ever":  {func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, "/x", http.StatusFound) }, "redirects", false, 30},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.h)
			dir := t.TempDir()
			err := set(s.URL).get(context.Background(), fast(dir))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			want := ""
			if c.kept {
				want = "f.bin.part f.bin.part.json"
			}
			if got := filesIn(t, dir); got != want {
				t.Errorf("left behind: %q", got)
			}
			if len(s.ranges) != c.n {
				t.Errorf("%d requests, not %d", len(s.ranges), c.n)
			}
		})
	}
	if err := set("http://127.0.0.1:1/").get(context.Background(), fast(t.TempDir())); err == nil {
		t.Error("no server: no error")
	}
	if err := set("::not an address").get(context.Background(), fast(t.TempDir())); err == nil {
		t.Error("no address: no error")
	}
	if err := Get(context.Background(), "mnits", Options{}); err == nil || !strings.Contains(err.Error(), "mnist") {
		t.Error(err)
	}
	if err := Get(context.Background(), "fsdd", fast(t.TempDir())); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "fsdd-subset.tar.gz"), []byte("x"))
	if err := Get(context.Background(), "fsdd", fast(dir)); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := Get(context.Background(), "mnist", Options{Tries: -1}); err == nil {
		t.Error("-1 tries: no error")
	}
	file := filepath.Join(dir, "fsdd-subset.tar.gz")
	var local *localError
	if err := set("http://127.0.0.1:1/", "http://127.0.0.1:1/").get(context.Background(), fast(file)); err == nil {
		t.Error("a file in place of the folder: no error")
	}
	if err := os.Mkdir(filepath.Join(dir, "f.bin.part"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := set("http://127.0.0.1:1/", "http://127.0.0.1:1/").get(context.Background(), fast(dir)); !errors.As(err, &local) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a folder in place of the .part: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestGetMirrors(t *testing.T) {
	missing := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) })
	wrong := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { w.Write([]byte("<html>sign in</html>")) })
	moved := serve(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if r.URL.Path != "/new" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			return
		}
		serveWhole(w, r, nth)
	})
	never := serve(t, serveWhole)
	dir := t.TempDir()
	leavePart(t, dir, "http://elsewhere", 10, `"v1"`) // the .part is from another address, so it is not used
	if err := set(missing.URL, wrong.URL, moved.URL, never.URL).get(context.Background(), fast(dir)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir)
	if len(missing.ranges) != 1 || len(wrong.ranges) != 1 || len(moved.ranges) != 2 || len(never.ranges) != 0 {
		t.Error(missing.ranges, wrong.ranges, moved.ranges, never.ranges)
	}
	err := set(missing.URL, wrong.URL).get(context.Background(), fast(t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), missing.URL) || !strings.Contains(err.Error(), wrong.URL) {
		t.Error(err)
	}
}

func TestGetStalled(t *testing.T) {
	for _, after := range []int{-1, 0, 1000} { // -1: not even a header
		s := serve(t, func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth > 0 {
				serveWhole(w, r, nth)
				return
			}
			if after >= 0 {
				w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				w.Header().Set("ETag", `"v1"`)
				w.Write(content[:after])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		dir := t.TempDir()
		opt := fast(dir)
		opt.Stall = 100 * time.Millisecond
		var said []string
		opt.Recorder = progress.Func(func(e progress.Event) { said = append(said, e.What) })
		if err := set(s.URL).get(context.Background(), opt); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir)
		if !strings.Contains(strings.Join(said, "\n"), "stalled") {
			t.Errorf("%q", said)
		}
		if after > 0 && s.ranges[1] != "bytes=1000-" {
			t.Errorf("%q", s.ranges)
		}
		s.CloseClientConnections()
	}
}

func TestGetCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if nth > 0 {
			serveWhole(w, r, nth)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Header().Set("ETag", `"v1"`)
		w.Write(content[:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	opt := fast(dir)
	opt.Stall = time.Hour // the request must end for another reason
	go func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(filepath.Join(dir, "f.bin.part")); err == nil && info.Size() == 100_000 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	defer cancel()
	other := serve(t, serveWhole)
	if err := set(s.URL, other.URL).get(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(other.ranges) != 0 {
		t.Error("another address was tried after the caller gave up")
	}
	if got := filesIn(t, dir); got != "f.bin.part f.bin.part.json" {
		t.Errorf("left behind: %q", got)
	}
	// The next call resumes the download.
	if err := set(s.URL).get(context.Background(), fast(dir)); err != nil {
		t.Error(err)
	}
	if s.ranges[1] != "bytes=100000-" {
		t.Errorf("%q", s.ranges)
	}
	wantFile(t, dir)
}

// Several simultaneous calls need one request, and all get the file.
func TestGetTogether(t *testing.T) {
	var open atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if open.Add(1) > 1 && hasLock {
			t.Error("two requests at once")
		}
		time.Sleep(50 * time.Millisecond)
		serveWhole(w, r, nth)
		open.Add(-1)
	})
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := set(s.URL).get(context.Background(), fast(dir)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantFile(t, dir)
	if hasLock && len(s.ranges) != 1 {
		t.Errorf("%d requests", len(s.ranges))
	}
}

// TestGetKilled runs this test in another process, kills that process in the middle of the download, and then
// downloads the rest.
func TestGetKilled(t *testing.T) {
	const address, folder = "DATA_TEST_ADDRESS", "DATA_TEST_FOLDER"
	if url := os.Getenv(address); url != "" {
		t.Fatal("not killed: ", set(url).get(context.Background(), fast(os.Getenv(folder))))
	}
	if !hasLock {
		t.Skip("on this system a download is not resumed by another process")
	}
	half := make(chan bool, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if nth > 0 {
			serveWhole(w, r, nth)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Header().Set("ETag", `"v1"`)
		w.Write(content[:150_000])
		w.(http.Flusher).Flush()
		half <- true
		<-r.Context().Done()
	})
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestGetKilled$", "-test.timeout", "10m")
	cmd.Env = append(os.Environ(), address+"="+s.URL, folder+"="+dir)
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("the tests are emulated, another process would not be")
	} else if err != nil {
		t.Fatal(err)
	}
	<-half
	for deadline := time.Now().Add(patience.Long); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(filepath.Join(dir, "f.bin.part")); err == nil && info.Size() == 150_000 {
			break
		}
		if time.Now().After(deadline) {
			t.Error("the other process wrote nothing")
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	if got := filesIn(t, dir); got != "f.bin.part f.bin.part.json" {
		t.Errorf("left behind: %q", got)
	}
	if err := set(s.URL).get(context.Background(), fast(dir)); err != nil {
		t.Fatal(err)
	}
	if s.ranges[1] != "bytes=150000-" {
		t.Errorf("%q", s.ranges)
	}
	wantFile(t, dir)
}

func FuzzParseRange(f *testing.F) {
	f.Add("bytes 5-9/10")
	f.Add("bytes */10")
	f.Add("bytes -1-9/10")
	f.Fuzz(func(t *testing.T, s string) {
		start, length, ok := parseRange(s)
		if ok && (start < 0 || length < 0) {
			t.Fatal(start, length)
		}
	})
}
