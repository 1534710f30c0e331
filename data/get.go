package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"overcomplete/ui/progress"
)

// Options are the options of Get. The zero value is ready to use.
type Options struct {
	// Folder is where the files are stored; it is created if needed. "": Folder(), and
	// nothing is done if the set is complete in any of Folders().
	Folder string
	// Recorder receives the number of bytes that are present and the total. May be nil.
	Recorder progress.Recorder
	// Client makes the requests. nil: http.DefaultClient.
	Client *http.Client
	// Stall is the longest time that a server may send nothing. 0: 30 s.
	Stall time.Duration
	// Tries is the number of times in a row that an address is tried without sending more
	// than before. 0: 3.
	Tries int
	// Pause is the wait before the second try; it doubles with each further
	// one. 0: 1 s.
	Pause time.Duration
}

func (o Options) defaults() (Options, error) {
	if o.Stall < 0 || o.Tries < 0 || o.Pause < 0 {
		return o, fmt.Errorf("data: Get: Stall %v, Tries %d and Pause %v must not be negative", o.Stall, o.Tries, o.Pause)
	}
	if o.Folder == "" {
		dir, err := Folder()
		if err != nil {
			return o, err
		}
		o.Folder = dir
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 3
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	return o, nil
}

// Get downloads the files of a set that are not in the folder yet, and checks
// all of them. A file that is present but fails the check is downloaded again and
// replaced. Get goes through the addresses of a file until one serves the right
// content; the error joins the failures of all of them. If a set has to be fetched by
// hand and is not present, the error wraps ErrAbsent and says how to get it.
func Get(ctx context.Context, name string, opt Options) error {
	s, err := Find(name)
	if err != nil {
		return err
	}
	return s.get(ctx, opt)
}

func (s Set) get(ctx context.Context, opt Options) error {
	anywhere := opt.Folder == ""
	opt, err := opt.defaults()
	if err != nil {
		return err
	}
	if anywhere && s.verify(ctx) == nil {
		progress.Report(opt.Recorder, progress.Event{What: s.Name + " is there and whole", Objective: math.NaN()})
		return nil
	}
	for _, f := range s.Files {
		if err := f.get(ctx, s, opt); err != nil {
			return err
		}
	}
	return nil
}

// get makes sure that one file is in opt.Folder.
func (f File) get(ctx context.Context, s Set, opt Options) error {
	there, damage := f.there(ctx, opt.Folder)
	if there {
		progress.Report(opt.Recorder, progress.Event{What: f.Name + " is there and whole", Objective: math.NaN()})
		return nil
	}
	if damage != nil && !errors.Is(damage, ErrDamaged) {
		return damage
	}
	if len(f.URLs) == 0 {
		if damage != nil {
			return damage
		}
		return absent(s, f, []string{opt.Folder})
	}
	if err := os.MkdirAll(opt.Folder, 0o755); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	var errs []error
	for _, url := range f.URLs {
		err := f.fetch(ctx, url, opt)
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("data: %s: %w", url, err))
		var here *localError
		if ctx.Err() != nil || errors.As(err, &here) {
			break
		}
	}
	return errors.Join(errs...)
}

// there reports whether the folder has the file with the right content; err says
// why not, nil if it is simply not there.
func (f File) there(ctx context.Context, dir string) (bool, error) {
	p, err := lookIn(dir, f)
	if p == "" || err != nil {
		return false, err
	}
	if err := verifyPath(ctx, p, f); err != nil {
		return false, err
	}
	return true, nil
}

// fetch gets the file from one address, or finds that another process has done
// so meanwhile.
func (f File) fetch(ctx context.Context, url string, opt Options) (err error) {
	d := &download{file: f, url: url, opt: opt, final: filepath.Join(opt.Folder, f.Name)}
	if err := d.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if there, _ := f.there(ctx, opt.Folder); there {
		return d.discard()
	}
	if err := d.all(ctx); err != nil {
		return err
	}
	return d.finish(ctx)
}
