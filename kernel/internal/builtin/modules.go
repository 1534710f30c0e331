package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/internal/render"
)

// errNoModules is the error of %get and %mod in a kernel that cannot use other modules.
var errNoModules = errors.New("this kernel has only its built-in packages")

// get implements %get, which pins modules to versions.
func (c *call) get(ctx context.Context) ([]engine.Value, error) {
	m := c.runner.Modules
	if m == nil {
		return nil, errNoModules
	}
	return nil, c.advised(ctx, m.Get(ctx, c.Command))
}

// mod implements %mod, which lists the modules in use, or changes them as its arguments say.
func (c *call) mod(ctx context.Context) ([]engine.Value, error) {
	m := c.runner.Modules
	if m == nil {
		return nil, errNoModules
	}
	args := strings.Fields(c.Args)
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	var err error
	switch {
	case verb == "" && len(args) == 0:
		err = c.listModules(ctx)
	case verb == "tidy" && len(args) == 0:
		err = m.Tidy(ctx)
	case verb == "reload":
		err = m.Reload(ctx, args)
	case verb == "source" && len(args) > 0:
		err = m.Source(ctx, args)
	case (verb == "off" || verb == "on") && len(args) == 0:
		err = m.SetOff(verb == "off")
	case verb == "cgo" && (slices.Equal(args, []string{"on"}) || slices.Equal(args, []string{"off"})):
		err = m.SetCgo(args[0] == "on")
	default:
		return nil, c.usage()
	}
	return nil, c.advised(ctx, err)
}

func (c *call) listModules(ctx context.Context) error {
	l, err := c.runner.Modules.List(ctx)
	if err != nil {
		return err
	}
	notes := strings.Join(l.Notes, "\n")
	if len(l.Rows) == 0 {
		_, err := c.runner.Stdout.Write([]byte("no cell has imported a package of another module\n" + notes + "\n"))
		return err
	}
	c.runner.Show(render.Table([]string{"module", "version", "how", "note"}, []bool{true, true, true, true}, l.Rows, notes))
	return nil
}

// advised turns err, an error of the Provider that supplies modules, into an error of the command c. If the Provider
// gives advice, the advice becomes a hint of the error.
func (c *call) advised(ctx context.Context, err error) error {
	var known *engine.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return interrupted()
	case errors.As(err, &known):
		return err
	}
	e := c.fail("%v", err)
	var advised *provision.AdviceError
	if errors.As(err, &advised) && advised.Advice != "" {
		e.Hints = []string{advised.Advice}
	}
	return e
}
