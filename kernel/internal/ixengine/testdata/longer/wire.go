package main

import (
	"bytes"
	"compress/gzip"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
)

// Binary formats: headers with encoding/binary, varints, TLV, checksums, gob, xml, json with custom types.

type Header struct {
	Magic   [4]byte
	Version uint16
	Flags   uint8
	_       uint8
	Length  uint32
	Scale   float32
}

type Kind uint8

const (
	KNull Kind = iota
	KInt
	KText
	KList
	KFloat
)

type Value struct {
	Kind Kind
	Int  int64
	Text string
	List []Value
	F    float64
}

var errShort = errors.New("too short")

func (v Value) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, byte(v.Kind))
	switch v.Kind {
	case KInt:
		b = binary.AppendVarint(b, v.Int)
	case KText:
		b = binary.AppendUvarint(b, uint64(len(v.Text)))
		b = append(b, v.Text...)
	case KFloat:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.F))
	case KList:
		b = binary.AppendUvarint(b, uint64(len(v.List)))
		for _, x := range v.List {
			var err error
			if b, err = x.AppendBinary(b); err != nil {
				return nil, err
			}
		}
	case KNull:
	default:
		return nil, fmt.Errorf("kind %d", v.Kind)
	}
	return b, nil
}

func (v Value) MarshalBinary() ([]byte, error) { return v.AppendBinary(nil) }

func (v *Value) read(r *bytes.Reader) (err error) {
	defer func() {
		if err == io.EOF {
			err = errShort
		}
	}()
	k, err := r.ReadByte()
	if err != nil {
		return err
	}
	*v = Value{Kind: Kind(k)}
	switch v.Kind {
	case KInt:
		v.Int, err = binary.ReadVarint(r)
	case KText:
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if n > uint64(r.Len()) {
			return fmt.Errorf("text of %d: %w", n, errShort)
		}
		b := make([]byte, n)
		io.ReadFull(r, b)
		v.Text = string(b)
	case KFloat:
		var u uint64
		err = binary.Read(r, binary.LittleEndian, &u)
		v.F = math.Float64frombits(u)
	case KList:
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		for i := range n {
			var x Value
			if err := x.read(r); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
			v.List = append(v.List, x)
		}
	}
	return err
}

func (v *Value) UnmarshalBinary(b []byte) error { return v.read(bytes.NewReader(b)) }

var (
	_ encoding.BinaryMarshaler   = Value{}
	_ encoding.BinaryUnmarshaler = (*Value)(nil)
)

type Shape interface{ Area() float64 }
type Circle struct{ R float64 }
type Rect struct{ W, H float64 }

func (c Circle) Area() float64 { return 3 * c.R * c.R }
func (r *Rect) Area() float64  { return r.W * r.H }

type Doc struct {
	XMLName xml.Name `xml:"doc"`
	ID      int      `xml:"id,attr"`
	Title   string   `xml:"head>title"`
	Items   []Entry  `xml:"item"`
	Note    string   `xml:",comment"`
}

type Entry struct {
	Key  string `xml:"key,attr"`
	Text string `xml:",chardata"`
}

type hexBytes []byte

func (h hexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%x", []byte(h))) }
func (h *hexBytes) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	_, err := fmt.Sscanf(s, "%x", (*[]byte)(h))
	return err
}

func main() {
	var buf bytes.Buffer
	h := Header{Magic: [4]byte{'G', 'O', 0, 1}, Version: 3, Flags: 0x80, Length: 77, Scale: 1.5}
	fmt.Println(binary.Write(&buf, binary.BigEndian, h), buf.Len(), binary.Size(h))
	fmt.Printf("% x\n", buf.Bytes())
	var back Header
	fmt.Println(binary.Read(&buf, binary.BigEndian, &back), back == h, string(back.Magic[:2]))
	v := Value{Kind: KList, List: []Value{{Kind: KInt, Int: -300}, {Kind: KText, Text: "héy"}, {}, {Kind: KFloat, F: math.Pi}, {Kind: KList, List: []Value{{Kind: KInt, Int: 1 << 40}}}}}
	b, err := v.MarshalBinary()
	fmt.Printf("%x %v %08x\n", b, err, crc32.ChecksumIEEE(b))
	var w Value
	fmt.Println(w.UnmarshalBinary(b), fmt.Sprint(v) == fmt.Sprint(w), w.List[4].List[0].Int)
	for _, n := range []int{0, 3, 7, 12} {
		err := w.UnmarshalBinary(b[:n])
		fmt.Println(n, err, errors.Is(err, errShort))
	}
	_, err = Value{Kind: 9}.MarshalBinary()
	fmt.Println(err)

	var net bytes.Buffer
	shapes := map[string]*Rect{"r": {2, 3}}
	fmt.Println(gob.NewEncoder(&net).Encode(struct {
		Shapes map[string]*Rect
		Raw    Value
		N      *int
	}{shapes, v, nil}))
	var got struct {
		Shapes map[string]*Rect
		Raw    Value
	}
	fmt.Println(gob.NewDecoder(&net).Decode(&got), Shape(Circle{2}).Area(), got.Shapes["r"].Area(), got.Raw.List[1].Text)

	d := Doc{ID: 5, Title: "T & <x>", Items: []Entry{{"a", "one"}, {"b", "two"}}, Note: " hi "}
	x, err := xml.MarshalIndent(d, "", " ")
	fmt.Println(string(x), err)
	var dd Doc
	fmt.Println(xml.Unmarshal(x, &dd), dd.Title, dd.Items, dd.XMLName.Local)
	dec := xml.NewDecoder(strings.NewReader("<a><b c='d'>t</b></a>"))
	for {
		t, err := dec.Token()
		if err != nil {
			fmt.Println(err)
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			fmt.Print("<", t.Name.Local, t.Attr, " ")
		case xml.CharData:
			fmt.Print(string(t), " ")
		case xml.EndElement:
			fmt.Print("/", t.Name.Local, " ")
		}
	}
	j, err := json.Marshal(map[string]any{"h": hexBytes("hi!"), "f": 1e21, "n": json.Number("12"), "e": []int{}, "z": [2]bool{true}})
	fmt.Println(string(j), err)
	var hb struct{ H *hexBytes }
	fmt.Println(json.Unmarshal([]byte(`{"h":"6869"}`), &hb), string(*hb.H))
	var any1 any
	json.Unmarshal([]byte(`{"a":[1,2.5,"x",{"b":true}]}`), &any1)
	fmt.Println(any1, any1.(map[string]any)["a"].([]any)[3].(map[string]any)["b"])
	_, err = json.Marshal(math.Inf(1))
	var ue *json.UnsupportedValueError
	fmt.Println(err, errors.As(err, &ue))
	var z bytes.Buffer
	gz := gzip.NewWriter(&z)
	io.WriteString(gz, strings.Repeat("compress me ", 100))
	gz.Close()
	r, err := gzip.NewReader(&z)
	all, _ := io.ReadAll(r)
	fmt.Println(len(all), err, base64.StdEncoding.EncodeToString(all[:10]))
}
