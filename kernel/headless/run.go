package headless

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/inside"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/notebook"
)

// The tags that have an effect on a cell.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
	tagSkip       = "skip-execution"
	tagRaises     = "raises-exception"
	tagSolution   = "solution"
)

// A Kernel runs the cells of one notebook. It is either a *Process, or a kernel in this process opened by Here.
type Kernel interface {
	Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error
	// Vars returns the session's variables. Set converts text to the type of a variable, assigns the value, and
	// returns the variable's new description.
	Vars() []Variable
	Set(name, text string) (Variable, error)
	// Terminal returns the standard output as it was before the kernel captured
	// it.
	Terminal() *os.File
	Close() error
}

// A killer is a Kernel that can be killed while it runs a cell.
type killer interface{ Kill() }

// A Memory knows the outputs of cells from earlier runs, so that the cells need not run again.
type Memory interface {
	// Begin is called once, before anything runs.
	Begin(nb *notebook.Notebook, set []Assignment) error
	// Recall is called before each cell and decides whether to skip the cell. When it skips a cell, Recall
	// produces the cell's effects, apart from outputs.
	Recall(k Kernel, c *notebook.Cell) RecalledCell
	// Keep is called after a cell has run without an error. The parameter took is the cost of running it.
	Keep(k Kernel, c *notebook.Cell, took Cost)
	// End is called when the run has ended and its results have been written. It is called even if the run
	// failed before Begin.
	End()
}

// A Cost is the time that a cell has taken.
type Cost struct {
	Wall time.Duration // wall-clock time
	// Processor is the time on all processors together, including the time of programs that the cell has
	// started and waited for. 0 means unknown.
	Processor time.Duration
}

// A meter is a Kernel that knows the processor time of the last cell.
type meter interface{ Processor() time.Duration }

// A RecalledCell says whether to skip a cell. With the zero value the cell runs.
type RecalledCell struct {
	Skip    bool
	Outputs []notebook.Output // outputs of a skipped cell; if nil, the cell gets no outputs and no execution count
	Took    Cost              // cost of the earlier run that produced the outputs
}

// Options are the options of Run. Only New must be set.
type Options struct {
	// New opens the kernel for one notebook. folder is the notebook's folder, which must become the kernel's
	// working directory.
	New func(folder string) (Kernel, error)
	// Modules, if not nil, provides packages of other modules. It replaces New for notebooks that import such
	// packages.
	Modules *Modules
	// Set lists the assignments to parameters, in order. The written file has a cell with these assignments, so
	// that a run of the written file also makes them.
	Set []Assignment
	// Once lists assignments that are for this run alone, such as the run's size. They are made before the
	// assignments of Set, and no cell contains them; they are recorded only in the metadata (notebook.ParameterChanges).
	Once []Assignment
	// Timeout limits the time of the whole notebook, and CellTimeout limits the time of each cell. 0 means no
	// limit.
	Timeout, CellTimeout time.Duration
	// Grace is how long a cell may take to stop when asked to. 0 means 5 s.
	Grace time.Duration
	// Out is the path of the file to write. If it ends in a separator or is an existing folder, the file goes into that
	// folder. If Out is empty, the file goes into the folder run next to the notebook.
	Out string
	// InPlace overwrites the notebook itself if the run succeeds.
	InPlace bool
	// AllowErrors continues the run after a cell that fails.
	AllowErrors bool
	// GoOn makes a cell count as failed if it exceeds CellTimeout but stops when asked to. The next cell then runs if
	// AllowErrors is set, or if the tags of the failed cell allow a failure. Without GoOn the run ends at such a cell.
	GoOn bool
	// Record also writes the outputs into the original notebook, unless a cell has failed and its tags do not allow a
	// failure. Promote, if not nil, is called with the notebook's path before the original is replaced. Promote
	// replaces the result files outside the notebook. If Promote returns an error, the original stays unchanged.
	//
	// The original keeps its declared parameters: with Record, with InPlace, or if Out is the notebook itself,
	// no cell with the assignments in Set is added to it.
	Record  bool
	Promote func(notebook string) error
	// Sign, if not nil, is called with the outputs before they are written. The outputs include those of
	// earlier runs that Memory provides.
	Sign func(...notebook.Output)
	// Memory, if not nil, may skip cells.
	Memory Memory
	// Progress is where the running cell is shown. nil means the kernel's Terminal. Use io.Discard to show
	// nothing, or a *Board if several notebooks run at once.
	Progress io.Writer
}

// A Result describes a run of a notebook.
type Result struct {
	Written   string // the file that was written, or ""
	Cells     int    // code cells that ran
	Kept      int    // code cells that were skipped because their outputs were known
	Failed    int    // code cells that failed, including cells that are allowed to fail
	Elapsed   time.Duration
	Abandoned bool // a cell did not stop and still runs in this process
}

// A CellError reports that a cell of a notebook failed.
type CellError struct {
	Notebook string
	Cell     int           // position among all cells, from 1
	Count    int           // the cell's execution count
	Limit    time.Duration // the exceeded time limit, or 0 for other failures
	Whole    bool          // Limit applied to the whole notebook, not to the cell
	Err      *engine.Error
}

// Error returns the notebook, the cell, the line and the message.
func (e *CellError) Error() string {
	where := fmt.Sprintf("%s: cell %d (In[%d])", e.Notebook, e.Cell, e.Count)
	if i := slices.IndexFunc(e.Err.Frames, func(f engine.Frame) bool {
		return f.Cell == cellName(e.Count)
	}); i >= 0 {
		where += fmt.Sprintf(" line %d", e.Err.Frames[i].Line)
	}
	if e.Limit > 0 {
		of := "the cell"
		if e.Whole {
			of = "the notebook"
		}
		return fmt.Sprintf("%s: time-out: %s took longer than %v", where, of, e.Limit)
	}
	return fmt.Sprintf("%s: %s: %s", where, e.Err.Kind, e.Err.Message)
}

// Unwrap returns e.Err, the error of the cell.
func (e *CellError) Unwrap() error { return e.Err }

func cellName(count int) string { return fmt.Sprintf("In[%d]", count) }

// Run runs the notebook at path. If a failing cell ends the run, the error is a *CellError. The notebook is then
// written with the outputs so far, unless InPlace is set. If ctx is done, Run stops the running cell, writes nothing,
// and returns the error of ctx. The Result is never nil.
func Run(ctx context.Context, path string, opt Options) (*Result, error) {
	res := &Result{}
	if opt.Grace == 0 {
		opt.Grace = 5 * time.Second
	}
	if opt.InPlace && opt.Out != "" {
		return res, errors.New("headless: both Out and InPlace are set")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return res, err
	}
	nb, err := notebook.Read(path)
	if err != nil {
		return res, err
	}
	if language := nb.Language(); language != "" && !strings.EqualFold(language, "go") {
		return res, fmt.Errorf("%s: the notebook's kernel is for %s, but this command runs cells as Go; if the cells are Go, choose a Go kernel in Jupyter, or remove kernelspec and language_info from the notebook's metadata", path, language)
	}
	out, err := opt.output(path)
	if err != nil {
		return res, err
	}
	r := &run{opt: opt, name: filepath.Base(path), to: out, replaces: same(out, path), nb: nb, res: res, start: time.Now(), took: map[string]any{}, processor: map[string]any{}, out: newCollector()}
	if opt.Memory != nil {
		defer opt.Memory.End()
	}
	if err := r.prepare(); err != nil {
		return res, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}

	failure := r.open(ctx, filepath.Dir(path))
	res.Elapsed = time.Since(r.start)
	r.out.close()
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	var cellErr *CellError
	if failure != nil && (opt.InPlace || !errors.As(failure, &cellErr)) {
		return res, failure
	}
	r.stamp()
	r.sign()
	if !opt.Record || !r.replaces {
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return res, errors.Join(failure, err)
		}
		if err := r.outputNotebook().Write(out); err != nil {
			return res, errors.Join(failure, err)
		}
		res.Written = out
	}
	if failure != nil || !opt.Record {
		return res, failure
	}
	if err := r.record(path); err != nil {
		return res, err
	}
	if r.replaces {
		res.Written = out
	}
	return res, nil
}

// record writes the outputs into the original notebook. Before it replaces the notebook, it calls Options.Promote, if
// set, which replaces the result files outside the notebook. If Promote returns an error, the notebook stays
// unchanged.
func (r *run) record(path string) error {
	if r.unexpected > 0 {
		return fmt.Errorf("%s: not recorded: %d cells failed", path, r.unexpected)
	}
	own, err := r.recordCopy().Stage(path)
	if err != nil {
		return err
	}
	if r.opt.Promote != nil {
		if err := r.opt.Promote(path); err != nil {
			own.Discard()
			return err
		}
	}
	return own.Commit()
}

// sign passes the notebook's outputs to Options.Sign, if it is set. sign leaves out cells with the tag skip-execution,
// because their outputs may come from elsewhere.
func (r *run) sign() {
	if r.opt.Sign == nil {
		return
	}
	for _, c := range r.nb.Cells {
		if c.Type == notebook.Code && !c.Tagged(tagSkip) {
			r.opt.Sign(c.Outputs...)
		}
	}
}

// outputNotebook returns the notebook to write. It leaves out hidden solutions, unless the written file replaces the
// notebook itself.
func (r *run) outputNotebook() *notebook.Notebook {
	if !r.hide || r.replaces {
		return r.nb
	}
	nb := *r.nb
	nb.Cells = slices.DeleteFunc(slices.Clone(nb.Cells), func(c *notebook.Cell) bool { return c.Tagged(tagSolution) })
	return &nb
}

// recordCopy returns the notebook that record writes over the original. It has small outputs, and lacks the cell that
// sets the parameters of this run, because *Run all* in Jupyter would set these parameters again.
func (r *run) recordCopy() *notebook.Notebook {
	nb := *r.nb
	nb.Cells = slices.DeleteFunc(slices.Clone(nb.Cells), Injected)
	for i, c := range nb.Cells {
		small := *c
		small.Outputs = smallOutputs(c.Outputs)
		nb.Cells[i] = &small
		if r.opt.Sign != nil && c.Type == notebook.Code && !c.Tagged(tagSkip) {
			r.opt.Sign(small.Outputs...)
		}
	}
	return &nb
}

// same reports whether two paths name the same file.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Injected reports whether c is the cell that records the assignments of one
// run.
func Injected(c *notebook.Cell) bool { return c.Tagged(tagInjected) }

// Assignments returns all assignments of a run, in order.
func (opt *Options) Assignments() []Assignment { return slices.Concat(opt.Once, opt.Set) }

// output returns the path of the file to write.
func (opt *Options) output(path string) (string, error) {
	switch info, err := os.Stat(opt.Out); {
	case opt.InPlace:
		return path, nil
	case opt.Out == "":
		folder := filepath.Dir(path)
		to := filepath.Join(folder, "run", filepath.Base(path))
		return to, inside.Check(folder, to)
	case err == nil && info.IsDir(), os.IsPathSeparator(opt.Out[len(opt.Out)-1]):
		to := filepath.Join(opt.Out, filepath.Base(path))
		if err := inside.Check(opt.Out, to); err != nil {
			return "", err
		}
		return filepath.Abs(to)
	}
	return filepath.Abs(opt.Out)
}

// A run holds the state of one run of a notebook.
type run struct {
	opt        Options
	name       string
	to         string // path of the file to write
	replaces   bool   // whether that file is the notebook itself
	nb         *notebook.Notebook
	res        *Result
	out        *collector
	start      time.Time
	took       map[string]any // seconds by cell id
	processor  map[string]any // seconds of processor time by cell id
	count      int            // execution count of the last cell
	unexpected int            // failed cells without a tag that allows the failure
	kernel     Kernel
	ticker     *ticker
	// hide omits the cells with solutions. It is set if the notebook has a parameter named solutions with the
	// value false. With Options.Record it is never set: a recorded notebook keeps the outputs of its solutions.
	hide bool
	// changed records the parameters that this run has changed from the notebook's values, or is nil.
	changed *notebook.ParameterChanges
	// lock holds the versions of the other modules that the notebook imports. It is nil if the notebook imports
	// none.
	lock *notebook.Lock
}

// prepare does the checks that are possible before anything runs, and removes the outputs of earlier runs. If this run
// sets parameters or has the option Record, prepare also removes the cell in which an earlier run has recorded its
// assignments.
func (r *run) prepare() error {
	cells := r.nb.Cells
	if set := r.opt.Assignments(); len(set) > 0 {
		if !slices.ContainsFunc(cells, isParameters) {
			return fmt.Errorf("cannot set parameter %s: no cell of the notebook has the tag %q, or %%params above its code", set[0].Name, tagParameters)
		}
		if err := check(cells, set); err != nil {
			return err
		}
	}
	if len(r.opt.Assignments()) > 0 || r.opt.Record {
		r.nb.Cells = slices.DeleteFunc(cells, Injected)
	}
	for _, c := range r.nb.Cells {
		if c.Type == notebook.Code && !c.Tagged(tagSkip) {
			c.Outputs, c.ExecutionCount = nil, 0
		}
	}
	if r.opt.Memory != nil {
		return r.opt.Memory.Begin(r.nb, r.opt.Assignments())
	}
	return nil
}

// isSkipped reports whether a cell is not to be run.
func isSkipped(c *notebook.Cell) bool {
	return c.Type != notebook.Code || c.Tagged(tagSkip) || strings.TrimSpace(c.Source) == ""
}

// open opens the kernel and runs the cells.
func (r *run) open(ctx context.Context, folder string) (err error) {
	r.kernel, err = r.newKernel(ctx, folder)
	if err != nil {
		return err
	}
	defer func() {
		if h, ok := r.kernel.(*here); ok && r.res.Abandoned {
			err = join(err, h.leave()) // the kernel of an abandoned cell cannot be closed
			return
		}
		err = join(err, r.kernel.Close())
	}()
	w := r.opt.Progress
	if w == nil {
		w = r.kernel.Terminal()
	}
	r.ticker = board(w).ticker(r.name, r.start)
	r.out.bar = r.ticker.bar
	err = r.cells(ctx)
	switch {
	case ctx.Err() != nil:
		r.ticker.finish("stopped")
	case err != nil:
		r.ticker.finish("failed")
	default:
		if r.res.Kept > 0 {
			r.ticker.finish(fmt.Sprintf("%d cells run, %d kept", r.res.Cells, r.res.Kept))
			return err
		}
		r.ticker.finish(fmt.Sprintf("%d cells run", r.res.Cells))
	}
	return err
}

// join is like errors.Join, but returns a itself if b is nil.
func join(a, b error) error {
	if b == nil {
		return a
	}
	return errors.Join(a, b)
}

func (r *run) cells(parent context.Context) error {
	ctx := parent
	if r.opt.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(parent, r.opt.Timeout)
		defer cancel()
	}
	// The loop cannot range over the cells, because it inserts the injected cell.
	applied := false
	for i := 0; i < len(r.nb.Cells); i++ {
		c := r.nb.Cells[i]
		if isSkipped(c) || r.hide && c.Tagged(tagSolution) {
			continue
		}
		parameters := !applied && isParameters(c)
		var before []Variable
		if parameters {
			before = r.kernel.Vars()
		}
		if err := r.cell(ctx, parent, i, c); err != nil {
			return err
		}
		if !parameters {
			continue
		}
		applied = true
		if len(r.opt.Assignments()) == 0 {
			r.hide = !r.opt.Record && hides(r.kernel.Vars())
			continue
		}
		declared := settable(c.Source, before, r.kernel.Vars())
		if _, err := inject(r.kernel, declared, r.opt.Once); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		source, err := inject(r.kernel, declared, r.opt.Set)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		r.hide = !r.opt.Record && hides(r.kernel.Vars())
		r.changed = changes(c.ID, declared, r.kernel.Vars())
		if len(r.opt.Set) == 0 || r.replaces {
			continue // insert no cell, because a run of the written notebook must use the declared parameters
		}
		in := notebook.NewCode(source)
		in.SetTags(tagInjected)
		in.ID = r.freshID(c.ID)
		r.nb.Cells = slices.Insert(r.nb.Cells, i+1, in)
		if r.opt.Record {
			// The values are already set. The cell only records them, in the copy. If the cell ran, it would
			// use up an execution count, and the counts in the record would have a gap.
			i++
		}
	}
	return nil
}

// hides reports whether the solutions of exercises are hidden. They are hidden if vars has a variable named "solutions"
// with the value false.
func hides(vars []Variable) bool {
	return slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == "solutions" && v.Literal == "false" })
}

// freshID derives an unused id for the injected cell from the id of the parameters cell.
func (r *run) freshID(base string) string {
	id := base[:min(len(base), 50)] + "-injected"
	for slices.ContainsFunc(r.nb.Cells, func(c *notebook.Cell) bool { return c.ID == id }) {
		id += "_"
	}
	return id
}

// cell runs c, the cell with index i. ctx has the time limit of the whole notebook, and parent does not. If an error is
// returned, the run ends.
func (r *run) cell(ctx, parent context.Context, i int, c *notebook.Cell) error {
	if r.recall(c) {
		return nil
	}
	r.count++
	c.ExecutionCount = r.count
	r.ticker.cell(i+1, len(r.nb.Cells), c.Source)
	out := &sink{collector: r.out, cell: c, count: r.count}

	begin := time.Now()
	cellCtx, cancel := ctx, context.CancelFunc(func() {})
	if r.opt.CellTimeout > 0 {
		cellCtx, cancel = context.WithTimeout(ctx, r.opt.CellTimeout)
	}
	defer cancel()
	gone := false
	done := make(chan error, 1)
	go func() {
		done <- r.kernel.Execute(cellCtx, engine.Cell{Name: cellName(r.count), ID: c.ID, Source: c.Source}, out)
	}()
	var err error
	select {
	case err = <-done:
	case <-cellCtx.Done():
		grace := time.NewTimer(r.opt.Grace)
		defer grace.Stop()
		select {
		case err = <-done:
		case <-grace.C:
			err = &engine.Error{Kind: engine.Interrupted, Message: "the cell did not stop, and was abandoned"}
			if k, ok := r.kernel.(killer); ok {
				k.Kill()
				<-done // drop the error of the killed kernel; the time-out is reported instead
			} else {
				r.res.Abandoned = true
			}
			gone = true
		}
	}
	r.res.Cells++
	took := Cost{Wall: time.Since(begin)}
	if k, ok := r.kernel.(meter); ok {
		took.Processor = k.Processor()
	}
	r.note(c, took)
	if err == nil {
		if r.opt.Memory != nil {
			r.opt.Memory.Keep(r.kernel, c, took)
		}
		return nil
	}
	r.res.Failed++
	fault := asEngine(err)
	failure := &CellError{Notebook: r.name, Cell: i + 1, Count: r.count, Err: fault}
	// Only the contexts tell whether the time ran out; the kernel only reports that the cell was stopped.
	timeout := fault.Kind == engine.Interrupted && cellCtx.Err() != nil
	message := fault.Message
	if timeout && parent.Err() == nil {
		failure.Limit, failure.Whole = r.opt.CellTimeout, false
		if ctx.Err() != nil {
			failure.Limit, failure.Whole = r.opt.Timeout, true
		}
		message = fmt.Sprintf("time-out after %v: %s", failure.Limit, message)
	}
	out.fail(string(fault.Kind), message, fault.ANSI())
	if gone || timeout && (!r.opt.GoOn || ctx.Err() != nil) || fault.Kind == engine.Internal || fault.Kind == Died {
		return failure
	}
	if c.Tagged(tagRaises) {
		return nil
	}
	r.unexpected++
	if r.opt.AllowErrors {
		return nil
	}
	return failure
}

// recall asks the memory whether to skip a cell, and gives a skipped cell its known outputs. It reports whether the
// cell is skipped.
func (r *run) recall(c *notebook.Cell) bool {
	if r.opt.Memory == nil {
		return false
	}
	past := r.opt.Memory.Recall(r.kernel, c)
	if !past.Skip || past.Outputs == nil {
		return past.Skip
	}
	r.count++
	r.res.Kept++
	c.ExecutionCount = r.count
	c.Outputs = past.Outputs
	for _, o := range c.Outputs {
		if o.Type() == notebook.ExecuteResult {
			o["execution_count"] = r.count
		}
	}
	r.note(c, past.Took)
	return true
}

// note records the cost of a cell for the notebook's metadata.
func (r *run) note(c *notebook.Cell, took Cost) {
	r.took[c.ID] = seconds(took.Wall)
	if took.Processor > 0 {
		r.processor[c.ID] = seconds(took.Processor)
	}
}

func asEngine(err error) *engine.Error {
	var e *engine.Error
	if errors.As(err, &e) {
		return e
	}
	return &engine.Error{Kind: engine.Internal, Message: err.Error()}
}

// seconds returns d in seconds, rounded to milliseconds.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// stamp adds the results of the run to the notebook's metadata.
func (r *run) stamp() {
	r.nb.Settle()
	m := r.nb.Metadata
	own, _ := m["overcomplete"].(map[string]any)
	if own == nil {
		own = map[string]any{}
	}
	ran := map[string]any{}
	for _, c := range r.nb.Cells {
		if c.Type == notebook.Code && c.ExecutionCount > 0 {
			ran[c.ID] = SourceSum(c.Source)
		}
	}
	own["ran"] = ran
	own["timing"] = map[string]any{
		"started": r.start.UTC().Format(time.RFC3339),
		"seconds": seconds(r.res.Elapsed),
		"cells":   r.took,
	}
	if len(r.processor) > 0 {
		own["timing"].(map[string]any)["processor"] = r.processor
	}
	m["overcomplete"] = own
	r.nb.SetChanged(r.changed)
	r.nb.SetLock(r.lock)
}

// SourceSum returns a checksum of a cell's source. When the cell has run, this checksum is recorded in the notebook's
// metadata.
func SourceSum(source string) string {
	s := sha256.Sum256([]byte(source))
	return hex.EncodeToString(s[:8])
}

// Reformat replaces the source of a cell with an equivalent source. If the notebook's metadata says that the old
// source has run, Reformat makes it say that the new source has run.
func Reformat(nb *notebook.Notebook, c *notebook.Cell, source string) {
	own, _ := nb.Metadata["overcomplete"].(map[string]any)
	if ran, ok := own["ran"].(map[string]any); ok && ran[c.ID] == SourceSum(c.Source) {
		ran[c.ID] = SourceSum(source)
	}
	c.Source = source
}

// Ran returns the SourceSum that each code cell had in the last run of the notebook, by cell ID. It returns nil
// if this package has not run the notebook.
func Ran(nb *notebook.Notebook) map[string]string {
	own, _ := nb.Metadata["overcomplete"].(map[string]any)
	ran, ok := own["ran"].(map[string]any)
	if !ok {
		return nil
	}
	sums := map[string]string{}
	for id, v := range ran {
		if s, ok := v.(string); ok {
			sums[id] = s
		}
	}
	return sums
}

// Same reports whether two notebooks are the same apart from recorded times.
func Same(a, b []byte) (bool, error) {
	var plain [2][]byte
	for i, raw := range [][]byte{a, b} {
		nb, err := notebook.Parse(raw)
		if err != nil {
			return false, err
		}
		if own, ok := nb.Metadata["overcomplete"].(map[string]any); ok {
			delete(own, "timing")
		}
		if plain[i], err = nb.Bytes(); err != nil {
			return false, err
		}
	}
	return bytes.Equal(plain[0], plain[1]), nil
}
