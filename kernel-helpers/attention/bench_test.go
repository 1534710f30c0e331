package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/tape"
)

// torch defines the same model in PyTorch, also in float64: blocks with a causal mask, post-norm and ReLU, without
// dropout, trained by Adam. PyTorch's Linear holds the transpose of our matrices.
const torch = `
import torch
from torch.nn import functional as F
torch.set_num_threads(threads)
torch.set_default_dtype(torch.float64)

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.o = torch.nn.Linear(d, 3 * d, bias=False), torch.nn.Linear(d, d, bias=False)
        self.up, self.down = torch.nn.Linear(d, hidden), torch.nn.Linear(hidden, d)
        self.norm1, self.norm2 = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)
    def forward(self, h):
        B, n, _ = h.shape
        q, k, v = self.qkv(h).view(B, n, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, n, d)
        h = self.norm1(h + self.o(a))
        return self.norm2(h + self.down(F.relu(self.up(h))))

embed, out = torch.nn.Embedding(V, d), torch.nn.Linear(d, V)
blocks = torch.nn.ModuleList([Block() for _ in range(layers)])
own = [embed.weight]
for b in blocks:
    own += [b.qkv.weight[:d], b.qkv.weight[d:2*d], b.qkv.weight[2*d:], b.o.weight, b.up.weight, b.up.bias, b.down.weight, b.down.bias,
            b.norm1.weight, b.norm1.bias, b.norm2.weight, b.norm2.bias]
own += [out.weight, out.bias]
with torch.no_grad():
    for to, value in zip(own, given):
        value = torch.from_numpy(value)
        to.copy_(value if to is embed.weight else value.T.reshape(to.shape))
pos, x, y = torch.from_numpy(pos), torch.from_numpy(x).long(), torch.from_numpy(y).long()
adam = torch.optim.Adam([p for m in (embed, blocks, out) for p in m.parameters()], lr=0.001)
def step():
    global loss
    adam.zero_grad()
    h = embed(x) + pos
    for b in blocks: h = b(h)
    loss = F.cross_entropy(out(h).reshape(-1, V), y.reshape(-1), ignore_index=-1)
    loss.backward()
    adam.step()
`

// startTorch starts PyTorch, and passes it the parameters of m and the batch.
func startTorch(tb testing.TB, threads int, m *Transformer, batch Batch) *peer.Python {
	tb.Helper()
	py := peer.Start(tb, threads, "", "numpy", "torch")
	py.Do(fmt.Sprintf("threads, V, d, heads, hidden, layers = %d, %d, %d, %d, %d, %d", threads, m.Vocabulary, m.Width, m.Heads, m.Hidden, m.Blocks))
	var given []string
	for k, p := range m.Params() {
		given = append(given, fmt.Sprintf("p%d", k))
		py.Array(given[k], p.X)
	}
	py.Array("pos", Sinusoid(len(batch.Inputs[0]), m.Width))
	list := func(seqs [][]int) string { return strings.Join(strings.Fields(fmt.Sprint(seqs)), ", ") }
	py.Do(fmt.Sprintf("given = [%s]\nx, y = numpy.array(%s), numpy.array(%s)", strings.Join(given, ", "), list(batch.Inputs), list(batch.Targets)))
	py.Do(torch)
	return py
}

// trainings lists the models, and the lengths of their sequences, that are compared with PyTorch. The last model
// computes attention by matrix products.
var trainings = []struct {
	name     string
	sequence int
	config   Config
	steps    int // number of training steps in one turn of the benchmark
}{
	{"default", 10, Config{Vocabulary: 11}, 50},
	{"wide", 64, Config{Vocabulary: 64, Width: 128, Blocks: 2}, 2},
}

// trainer returns a model, a batch of random sequences, and a function step. Each call to step trains the model on the
// batch for one step, and returns the loss before that step.
func trainer(tb testing.TB, sequence int, c Config) (m *Transformer, batch Batch, step func() float64) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 16 {
		tokens := make([]int, sequence+1)
		for t := range tokens {
			tokens[t] = rng.IntN(c.Vocabulary)
		}
		batch.Inputs, batch.Targets = append(batch.Inputs, tokens[:sequence]), append(batch.Targets, tokens[1:])
	}
	m, err := NewTransformer(c)
	if err != nil {
		tb.Fatal(err)
	}
	t, adam := tape.New(), &tape.Adam{}
	return m, batch, func() float64 {
		t.Reset()
		l, err := m.Loss(t, batch)
		if err != nil {
			tb.Fatal(err)
		}
		t.Backward(l)
		adam.Step(m.Params())
		return l.Scalar()
	}
}

// TestTrainingTorch: from the same parameters, PyTorch has the same losses in the first steps of training.
func TestTrainingTorch(t *testing.T) {
	for _, c := range trainings {
		m, batch, step := trainer(t, c.sequence, c.config)
		py := startTorch(t, 1, m, batch)
		for k := range 10 {
			py.Do("step()")
			if mine, theirs := step(), py.Float("loss.item()"); math.Abs(mine-theirs) > 1e-9 {
				t.Errorf("%s: the loss of step %d is %v, PyTorch's is %v", c.name, k, mine, theirs)
			}
		}
	}
}

// BenchmarkTrainingStep compares a training step (forward, backward, Adam) with PyTorch's, from the same parameters on
// the same sequences. The objectives are the losses of the last step. After hundreds of steps they differ a little,
// because Adam amplifies rounding errors.
func BenchmarkTrainingStep(b *testing.B) {
	gemm.Use()
	for _, c := range trainings {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				defer gemm.SetWorkers(gemm.SetWorkers(threads))
				m, batch, step := trainer(b, c.sequence, c.config)
				py := startTorch(b, threads, m, batch)
				var loss float64
				r := peer.Race(15, peer.Timer(func() {
					for range c.steps {
						loss = step()
					}
				}), py.Timer(fmt.Sprintf("for _ in range(%d): step()", c.steps)))
				r.Report(b)
				b.ReportMetric(loss, "objective")
				b.ReportMetric(py.Float("loss.item()"), "peer-objective")
			})
		}
	}
}
