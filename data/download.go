//go:build !js

package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/ui/progress"
)

// fetch downloads the file from one address, unless another process has downloaded it in the meantime.
func (f File) fetch(ctx context.Context, url string, opt Options) (err error) {
	d := &download{file: f, url: url, opt: opt, final: filepath.Join(opt.Folder, f.Name)}
	if err := d.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if there, _ := f.isPresent(ctx, opt.Folder); there {
		return d.discard()
	}
	if err := d.fetchAll(ctx); err != nil {
		return err
	}
	return d.finish(ctx)
}

// A download is a file being downloaded from one address.
type download struct {
	file  File
	url   string
	opt   Options
	final string // path of the whole file

	part *os.File // at path final + ".part", locked against other processes
	have int64    // bytes in part
	note note
}

// A note identifies the version of the server's file from which the bytes in a .part file were downloaded. It is
// stored as JSON next to the .part file.
type note struct {
	URL          string
	ETag         string `json:",omitempty"` // strong ETags only
	LastModified string `json:",omitempty"`
}

// validator returns the value for the header If-Range: the ETag or the date of the version that the note describes. It
// returns "" if neither is known, so that the version cannot be told from others.
func (n note) validator() string {
	if n.ETag != "" {
		return n.ETag
	}
	return n.LastModified
}

// A localError is a failure of this machine rather than of a server, so trying another address would not help.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// asLocal marks err as a failure of this machine; nil stays nil.
func asLocal(err error) error {
	if err == nil {
		return nil
	}
	return &localError{err}
}

// A finalError is a failure that a new request to the same address would not change.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }
func (e *finalError) Unwrap() error { return e.err }

var errStalled = errors.New("the server stalled")

func (d *download) notePath() string { return d.part.Name() + ".json" }

// open opens and locks the .part file and reads its note. If another process holds the lock, open waits. If the note
// does not allow an earlier download to be continued, open empties the .part file.
func (d *download) open(ctx context.Context) error {
	told := false
	for {
		part, err := os.OpenFile(partName(d.final), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return asLocal(err)
		}
		locked, err := tryLock(part)
		if err != nil {
			part.Close()
			return asLocal(err)
		}
		if locked && samePlace(part) {
			d.part = part
			break
		}
		part.Close()
		if locked {
			continue // the file was renamed or removed before the lock was taken
		}
		if !told {
			d.report(d.file.Name+": waiting for another process that is downloading it", 0, 0)
			told = true
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	size, err := d.part.Seek(0, io.SeekEnd)
	if err != nil {
		return asLocal(errors.Join(err, d.part.Close()))
	}
	d.have = size
	b, err := os.ReadFile(d.notePath())
	if err != nil || json.Unmarshal(b, &d.note) != nil || d.note.URL != d.url || d.note.validator() == "" || d.have > d.limit() {
		d.note = note{}
		if err := d.restart(); err != nil {
			return errors.Join(err, d.part.Close())
		}
	}
	return nil
}

// samePlace reports whether the open file f has not been renamed, removed or replaced since it was opened.
func samePlace(f *os.File) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(f.Name())
	return err == nil && os.SameFile(a, b)
}

func (d *download) limit() int64 {
	if d.file.Limit == 0 {
		return defaultLimit
	}
	return d.file.Limit
}

func (d *download) report(what string, step, total int64) {
	progress.Report(d.opt.Recorder, progress.Event{What: what, Step: int(step), Total: int(total), Objective: math.NaN()})
}

// restart empties the .part file, so that the download starts afresh.
func (d *download) restart() error {
	d.have = 0
	if err := d.part.Truncate(0); err != nil {
		return asLocal(err)
	}
	_, err := d.part.Seek(0, io.SeekStart)
	return asLocal(err)
}

// close closes the .part file, which releases the lock. If nothing was downloaded, close also removes the file.
func (d *download) close() error {
	if d.part == nil {
		return nil
	}
	var err error
	if d.have == 0 && samePlace(d.part) {
		err = d.remove()
	}
	if e := d.part.Close(); !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// discard removes the .part file and its note, and forgets how much was downloaded.
func (d *download) discard() error {
	d.have = 0
	return d.remove()
}

// remove removes the .part file and its note. No other process writes to them while this one holds the lock.
func (d *download) remove() error {
	if !hasLock { // systems without locks cannot remove open files either
		if err := d.part.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			return asLocal(err)
		}
	}
	for _, p := range []string{d.notePath(), d.part.Name()} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return asLocal(err)
		}
	}
	return nil
}

// fetchAll downloads the whole file, with as many requests as necessary. It gives up after opt.Tries failures in a row
// without substantial progress, or at the first failure that a new request would not change.
func (d *download) fetchAll(ctx context.Context) error {
	most, failures := d.have, 0
	for {
		err := d.request(ctx)
		if err == nil {
			return nil
		}
		var final *finalError
		var local *localError
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.As(err, &final) || errors.As(err, &local) {
			return err
		}
		// Progress beyond the longest earlier try resets the count. The progress must be at least 1 MiB, so
		// that a server that sends a few bytes at a time cannot keep us busy forever.
		if d.have >= most+1<<20 {
			failures = 0
		}
		most = max(most, d.have)
		if failures++; failures >= d.opt.Tries {
			return fmt.Errorf("after %d tries: %w", failures, err)
		}
		d.report(fmt.Sprintf("%s: %v; trying again", d.file.Name, err), d.have, d.file.Size)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d.opt.Pause << min(failures-1, 6)):
		}
	}
}

// request makes one request and writes the received bytes to the .part file. If it returns nil, the .part file is as
// long as the server announced.
func (d *download) request(parent context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	stall := time.AfterFunc(d.opt.Stall, func() { cancel(errStalled) })
	defer stall.Stop()
	defer func() {
		if err != nil && context.Cause(ctx) == errStalled {
			err = fmt.Errorf("%w: nothing was received for %v, %d bytes so far", errStalled, d.opt.Stall, d.have)
		}
	}()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return &finalError{err}
	}
	// Without this header, net/http would request compression and decompress the body: the bytes would differ
	// from the file's, and a range would refer to other bytes.
	req.Header.Set("Accept-Encoding", "identity")
	if d.note.validator() == "" {
		// Without a validator, the next bytes might belong to another version.
		if err := d.restart(); err != nil {
			return err
		}
	}
	if d.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
		req.Header.Set("If-Range", d.note.validator())
	}
	res, err := d.opt.Client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	total, err := d.answer(res)
	if err != nil || total == d.have && d.have > 0 {
		return err
	}
	return d.body(res.Body, total, stall)
}

// answer examines the status and the header of the server's response, and prepares the .part file so that the body can
// be appended to it. total is the length of the whole file, or -1 if unknown.
func (d *download) answer(res *http.Response) (total int64, err error) {
	switch res.StatusCode {
	case http.StatusOK:
		// The server sends the whole file, because it does not support ranges or has another version.
		total = res.ContentLength
		if err := d.restart(); err != nil {
			return 0, err
		}
		if err := d.remember(res.Header); err != nil {
			return 0, err
		}
	case http.StatusPartialContent:
		start, length, ok := parseRange(res.Header.Get("Content-Range"))
		if !ok || start != d.have || length <= d.have {
			if err := d.restart(); err != nil {
				return 0, err
			}
			return 0, fmt.Errorf("the server did not send the requested range, but %q", res.Header.Get("Content-Range"))
		}
		if tag := res.Header.Get("ETag"); tag != "" && d.note.ETag != "" && tag != d.note.ETag {
			if err := d.restart(); err != nil {
				return 0, err
			}
			return 0, errors.New("the server sent part of a different version")
		}
		total = length
	case http.StatusRequestedRangeNotSatisfiable:
		// A process may have been killed after the last byte and before the rename. Then the .part is already
		// complete.
		if cr := res.Header.Get("Content-Range"); d.have > 0 && cr == fmt.Sprintf("bytes */%d", d.have) {
			return d.have, nil
		}
		if err := d.restart(); err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("status %s", res.Status)
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return 0, fmt.Errorf("status %s", res.Status)
	default:
		err := fmt.Errorf("status %s", res.Status)
		if res.StatusCode < 500 {
			err = &finalError{err}
		}
		return 0, err
	}
	if total > d.limit() {
		return 0, &finalError{fmt.Errorf("the server announces %d bytes, but the limit is %d", total, d.limit())}
	}
	return total, nil
}

// remember writes the note for a download that starts afresh. It takes the version from the response header h.
func (d *download) remember(h http.Header) error {
	d.note = note{URL: d.url, ETag: h.Get("ETag"), LastModified: h.Get("Last-Modified")}
	if strings.HasPrefix(d.note.ETag, "W/") {
		d.note.ETag = "" // a weak ETag does not guarantee identical bytes
	}
	b, err := json.Marshal(d.note)
	if err != nil {
		return asLocal(err)
	}
	return asLocal(atomicfile.Write(d.notePath(), b, 0o644))
}

// body appends the response body r to the .part file. total is the expected length of the whole file, or -1 if unknown.
// Whenever bytes arrive, body resets the given timer.
func (d *download) body(r io.Reader, total int64, stall *time.Timer) error {
	buf := make([]byte, 1<<16)
	shown := time.Time{}
	for {
		n, err := r.Read(buf)
		stall.Reset(d.opt.Stall)
		if d.have+int64(n) > d.limit() {
			return &finalError{errors.Join(fmt.Errorf("received more than the limit of %d bytes", d.limit()), d.restart())}
		}
		if _, err := d.part.Write(buf[:n]); err != nil {
			return asLocal(err)
		}
		d.have += int64(n)
		if now := time.Now(); err != nil || now.Sub(shown) > 100*time.Millisecond {
			shown = now
			d.report("downloading "+d.file.Name, d.have, max(total, 0))
		}
		if err == io.EOF && total >= 0 && d.have != total {
			err = io.ErrUnexpectedEOF
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil && total >= 0:
			return fmt.Errorf("received %d of %d bytes: %w", d.have, total, err)
		case err != nil:
			return fmt.Errorf("received %d bytes: %w", d.have, err)
		}
	}
}

// parseRange parses the header Content-Range, "bytes START-END/LENGTH". ok is false unless the range extends to the
// last byte.
func parseRange(s string) (start, length int64, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	span, all, ok2 := strings.Cut(s, "/")
	from, to, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, false
	}
	start, err1 := strconv.ParseInt(from, 10, 64)
	end, err2 := strconv.ParseInt(to, 10, 64)
	length, err3 := strconv.ParseInt(all, 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || start < 0 || end != length-1 {
		return 0, 0, false
	}
	return start, length, true
}

// finish checks the downloaded content and gives the .part file its final name. If the content is wrong, finish removes
// the file and returns an error.
func (d *download) finish(ctx context.Context) error {
	if _, err := d.part.Seek(0, io.SeekStart); err != nil {
		return asLocal(err)
	}
	d.report("checking "+d.file.Name, d.have, d.have)
	if err := verify(ctx, d.part, d.file); errors.Is(err, ErrDamaged) {
		return errors.Join(fmt.Errorf("the downloaded content (%d bytes) was removed: %w", d.have, err), d.discard())
	} else if err != nil {
		return asLocal(err)
	}
	// The data must reach the disk before the new name does.
	if err := d.part.Sync(); err != nil {
		return asLocal(err)
	}
	// With a lock the file stays open until it is renamed, because another process that got the lock in
	// between would write to the file. Without a lock the file is closed first.
	if !hasLock {
		if err := d.part.Close(); err != nil {
			return asLocal(err)
		}
	}
	if err := os.Rename(d.part.Name(), d.final); err != nil {
		return asLocal(err)
	}
	if err := os.Remove(d.notePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return asLocal(err)
	}
	d.report(d.file.Name+" is present and complete", d.have, d.have)
	return nil
}
