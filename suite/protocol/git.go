package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"overcomplete/paper/record"
)

// A state is what the record said about a row in one commit.
type state struct {
	Commit, Date string // the commit and its date; "" stands for the working tree
	Rule         string
	Verdict      record.Verdict
	Measured     string
	Kind         record.Kind // record.OwnCheck, or record.Claim for every published row
	What         string
}

// A version is the record of a paper in one commit, or in the working tree.
type version struct {
	Commit, Date string
	seconds      int64 // the commit's time
	rows         map[string]state
	order        []string
	// reworded is set if the protocol says that the version only describes rows in different words.
	reworded bool
}

// history returns the versions of the record of p's paper, oldest first. The last version is the file in the working
// tree, if it differs from the committed file.
func history(ctx context.Context, root string, p *record.Protocol) ([]version, error) {
	list, err := recordsOf(ctx, root, p.Paper)
	for i := range list {
		list[i].reworded = p.Reworded(list[i].Commit, list[i].Date)
	}
	return list, err
}

// recordsOf is like history, but does not set the field reworded.
func recordsOf(ctx context.Context, root, paper string) ([]version, error) {
	file := path.Join("figures", paper, record.FileName)
	commits, err := commitsOf(ctx, root, file)
	if err != nil {
		return nil, err
	}
	var list []version
	last := ""
	for _, c := range commits {
		text, err := git(ctx, root, "show", c.Commit+":"+file)
		if err != nil {
			continue // the commit removed it
		}
		if err := c.read([]byte(text)); err != nil {
			return nil, fmt.Errorf("protocol: %s in commit %s: %w", file, c.Commit, err)
		}
		list, last = append(list, c), text
	}
	now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if errors.Is(err, os.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("protocol: %w", err)
	}
	if string(now) != last {
		v := version{Date: today()}
		if err := v.read(now); err != nil {
			return nil, fmt.Errorf("protocol: %s: %w", file, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// commitsOf lists the commits that changed a file, oldest first.
func commitsOf(ctx context.Context, root, file string) ([]version, error) {
	out, err := git(ctx, root, "log", "--reverse", "--topo-order", "--format=%H %ct %cd", "--date=format-local:%Y-%m-%d", "--", file)
	if err != nil {
		return nil, err
	}
	var list []version
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("protocol: git log answers %q", line)
		}
		seconds, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("protocol: git log answers %q", line)
		}
		list = append(list, version{Commit: f[0][:min(7, len(f[0]))], Date: f[2], seconds: seconds}) // always 7 characters, even if these are ambiguous
	}
	return list, nil
}

// read reads a results file of any format version. It uses only the fields that exist in all of them.
func (v *version) read(b []byte) error {
	var res struct {
		Rows []struct {
			ID        string         `json:"id"`
			What      string         `json:"what"`
			Rule      record.Rule    `json:"rule"`
			Verdict   record.Verdict `json:"verdict"`
			Measured  record.Value   `json:"measured"`
			Published struct {
				Kind string `json:"kind"`
			} `json:"published"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(b, &res); err != nil {
		return err
	}
	v.rows = map[string]state{}
	for _, r := range res.Rows {
		kind := record.Claim
		if r.Published.Kind == record.KindNone {
			kind = record.OwnCheck
		}
		v.rows[r.ID] = state{v.Commit, v.Date, r.Rule.String(), r.Verdict, r.Measured.String(), kind, r.What}
		v.order = append(v.order, r.ID)
	}
	return nil
}

// A declaredRow holds what the committed protocols say about a row: the last rule, the commit in which that
// rule first appeared, and the changes to the row's kind.
type declaredRow struct {
	version
	rule  string
	kind  record.Kind
	kinds []kindChange
}

// A kindChange is a commit that changed the kind of a row in a protocol.
type kindChange struct {
	version
	was record.Kind
}

// kindsSettled is the day from which changes to a row's kind count. Before that day, protocols were new: every
// published row was a claim at first, and the kinds were still being assigned.
const kindsSettled = "2026-11-25"

// declarations reads all committed versions of a protocol. It returns what they say about each row, by the row's ID.
func declarations(ctx context.Context, root, file string) (map[string]declaredRow, error) {
	commits, err := commitsOf(ctx, root, file)
	if err != nil {
		return nil, err
	}
	now := map[string]declaredRow{}
	for _, c := range commits {
		text, err := git(ctx, root, "show", c.Commit+":"+file)
		if err != nil {
			continue
		}
		var p struct {
			Rows []struct {
				ID   string      `json:"id"`
				Rule string      `json:"rule"`
				Kind record.Kind `json:"kind"`
			} `json:"rows"`
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("protocol: %s in commit %s: %w", file, c.Commit, err)
		}
		for _, r := range p.Rows {
			s, ok := now[r.ID]
			if !ok || s.rule != r.Rule {
				s.version, s.rule = c, r.Rule
			}
			// The record shows whether a row has a published value.
			if own := record.OwnCheck; ok && s.kind != r.Kind && s.kind != own && r.Kind != own && c.Date >= kindsSettled {
				s.kinds = append(s.kinds, kindChange{c, s.kind})
			}
			s.kind = r.Kind
			now[r.ID] = s
		}
	}
	return now, nil
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func git(ctx context.Context, root string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C")
	out, err := c.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("protocol: git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
