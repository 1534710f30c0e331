package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// An encoder and a decoder by reflection, with struct tags, and a small dependency container.

type Marshaler interface{ MarshalKV() (string, error) }

type Level int

func (l Level) MarshalKV() (string, error) {
	if l < 0 {
		return "", fmt.Errorf("level %d", int(l))
	}
	return strings.Repeat("+", int(l)), nil
}

type Base struct {
	ID      int64 `kv:"id"`
	Created time.Time
}

type Config struct {
	Base
	Name    string            `kv:"name" check:"nonempty"`
	Ratio   float64           `kv:"ratio,omitempty"`
	Flags   []bool            `kv:"flags"`
	Env     map[string]string `kv:"env"`
	Sub     *Config           `kv:"sub,omitempty"`
	Level   Level             `kv:"level"`
	secret  string
	Skip    func() `kv:"-"`
	Any     any    `kv:"any"`
	Matrix  [2][2]uint8
	Timeout time.Duration `kv:"timeout"`
}

func encode(v reflect.Value, path string, out *[]string) error {
	if v.IsValid() && v.CanInterface() {
		if m, ok := v.Interface().(Marshaler); ok {
			s, err := m.MarshalKV()
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			*out = append(*out, path+"="+s)
			return nil
		}
		if s, ok := v.Interface().(fmt.Stringer); ok && v.Kind() != reflect.Pointer {
			*out = append(*out, path+"="+s.String())
			return nil
		}
	}
	switch v.Kind() {
	case reflect.Invalid:
		*out = append(*out, path+"=nil")
	case reflect.Struct:
		t := v.Type()
		for i := range t.NumField() {
			f := t.Field(i)
			tag, opts, _ := strings.Cut(f.Tag.Get("kv"), ",")
			if !f.IsExported() && !f.Anonymous || tag == "-" {
				continue
			}
			if opts == "omitempty" && v.Field(i).IsZero() {
				continue
			}
			name := tag
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			p := path + "." + name
			if f.Anonymous {
				p = path
			}
			if f.Tag.Get("check") == "nonempty" && v.Field(i).Len() == 0 {
				return fmt.Errorf("%s is empty", p)
			}
			if err := encode(v.Field(i), p, out); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := encode(v.Index(i), fmt.Sprintf("%s[%d]", path, i), out); err != nil {
				return err
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, k := range keys {
			if err := encode(v.MapIndex(k), path+"{"+k.String()+"}", out); err != nil {
				return err
			}
		}
	case reflect.Pointer, reflect.Interface:
		return encode(v.Elem(), path, out)
	case reflect.Func, reflect.Chan:
		return &reflect.ValueError{Method: "encode", Kind: v.Kind()}
	default:
		*out = append(*out, fmt.Sprintf("%s=%v", path, v.Interface()))
	}
	return nil
}

func decode(pairs []string, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("decode wants a pointer")
	}
	v = v.Elem()
	for _, p := range pairs {
		key, val, _ := strings.Cut(p, "=")
		f := v.FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, key) })
		if !f.IsValid() || !f.CanSet() {
			return fmt.Errorf("no field %s", key)
		}
		switch f.Kind() {
		case reflect.Int, reflect.Int64:
			if f.Type() == reflect.TypeFor[time.Duration]() {
				d, err := time.ParseDuration(val)
				if err != nil {
					return err
				}
				f.SetInt(int64(d))
				continue
			}
			n, err := strconv.ParseInt(val, 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			f.SetInt(n)
		case reflect.Float64:
			x, _ := strconv.ParseFloat(val, 64)
			f.SetFloat(x)
		case reflect.String:
			f.SetString(val)
		case reflect.Slice:
			for _, s := range strings.Split(val, ",") {
				f.Set(reflect.Append(f, reflect.ValueOf(s == "y")))
			}
		case reflect.Map:
			if f.IsNil() {
				f.Set(reflect.MakeMap(f.Type()))
			}
			k, e, _ := strings.Cut(val, ":")
			f.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(e))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			f.Elem().FieldByName("Name").SetString(val)
		}
	}
	return nil
}

type Container struct {
	made   map[reflect.Type]reflect.Value
	makers map[reflect.Type]reflect.Value
}

func (c *Container) Provide(f any) {
	v := reflect.ValueOf(f)
	c.makers[v.Type().Out(0)] = v
}

func (c *Container) get(t reflect.Type) reflect.Value {
	if v, ok := c.made[t]; ok {
		return v
	}
	f := c.makers[t]
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		args = append(args, c.get(f.Type().In(i)))
	}
	c.made[t] = f.Call(args)[0]
	return c.made[t]
}

func (c *Container) Invoke(f any) {
	v := reflect.ValueOf(f)
	var args []reflect.Value
	for i := range v.Type().NumIn() {
		args = append(args, c.get(v.Type().In(i)))
	}
	v.Call(args)
}

type Logger struct{ prefix string }
type DB interface{ Query(string) string }
type memDB struct{ log *Logger }

func (d *memDB) Query(s string) string { return d.log.prefix + s }

func main() {
	c := Config{
		Base: Base{ID: 7, Created: time.Unix(0, 0).UTC()}, Name: "root", Flags: []bool{true, false}, Env: map[string]string{"b": "2", "a": "1"},
		Sub: &Config{Name: "sub", Ratio: 0.5, Any: []any{1, "x", nil, map[string]int{"k": 3}}, Level: 1}, Level: 3, secret: "s", Any: &Base{ID: 9},
		Matrix: [2][2]uint8{{1, 2}, {3, 4}}, Timeout: 90 * time.Second,
	}
	var out []string
	err := encode(reflect.ValueOf(c), "", &out)
	fmt.Println(strings.Join(out, "\n"), err)
	c.Sub.Level = -1
	fmt.Println(encode(reflect.ValueOf(&c), "c", &out))
	fmt.Println(encode(reflect.ValueOf(Config{}), "", &out))
	err = encode(reflect.ValueOf(map[string]any{"f": func() {}}), "m", &out)
	var ve *reflect.ValueError
	fmt.Println(errors.As(err, &ve), err)
	var d Config
	fmt.Println(decode([]string{"name=x", "ratio=2.5", "id=12", "flags=y,n,y", "env=k:v", "sub=inner", "timeout=3s", "level=2"}, &d))
	fmt.Println(d.Name, d.Ratio, d.ID, d.Flags, d.Env, d.Sub.Name, d.Timeout, d.Level)
	fmt.Println(decode([]string{"secret=1"}, &d), decode(nil, d), decode([]string{"id=z"}, &d))
	ct := &Container{map[reflect.Type]reflect.Value{}, map[reflect.Type]reflect.Value{}}
	count := 0
	ct.Provide(func() *Logger { count++; return &Logger{fmt.Sprint("log", count, ": ")} })
	ct.Provide(func(l *Logger) DB { return &memDB{l} })
	ct.Invoke(func(db DB, l *Logger) { fmt.Println(db.Query("select"), l.prefix, count) })
	t := reflect.TypeFor[Config]()
	f, _ := t.FieldByName("Created")
	m, ok := reflect.TypeFor[*memDB]().MethodByName("Query")
	fmt.Println(t.NumField(), f.Index, f.Type, ok, m.Name, m.Type.NumIn(), reflect.TypeFor[DB]().NumMethod(), reflect.TypeFor[*memDB]().Implements(reflect.TypeFor[DB]()))
	swap := reflect.MakeFunc(reflect.TypeOf(func(int, string) (string, int) { return "", 0 }), func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[1], a[0]} })
	fmt.Println(swap.Interface().(func(int, string) (string, int))(1, "one"))
	st := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeOf(0), Tag: `kv:"a"`}, {Name: "B", Type: reflect.TypeOf("")}})
	sv := reflect.New(st).Elem()
	sv.Field(0).SetInt(5)
	fmt.Printf("%+v %v %t\n", sv.Interface(), st, reflect.DeepEqual(c, c) == reflect.DeepEqual(&d, &d))
}
