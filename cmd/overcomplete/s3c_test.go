package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/data"
	patient "overcomplete/internal/patience"
)

// s3cRun runs "overcomplete s3c" outside the project, without real data and with an
// empty cache.
func s3cRun(t *testing.T, ctx context.Context, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = s3cCommand{out: &o, err: &e}.run(ctx, args)
	return code, o.String(), e.String()
}

func emptyProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv(data.Variable, "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("HOME", dir)
	return dir
}

func TestS3CArguments(t *testing.T) {
	dir := emptyProject(t)
	for _, c := range []struct {
		args string
		code int
		err  string // part of the errors
	}{
		{"", 2, "usage: overcomplete s3c STAGE"},
		{"-h", 0, "usage:"},
		{"train -h", 0, "-kind"},
		{"--size smoke", 2, "name the stage first: status, train, extract, merge, classify, choose or transfer"},
		{"trian", 2, `unknown stage "trian": the stages are status, train`},
		{"train now", 2, `train takes no folders: unexpected argument "now"`},
		{"train --size big", 2, `smoke, lecture, medium or full, not "big"`},
		{"train --colour", 2, "-colour"},
		{"extract --kind s3d", 2, `no kind of features "s3d"; there are "S3C", "S3C, E[hs]", "soft threshold", "sparse coding"`},
		{"extract --part 5/4 --folder f", 2, `--part must be like 1/4, not "5/4"`},
		{"extract --part 0/4 --folder f", 2, "--part must be like 1/4"},
		{"extract --part one --folder f", 2, "--part must be like 1/4"},
		{"extract --part 1/4", 2, "--part needs the stage extract, and --folder"},
		{"classify --part 1/4 --folder f", 2, "--part needs the stage extract"},
		{"merge", 2, "name the folders"},
		{"merge nowhere", 2, "nowhere is not a folder"},
		{"extract --size smoke --kind soft-threshold", 1, "size smoke keeps no files; give a folder"},
		{"merge --size smoke --folder to " + dir, 1, "no such file"},
	} {
		code, out, errs := s3cRun(t, context.Background(), strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.err) || out != "" {
			t.Errorf("s3c %s: %d, not %d\n%s%s\nlacks %q", c.args, code, c.code, out, errs, c.err)
		}
	}
}

// TestS3CStages runs the stages at the smallest size.
func TestS3CStages(t *testing.T) {
	patient.SkipShort(t, "it trains in stages, several times")
	dir := emptyProject(t)
	ok := func(want string, args ...string) {
		t.Helper()
		code, out, errs := s3cRun(t, context.Background(), args...)
		if code != 0 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("s3c %v: %d\n%s%s\nlacks %q", args, code, out, errs, want)
		}
	}
	ok(`the S3C model +not made +[\d.]+ s\s[^$]*at size smoke, nothing is kept`, "status", "--size", "smoke")
	ok(`^100 steps, mean energy -\d+`, "train", "--size", "smoke")
	for _, part := range []string{"1/2", "2/2"} {
		ok(`train: \d shards made .*\ntest: \d shards made`, "extract", "--size", "smoke", "--kind", "soft threshold", "--part", part, "--folder", part[:1])
	}
	ok(`all features \(soft threshold\) are in both`, "merge", "1", "2", "--folder", "both", "--size", "smoke", "--kind", "soft threshold")
	ok(`train: 0 shards made .*, 3 were there`, "extract", "--size", "smoke", "--kind", "soft threshold", "--folder", "both")
	ok(`(?s)C = .*soft threshold: [\d.]+ % of 60 test images.*per class: .*stand-in`, "classify", "--size", "smoke", "--kind", "soft threshold")
	ok(`(?s)code and floor +E\[h\], mean over 3×3 cells, floor 0.01, updates: 19.*✓.*rivals +soft threshold`, "choose", "--size", "smoke")
	ok(`(?s)S3C, learned from other classes +[\d.]+ ± .*raw pixels`, "transfer", "--size", "smoke")
	if _, err := os.Stat(filepath.Join(dir, "cache")); err == nil {
		t.Error("size smoke leaves something in the cache")
	}
}

// An interrupt ends the command, which reports what remains of the work done so far.
func TestS3CStopped(t *testing.T) {
	emptyProject(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, _, errs := s3cRun(t, ctx, "train", "--size", "smoke")
	if code != 130 || !strings.Contains(errs, "stopped; at size smoke, nothing is kept") {
		t.Error(code, errs)
	}
}
