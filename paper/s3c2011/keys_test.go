package s3c2011

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
)

// A card is a device that only has a name.
type card struct{ gpu.Device }

func (card) Info() gpu.Info { return gpu.Info{Name: "NVIDIA H100 (80GB)"} }

// What depends on a device has keys of its own; what does not has the same as on a processor.
func TestDeviceKeys(t *testing.T) {
	l := fullLab(t)
	here := l.keys()
	l.Device = card{}
	there := l.keys()
	for _, c := range []struct {
		what       string
		here, with lab.Key
		depends    bool
	}{
		{"model", here.model(), there.model(), true}, {"test of S3C", here.test(S3C), there.test(S3C), true},
		{"test of products", here.test(S3CProduct), there.test(S3CProduct), true},
		{"atoms", here.atoms(SoftThreshold), there.atoms(SoftThreshold), false}, {"test of a dictionary", here.test(SoftThreshold), there.test(SoftThreshold), false},
	} {
		switch {
		case !c.depends && c.here != c.with:
			t.Errorf("%s: %v, on a device %v", c.what, c.here, c.with)
		case c.depends && !strings.HasSuffix(strings.TrimSuffix(c.with.Name(), ".mat"), "-nvidia-h100-80gb"):
			t.Errorf("%s: %v", c.what, c.with.Name())
		}
	}
	if l.skips() {
		t.Error("units are skipped on a device")
	}
}

// The full size needs every stage in the folder trained, according to the stages' keys.
func TestKeptKeys(t *testing.T) {
	l := fullLab(t)
	l.store = &lab.Store{Kept: "trained"}
	p := l.photographs // enough photographs, because their number determines how many are used
	im, _, err := vision.NewLeaves(t.Context(), &vision.LeavesOptions{N: 2000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Train, p.Test = im.Slice(0, 1000), im.Slice(1000, 2000)
	p.TrainLabels, p.TestLabels = make([]int, 50000), make([]int, 10000)
	for i := range p.TrainLabels {
		p.TrainLabels[i] = i % 10
	}
	for i := range p.TestLabels {
		p.TestLabels[i] = i % 10
	}
	keys := l.keys()
	kind := func(of labtest.Setting) Kind {
		for _, k := range append(Kinds(), rawPixels) {
			if k.slug() == of("features") {
				return k
			}
		}
		return ""
	}
	recipe := func(of labtest.Setting) Recipe {
		r := Recipe{Pool: vision.Pool{Grid: of.Int("grid")}, Floor: of.Float("floor")}
		for _, u := range []Updates{Published, One, First6, Light} {
			if u.slug() == of("updates") {
				r.Updates = u
			}
		}
		r.Code = map[string]Code{"h": Spikes, "hs": Products, "both": Both}[of("codes")]
		for _, how := range []vision.Pooling{vision.Mean, vision.Sum, vision.Max} {
			if strings.EqualFold(how.String(), of("pool")) {
				r.Pool.Pooling = how
			}
		}
		return r
	}
	rebuild := func(what string, of labtest.Setting) lab.Key {
		switch what {
		case "cv":
			return keys.cv(kind(of), of.Float("c"))
		case "test":
			return keys.test(kind(of))
		case "few":
			return keys.few(kind(of), of.Int("per-class"), l.fewCandidates(kind(of), of.Int("per-class")))
		case "transfer":
			return newTransfer(&l.pipeline).needs(kind(of))[0]
		case "choose":
			var tried lab.Settings
			if of("rival") != "" {
				tried = rivalSettings(of("rival"), of.Int("grid"))
			} else {
				tried = recipe(of).settings()
			}
			return keys.trial(split{of.Int("train"), of.Int("validate")}, tried)
		case "chosen":
			return keys.chosen(recipe(of))
		case "other-classes":
			origin := fromOthers
			if of("learned-from") == "own" {
				origin = fromOwn
			}
			return newOtherClasses(&l.sharedLab).key(kind(of), origin)
		case "atoms":
			for _, k := range []Kind{SoftThreshold, SparseCoding} {
				if k.slug() == of("for") {
					return keys.atoms(k)
				}
			}
		case "skipping":
			return newSkipping(&l.pipeline).key()
		}
		return ""
	}
	if n := labtest.KeptKeys(t, "trained", rebuild); n < 70 {
		t.Errorf("%d stages", n)
	}
	// The model is a file of its own.
	have, err := filepath.Glob(filepath.Join("trained", "*.state"))
	if want := []string{filepath.Join("trained", keys.model().Name()+".state")}; err != nil || !slices.Equal(have, want) {
		t.Errorf("%q, want %q: %v", have, want, err)
	}
}
