package node

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	list, err := parse([]byte(`{"id": "a", "milliseconds": 1.5, "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}]}
{"id": "b", "milliseconds": 2, "outputs": [{"output_type": "error", "ename": "Panic", "evalue": "bad", "traceback": []}]}
`))
	if err != nil || len(list) != 2 || list[0].ID != "a" || list[0].Took.Microseconds() != 1500 || list[0].Outputs[0].Text() != "x" {
		t.Fatalf("%v, %v", list, err)
	}
	if got := failure(list); got != "cell b: Panic: bad\n" {
		t.Errorf("failure: %q", got)
	}
	if got := failure(list[:1]) + failure(nil); got != "" {
		t.Errorf("failure without one: %q", got)
	}
	if _, err := parse([]byte("warning: x\n")); err == nil || !strings.Contains(err.Error(), "warning: x") {
		t.Errorf("what is not JSON: %v", err)
	}
}

func TestRunWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Run(t.Context(), Program{}, t.TempDir(), nil); !errors.Is(err, ErrNoNode) {
		t.Errorf("%v", err)
	}
}
