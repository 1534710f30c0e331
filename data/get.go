package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync/atomic"

	"overcomplete/internal/filelock"
	"overcomplete/ui/progress"
)

// Get downloads the files of the named set that are missing from opt.Folder, and checks those that are present. If a
// file fails the check, Get downloads it again and replaces it. Get tries the URLs of a file in turn until one serves
// the right content; if all fail, the error joins their errors. If a file must be fetched by hand and is missing, the
// error wraps ErrAbsent and says how to get it.
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
		progress.Report(opt.Recorder, progress.Event{What: s.Name + " is present and complete", Objective: math.NaN()})
		return nil
	}
	for _, f := range s.Files {
		if err := f.get(ctx, s, opt); err != nil {
			return err
		}
	}
	return nil
}

// get downloads f to opt.Folder, unless f is already there with the right content.
func (f File) get(ctx context.Context, s Set, opt Options) error {
	there, damage := f.isPresent(ctx, opt.Folder)
	if there {
		progress.Report(opt.Recorder, progress.Event{What: f.Name + " is present and complete", Objective: math.NaN()})
		return nil
	}
	if damage != nil && !errors.Is(damage, ErrDamaged) {
		return damage
	}
	if len(f.URLs) == 0 {
		if damage != nil {
			return damage
		}
		return absentError(s, f, []string{opt.Folder})
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

// isPresent reports whether dir has the file with the right content. If dir does not have the file at all, it returns
// false and a nil error. If the file cannot be read or has the wrong content, it returns false and an error.
func (f File) isPresent(ctx context.Context, dir string) (bool, error) {
	p, err := lookIn(dir, f)
	if p == "" || err != nil {
		return false, err
	}
	if err := verifyPath(ctx, p, f); err != nil {
		return false, err
	}
	return true, nil
}

// hasLock is set if this system can lock downloads, and can rename and remove open files.
const hasLock = filelock.Supported && runtime.GOOS != "windows"

var parts atomic.Int64

// partName returns the path of the .part file to which the file at path is downloaded. On systems where downloads
// cannot be locked (see hasLock), every download has its own .part file.
func partName(path string) string {
	if hasLock {
		return path + ".part"
	}
	return fmt.Sprintf("%s.%d-%d.part", path, os.Getpid(), parts.Add(1))
}

// tryLock locks f until f is closed or the process ends, normally or by a crash. It returns false if another
// process has locked the same file.
func tryLock(f *os.File) (bool, error) {
	if !hasLock {
		return true, nil
	}
	return filelock.Try(f, filelock.Exclusive)
}
