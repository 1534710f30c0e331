package frame

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"testing"
)

// A result is the test database's answer to every query.
type result struct {
	names  []string
	types  []string       // the database's type names
	scans  []reflect.Type // nil if the driver does not report them
	rows   [][]driver.Value
	fails  error // error returned after the last row
	args   []driver.NamedValue
	closed bool
}

var errRefused = errors.New("syntax error near SELEKT")

func (r *result) open(t *testing.T) *sql.DB {
	db := sql.OpenDB(connector{r})
	t.Cleanup(func() { db.Close() })
	return db
}

type connector struct{ r *result }

func (c connector) Connect(context.Context) (driver.Conn, error) { return conn(c), nil }
func (c connector) Driver() driver.Driver                        { return nil }

type conn struct{ r *result }

func (c conn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c conn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c conn) Close() error                        { return nil }
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if query == "SELEKT" {
		return nil, errRefused
	}
	c.r.args = args
	return &cursor{r: c.r}, nil
}

type cursor struct {
	r  *result
	at int
}

func (c *cursor) Columns() []string { return c.r.names }
func (c *cursor) Close() error      { c.r.closed = true; return nil }
func (c *cursor) Next(dest []driver.Value) error {
	if c.at == len(c.r.rows) {
		if c.r.fails != nil {
			return c.r.fails
		}
		return io.EOF
	}
	copy(dest, c.r.rows[c.at])
	c.at++
	return nil
}
func (c *cursor) ColumnTypeDatabaseTypeName(i int) string {
	if c.r.types == nil {
		return ""
	}
	return c.r.types[i]
}
func (c *cursor) ColumnTypeScanType(i int) reflect.Type {
	if c.r.scans == nil {
		return reflect.TypeFor[any]()
	}
	return c.r.scans[i]
}
