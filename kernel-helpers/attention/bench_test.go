package attention

import (
	"testing"

	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/tape"
)

// torch is the same model in PyTorch, in float32, PyTorch's default: one encoder layer with a causal mask,
// post-norm, ReLU, and Adam.
const torch = `
import torch
torch.set_num_threads(1)
d, V, n, B = 32, 11, 10, 16
embed = torch.nn.Embedding(V, d)
layer = torch.nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
out = torch.nn.Linear(d, V)
pos = torch.randn(n, d)
mask = torch.triu(torch.full((n, n), float("-inf")), 1)
x, y = torch.randint(0, V, (B, n)), torch.randint(0, V, (B, n))
params = [p for m in (embed, layer, out) for p in m.parameters()]
adam = torch.optim.Adam(params, lr=0.001)
def step():
    adam.zero_grad()
    l = torch.nn.functional.cross_entropy(out(layer(embed(x) + pos, mask)).reshape(-1, V), y.reshape(-1))
    l.backward()
    adam.step()
`

// BenchmarkTrainingStep measures a training step (forward, backward, Adam) of the model with its defaults on
// 16 sequences of 10 tokens, against PyTorch on one thread. Matrix products go through blas64.
func BenchmarkTrainingStep(b *testing.B) {
	task := Task{Kind: Reverse}
	m, err := NewTransformer(Config{Vocabulary: task.Vocabulary()})
	if err != nil {
		b.Fatal(err)
	}
	batch := task.Batch(16, 1, 1)
	tp, adam := tape.New(), &tape.Adam{}
	step := func() {
		tp.Reset()
		l, err := m.Loss(tp, batch)
		if err != nil {
			b.Fatal(err)
		}
		tp.Backward(l)
		adam.Step(m.Params())
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			step()
		}
	})
	b.Run("torch", func(b *testing.B) {
		py := peer.Start(b, 1, torch, "torch")
		r := peer.Race(15, peer.Timer(func() {
			for range 50 {
				step()
			}
		}), py.Timer("for _ in range(50): step()"))
		for b.Loop() {
			step()
		}
		r.Report(b)
	})
}
