package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ProtocolVersion is the version of the messaging protocol that this package
// implements.
const ProtocolVersion = "5.4"

// delimiter separates the routing identities of a message from the rest.
const delimiter = "<IDS|MSG>"

// The reasons to drop a message. Each error of Decode wraps one of these errors.
var (
	ErrMalformed = errors.New("wire: malformed message")
	ErrSignature = errors.New("wire: wrong signature")
	ErrReplay    = errors.New("wire: message received before")
)

// A Header identifies a message, its type and its sender.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"` // ISO 8601
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// A Message is one Jupyter message.
type Message struct {
	// Identities are the routing frames in front of the message: the peer's
	// identity on a ROUTER, the topic on iopub.
	Identities [][]byte
	Header     Header
	// RawHeader is the header as received; replies contain it unchanged as their parent header. Encode ignores
	// it.
	RawHeader json.RawMessage
	// ParentHeader is the header of the message that caused this one, or nil.
	ParentHeader json.RawMessage
	// Metadata is a JSON object; nil stands for an empty object.
	Metadata json.RawMessage
	// Content is a JSON object; nil stands for an empty object.
	Content json.RawMessage
	// Buffers are raw bytes that follow the message. They are not signed.
	Buffers [][]byte
}

// A Codec converts messages to frames and back. It may be used by several
// goroutines.
type Codec struct {
	key []byte

	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool
	ring [][sha256.Size]byte // the remembered digests in a ring; once the ring is full, the field next is the index of the oldest digest
	next int
}

// replayMemory is the number of signatures that a Codec remembers. It is the same as in Jupyter's own sessions.
const replayMemory = 1 << 16

// NewCodec returns a Codec that signs with HMAC-SHA256 under key, or does not sign if key
// is empty.
func NewCodec(key string) *Codec {
	return &Codec{key: []byte(key), seen: make(map[[sha256.Size]byte]bool)}
}

func (c *Codec) sign(parts [][]byte) []byte {
	mac := hmac.New(sha256.New, c.key)
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}

var emptyObject = json.RawMessage("{}")

func orEmpty(m json.RawMessage) []byte {
	if len(m) == 0 {
		return emptyObject
	}
	return m
}

// Encode signs m and returns its frames: the identities, a delimiter, the signature, four JSON parts and the buffers.
func (c *Codec) Encode(m *Message) ([][]byte, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, fmt.Errorf("wire: header: %w", err)
	}
	parts := [][]byte{header, orEmpty(m.ParentHeader), orEmpty(m.Metadata), orEmpty(m.Content)}
	signature := []byte{}
	if len(c.key) > 0 {
		signature = hex.AppendEncode(nil, c.sign(parts))
	}
	frames := make([][]byte, 0, len(m.Identities)+6+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, []byte(delimiter), signature)
	frames = append(frames, parts...)
	return append(frames, m.Buffers...), nil
}

// Decode converts frames to a message and checks its signature. Its errors wrap ErrMalformed, ErrSignature or
// ErrReplay. The message aliases the frames.
func (c *Codec) Decode(frames [][]byte) (*Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("%w: no delimiter in %d frames", ErrMalformed, len(frames))
	}
	body := frames[at+1:]
	if len(body) < 5 {
		return nil, fmt.Errorf("%w: %d frames after the delimiter, at least 5 are needed", ErrMalformed, len(body))
	}
	// Check the signature first, so that no part of an unsigned message is parsed.
	if err := c.verify(body[0], body[1:5]); err != nil {
		return nil, err
	}
	return parse(frames[:at:at], body[1:5], body[5:])
}

// parse returns the message made of identities, four JSON parts and buffers, without copying them. Its errors
// wrap ErrMalformed.
func parse(identities, parts, buffers [][]byte) (*Message, error) {
	m := &Message{
		Identities:   identities,
		RawHeader:    parts[0],
		ParentHeader: parts[1],
		Metadata:     parts[2],
		Content:      parts[3],
		Buffers:      buffers,
	}
	for i, name := range []string{"header", "parent header", "metadata", "content"} {
		p := bytes.TrimSpace(parts[i])
		if i > 0 && string(p) == "null" {
			// Some clients write null for an absent object.
			*[]*json.RawMessage{nil, &m.ParentHeader, &m.Metadata, &m.Content}[i] = emptyObject
			continue
		}
		if len(p) == 0 || p[0] != '{' || !json.Valid(p) {
			return nil, fmt.Errorf("%w: the %s is not a JSON object", ErrMalformed, name)
		}
	}
	if err := json.Unmarshal(m.RawHeader, &m.Header); err != nil {
		return nil, fmt.Errorf("%w: header: %v", ErrMalformed, err)
	}
	if m.Header.MsgType == "" {
		return nil, fmt.Errorf("%w: the header has no msg_type", ErrMalformed)
	}
	return m, nil
}

func (c *Codec) verify(signature []byte, parts [][]byte) error {
	if len(c.key) == 0 {
		return nil
	}
	var got [sha256.Size]byte
	if len(signature) != hex.EncodedLen(len(got)) {
		return ErrSignature
	}
	if _, err := hex.Decode(got[:], signature); err != nil {
		return ErrSignature
	}
	if !hmac.Equal(got[:], c.sign(parts)) {
		return ErrSignature
	}
	if !c.add(got) {
		return ErrReplay
	}
	return nil
}

// add remembers a digest. It returns false if the digest is already known.
func (c *Codec) add(got [sha256.Size]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[got] {
		return false
	}
	c.seen[got] = true
	if len(c.ring) < replayMemory {
		c.ring = append(c.ring, got)
		return true
	}
	delete(c.seen, c.ring[c.next])
	c.ring[c.next] = got
	c.next = (c.next + 1) % replayMemory
	return true
}

const digestSize = sha256.Size

// digests returns the remembered digests, oldest first.
func (c *Codec) digests() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b []byte
	for i := range c.ring {
		b = append(b, c.ring[(c.next+i)%len(c.ring)][:]...)
	}
	return b
}

// remember adds the digests of another Codec, in the form that Codec.digests returns.
func (c *Codec) remember(digests []byte) {
	for ; len(digests) >= digestSize; digests = digests[digestSize:] {
		c.add([sha256.Size]byte(digests))
	}
}

// NewID returns a random identifier for a message or a session.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: if there is no randomness, it ends the program
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NewHeader returns the header of a new message of the given type.
func NewHeader(session, username, msgType string) Header {
	return Header{
		MsgID:    NewID(),
		Session:  session,
		Username: username,
		Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		MsgType:  msgType,
		Version:  ProtocolVersion,
	}
}

// Marshal returns the JSON of v for a message. It does not escape <, > and &, because the escapes of json.Marshal
// would make HTML and SVG much longer. If a MarshalJSON method panics, Marshal returns an error.
func Marshal(v any) (raw json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			raw, err = nil, fmt.Errorf("wire: JSON: panic: %v", r)
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("wire: JSON: %w", err)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// plain is a message in the form that JavaScript front ends use: one JSON object.
type plain struct {
	Channel  string          `json:"channel"`
	Header   json.RawMessage `json:"header"`
	Parent   json.RawMessage `json:"parent_header"`
	Metadata json.RawMessage `json:"metadata"`
	Content  json.RawMessage `json:"content"`
	Buffers  []string        `json:"buffers,omitempty"` // in base64
	HTML     string          `json:"html,omitempty"`
}

// ParsePlain parses a message, and the name of its channel, from one JSON object:
//
//	{"channel": "shell", "header": {}, "parent_header": {}, "metadata": {}, "content": {}, "buffers": []}
//
// Buffers are in base64. The returned message has one empty identity. Errors wrap ErrMalformed.
func ParsePlain(text []byte) (channel string, m *Message, err error) {
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return "", nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	var buffers [][]byte
	for i, b := range p.Buffers {
		raw, err := base64.StdEncoding.DecodeString(b)
		if err != nil {
			return "", nil, fmt.Errorf("%w: buffer %d: %v", ErrMalformed, i, err)
		}
		buffers = append(buffers, raw)
	}
	parts := [][]byte{p.Header, orEmpty(p.Parent), orEmpty(p.Metadata), orEmpty(p.Content)}
	m, err = parse([][]byte{{}}, parts, buffers)
	return p.Channel, m, err
}

// Plain returns m in the form that ParsePlain reads. If html is not empty, it becomes a field "html".
func (m *Message) Plain(channel, html string) (json.RawMessage, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, fmt.Errorf("wire: header: %w", err)
	}
	return encodePlain(plain{channel, header, orEmpty(m.ParentHeader), orEmpty(m.Metadata), orEmpty(m.Content), nil, html}, m.Buffers)
}

// encodePlain returns p with buffers as one line of JSON.
func encodePlain(p plain, buffers [][]byte) (json.RawMessage, error) {
	for _, b := range buffers {
		p.Buffers = append(p.Buffers, base64.StdEncoding.EncodeToString(b))
	}
	return Marshal(p)
}
