package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/flame"
	"overcomplete/ui/display"
)

// profOptions are the arguments of %%prof.
type profOptions struct {
	kind engine.ProfileKind
	rate int // 0 for the default
	file string
}

// These are the limits of the accepted rates. Processor timers are not faster than mostCPURate, and at higher rates
// most of the time would go into taking samples.
const (
	mostCPURate   = 1000
	leastHeapRate = 512
	mostHeapRate  = 1 << 30
)

// readProfOptions reads the arguments of %%prof.
func readProfOptions(args []string) (o profOptions, err error) {
	const usage = "the arguments are cpu or heap, -rate N (samples a second, or bytes between samples) and -o FILE"
	for ; len(args) > 0; args = args[1:] {
		switch name := strings.TrimPrefix(args[0], "-"); {
		case args[0] == string(engine.CPUProfile) || args[0] == string(engine.HeapProfile):
			if o.kind != "" {
				return o, fmt.Errorf("take one profile at a time: cpu or heap")
			}
			o.kind = engine.ProfileKind(args[0])
		case args[0] == "-rate" || args[0] == "-o":
			if len(args) < 2 {
				return o, fmt.Errorf("-%s needs a value: %s", name, usage)
			}
			if name == "o" {
				o.file = args[1]
			} else if o.rate, err = strconv.Atoi(args[1]); err != nil || o.rate < 1 {
				return o, fmt.Errorf("-rate %s: must be an integer, 1 or larger", args[1])
			}
			args = args[1:]
		default:
			return o, fmt.Errorf("%q: %s", args[0], usage)
		}
	}
	o.kind = cmp.Or(o.kind, engine.CPUProfile)
	switch {
	case o.rate == 0:
	case o.kind == engine.CPUProfile && o.rate > mostCPURate:
		return o, fmt.Errorf("-rate %d: must be at most %d samples a second", o.rate, mostCPURate)
	case o.kind == engine.HeapProfile && (o.rate < leastHeapRate || o.rate > mostHeapRate):
		return o, fmt.Errorf("-rate %d: must be from %d to %d bytes between samples", o.rate, leastHeapRate, mostHeapRate)
	}
	return o, nil
}

// prof runs the cell and shows its profile, even if the cell fails or is interrupted.
func (c *call) prof(ctx context.Context) (values []engine.Value, err error) {
	o, err := readProfOptions(fields(c.Args))
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.code) == "" {
		return nil, fmt.Errorf("there is nothing to profile")
	}
	if err := hasFolder(o.file); err != nil {
		return nil, fmt.Errorf("-o %w", err) // before a long run, not after it
	}
	ran := false
	p, err := c.runner.Session.Profile(o.kind, o.rate, func() error {
		ran = true
		values, err = c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: c.code, Tree: c.tree})
		return err
	})
	if !ran {
		return nil, err
	}
	if p.Took > 0 || err == nil { // the cell has begun, or was empty
		c.showProfile(p)
	}
	if p.Took > 0 {
		if e := writeProfile(p, o.file); e != nil && err == nil {
			err = e
		}
	}
	return values, err
}

// hasFolder returns an error if the folder in which file would be written does not exist. It returns nil if file is
// "".
func hasFolder(file string) error {
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); file != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("%s: the folder %s does not exist", file, folder)
	}
	return nil
}

// showProfile shows a profile as a flame graph and a table.
func (c *call) showProfile(p *engine.Profile) {
	root := flame.Tree(p)
	caption := flame.Caption(p, root)
	if root.Total == 0 {
		fmt.Fprintln(c.runner.Stdout, flame.Empty(p))
		return
	}
	table := flame.Table(p.Kind, root, flame.Top(root, 10))
	svg := flame.SVG(p.Kind, root, caption)
	c.runner.Show(display.Data{Data: map[string]any{
		display.MIMETypeHTML: flame.Page(svg, caption, table),
		display.MIMETypeText: caption + "\n" + table,
	}})
}

// writeProfile writes a profile in the format of go tool pprof to the given file. It does nothing if file is "".
func writeProfile(p *engine.Profile, file string) error {
	if file == "" {
		return nil
	}
	var b bytes.Buffer
	if err := p.Profile.Write(&b); err != nil {
		return err
	}
	return atomicfile.Write(file, b.Bytes(), 0o644)
}
