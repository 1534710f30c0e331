//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package s3c

func slabRows(c *sweep)       { c.slabPortable(true) }
func slabList(c *sweep)       { c.slabPortable(false) }
func spikeRows(c *sweep)      { c.spikePortable(true, false) }
func spikeStoreRows(c *sweep) { c.spikePortable(true, true) }
func spikeList(c *sweep)      { c.spikePortable(false, false) }
func screenRows(c *sweep)     { c.screenPortable() }

// respond computes u <- keep u + step (g + c r).
func respond(keep, step float32, g, c, r, u []float32) { respondPortable(keep, step, g, c, r, u) }

// column copies src[0], src[stride], ... to dst.
func column(dst, src []float32, stride int) { columnPortable(dst, src, stride) }

// dots stores the product W r in the slice out. The number of rows of W is units, and the number of columns is len(r).
func dots(units int, w, r, out []float32) { dotsPortable(units, w, r, out) }

// sums subtracts W'm from r. W has len(m) rows and len(r) columns.
func sums(w, m, r []float32) { sumsPortable(w, m, r) }
