package l2svm

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"overcomplete/kernel-helpers/gpu"
)

// productsText holds the kernels of the two products, in OpenCL C.
//
//go:embed products.cl
var productsText string

// These sizes are also in products.cl.
const (
	deviceGroup   = 128 // work items in a group
	deviceTile    = 64  // TILE: rows of a tile of V and of G
	deviceFlush   = 512 // FLUSH
	deviceColumns = 64  // the maximum of COLS
)

// These are the maximum sizes of a block in bytes. On a processor, a block is so small that its product ends soon after
// its context is done.
const (
	mostOnCard      = 512 << 20
	mostOnProcessor = 32 << 20
)

// fewestGroups is the least number of work groups that keeps a card busy.
const fewestGroups = 1024

// devicePoints are points X (n×d) for the products on a device. The points are divided into blocks of rows. As many
// blocks as fit into half of the device's memory stay there; the others are copied to the device for each product.
type devicePoints struct {
	device gpu.Device
	X      Points
	n, d   int
	rows   int          // number of points in a block
	kept   []gpu.Buffer // the first blocks
	spare  gpu.Buffer   // has room for one of the other blocks; nil if there are none
	host   []float32    // the points of a block that are copied
	// programs has the kernels by COLS.
	programs map[int]gpu.Program
}

// up rounds n up to a multiple of k.
func up(n, k int) int { return (n + k - 1) / k * k }

func newDevicePoints(ctx context.Context, device gpu.Device, X Points) (*devicePoints, error) {
	n, d := X.Dims()
	p := &devicePoints{device: device, X: X, n: n, d: d, programs: map[int]gpu.Program{}}
	info := device.Info()
	most := int64(mostOnCard)
	if info.Processor {
		most = mostOnProcessor
	}
	p.rows = n
	if info.Memory > 0 {
		most = min(most, info.Memory/8, info.Largest)
		p.rows = min(n, max(deviceTile, int(most/4/int64(d))/deviceTile*deviceTile))
	}
	for {
		var err error
		if p.spare, err = device.Alloc(p.rows * d); err == nil {
			break
		}
		if !errors.Is(err, gpu.ErrMemory) || p.rows <= deviceTile {
			return nil, fmt.Errorf("%d points of %d features on %s: %w", p.rows, d, info.Name, err)
		}
		p.rows = up(p.rows/2, deviceTile)
	}
	p.host = make([]float32, p.rows*d)
	bytes := 4 * int64(p.rows) * int64(d)
	for k := range p.blocks() {
		if int64(k+1)*bytes > info.Memory/2 {
			return p, nil
		}
		b, err := device.Alloc(p.rows * d)
		if errors.Is(err, gpu.ErrMemory) {
			return p, nil
		}
		if err == nil {
			p.kept = append(p.kept, b)
			err = p.copyTo(ctx, b, k)
		}
		if err != nil {
			p.free()
			return nil, err
		}
	}
	p.spare.Free()
	p.spare, p.host = nil, nil
	return p, nil
}

func (p *devicePoints) free() {
	for _, b := range p.kept {
		b.Free()
	}
	if p.spare != nil {
		p.spare.Free()
	}
}

func (p *devicePoints) blocks() int { return (p.n + p.rows - 1) / p.rows }

// block returns the range of the points of block k.
func (p *devicePoints) block(k int) (from, to int) { return k * p.rows, min(p.n, (k+1)*p.rows) }

// copyTo copies block k to b.
func (p *devicePoints) copyTo(ctx context.Context, b gpu.Buffer, k int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, to := p.block(k)
	x := p.host[:(to-from)*p.d]
	if err := p.X.Read(x, from, to); err != nil {
		return err
	}
	return b.Write(x)
}

// each calls f for each block with the buffer that holds its points [from, to).
func (p *devicePoints) each(ctx context.Context, f func(x gpu.Buffer, from, to int) error) error {
	for k := range p.blocks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := p.spare
		if k < len(p.kept) {
			x = p.kept[k]
		} else if err := p.copyTo(ctx, x, k); err != nil {
			return err
		}
		from, to := p.block(k)
		if err := f(x, from, to); err != nil {
			return fmt.Errorf("points %d to %d on %s: %w", from, to-1, p.device.Info().Name, err)
		}
	}
	return nil
}

// compiled returns the kernels for products with Q columns. cols is the number of columns of a tile, and width is that
// of all tiles together.
func (p *devicePoints) compiled(Q int) (kernels gpu.Program, cols, width int, err error) {
	cols = up(min(Q, deviceColumns), 16)
	if kernels = p.programs[cols]; kernels == nil {
		if kernels, err = p.device.Build(productsText, fmt.Sprintf("-cl-mad-enable -D COLS=%d", cols)); err != nil {
			return nil, 0, 0, err
		}
		p.programs[cols] = kernels
	}
	return kernels, cols, up(Q, cols), nil
}

// allocate returns buffers of the given sizes.
func (p *devicePoints) allocate(sizes ...int) (buffers []gpu.Buffer, free func(), err error) {
	free = func() {
		for _, b := range buffers {
			b.Free()
		}
	}
	for _, n := range sizes {
		b, err := p.device.Alloc(n)
		if err != nil {
			free()
			return nil, nil, fmt.Errorf("%d numbers on %s: %w", n, p.device.Info().Name, err)
		}
		buffers = append(buffers, b)
	}
	return buffers, free, nil
}

// times stores XU_q in V_q for each column q of U (d×Q). V_q has n numbers.
func (p *devicePoints) times(ctx context.Context, V [][]float64, U []float32) error {
	Q := len(V)
	kernels, cols, width, err := p.compiled(Q)
	if err != nil {
		return err
	}
	buffers, free, err := p.allocate(p.d*width, p.rows*width)
	if err != nil {
		return err
	}
	defer free()
	u, v := buffers[0], buffers[1]
	wide := make([]float32, p.d*width)
	for j := range p.d {
		copy(wide[j*width:], U[j*Q:(j+1)*Q])
	}
	if err := u.Write(wide); err != nil {
		return err
	}
	out := make([]float32, p.rows*width)
	return p.each(ctx, func(x gpu.Buffer, from, to int) error {
		n := to - from
		groups := up(n, deviceTile) / deviceTile * (width / cols)
		if err := kernels.Run("times", groups, deviceGroup, x, u, v, int32(n), int32(p.d), int32(width)); err != nil {
			return err
		}
		if err := v.Read(out[:n*width]); err != nil {
			return err
		}
		for q := range Q {
			for i := range n {
				V[q][from+i] = float64(out[i*width+q])
			}
		}
		return nil
	})
}

// transposedTimes returns X'R (d×Q). Column q of the matrix R is the slice R[q], which has n numbers.
func (p *devicePoints) transposedTimes(ctx context.Context, R [][]float64) ([]float64, error) {
	Q := len(R)
	kernels, cols, width, err := p.compiled(Q)
	if err != nil {
		return nil, err
	}
	// A card is busy only if there are enough groups, so if there are few tiles, the points are divided into
	// several parts.
	tiles := up(p.d, deviceTile) / deviceTile * (width / cols)
	most := min((fewestGroups+tiles-1)/tiles, up(p.rows, deviceFlush)/deviceFlush)
	size := up((p.rows+most-1)/most, deviceFlush)
	buffers, free, err := p.allocate(p.rows*width, most*2*p.d*width)
	if err != nil {
		return nil, err
	}
	defer free()
	r, g := buffers[0], buffers[1]
	in, out := make([]float32, p.rows*width), make([]float32, most*2*p.d*width)
	sum := make([]float64, p.d*Q)
	err = p.each(ctx, func(x gpu.Buffer, from, to int) error {
		n := to - from
		for q := range Q {
			for i, v := range R[q][from:to] {
				in[i*width+q] = float32(v)
			}
		}
		if err := r.Write(in[:n*width]); err != nil {
			return err
		}
		parts := (n + size - 1) / size
		if err := kernels.Run("transposed", parts*tiles, deviceGroup, x, r, g, int32(n), int32(p.d), int32(width), int32(size)); err != nil {
			return err
		}
		out := out[:parts*2*p.d*width]
		if err := g.Read(out); err != nil {
			return err
		}
		for row := range parts * 2 * p.d { // part, high or low, feature
			j := row % p.d
			for q := range Q {
				sum[j*Q+q] += float64(out[row*width+q])
			}
		}
		return nil
	})
	return sum, err
}
