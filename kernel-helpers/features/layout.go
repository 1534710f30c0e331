package features

import (
	"crypto/sha256"
	"fmt"
)

// A Layout describes the stored matrix and its division into shards.
type Layout struct {
	Rows, Cols int
	// ShardRows is the number of rows per shard; the last shard may have fewer. 0 means 1000.
	ShardRows int
	Format    Format
	// Depends describes everything on which the numbers depend: settings, and checksums of models and data.
	// Shards with different Depends are never mixed. Depends may have at most 64 KB.
	Depends string
}

const longest = 1 << 16 // maximum length of Depends

func (l Layout) withDefaults() Layout {
	if l.ShardRows == 0 {
		l.ShardRows = 1000
	}
	return l
}

// check returns an error for an invalid layout, such as one read from a damaged file.
func (l Layout) check() error {
	switch {
	case l.Rows <= 0 || l.Cols <= 0 || l.ShardRows <= 0:
		return fmt.Errorf("%d×%d numbers in shards of %d rows", l.Rows, l.Cols, l.ShardRows)
	case l.Rows > 1<<40 || l.Cols > 1<<30 || l.ShardRows > (1<<40)/l.Cols:
		return fmt.Errorf("%d×%d numbers in shards of %d rows are too many", l.Rows, l.Cols, l.ShardRows)
	case l.Format < Float16 || l.Format > Float32:
		return fmt.Errorf("unknown format %d", l.Format)
	case len(l.Depends) > longest:
		return fmt.Errorf("the text Depends has %d bytes, at most %d are possible", len(l.Depends), longest)
	}
	return nil
}

// Shards returns the number of shards.
func (l Layout) Shards() int {
	l = l.withDefaults()
	return (l.Rows + l.ShardRows - 1) / l.ShardRows
}

// Range returns the rows [from, to) of the matrix that the given shard holds. Shards and rows are numbered from 0.
func (l Layout) Range(shard int) (from, to int) {
	l = l.withDefaults()
	if shard < 0 || shard >= l.Shards() {
		panic(fmt.Sprintf("features: Range: no shard %d: the layout has %d shards", shard, l.Shards()))
	}
	return shard * l.ShardRows, min(l.Rows, (shard+1)*l.ShardRows)
}

// Part divides the shards among n machines, and returns those for machine k: k, k+n, k+2n and so on. Machines are
// numbered from 0.
func (l Layout) Part(k, n int) []int {
	if n <= 0 || k < 0 || k >= n {
		panic(fmt.Sprintf("features: Part: no part %d of %d machines", k, n))
	}
	var list []int
	for s := k; s < l.Shards(); s += n {
		list = append(list, s)
	}
	return list
}

// name returns the name of a shard's file. The name begins with a digest of the layout, including Depends, so that
// shards of different origin do not overwrite each other.
func (l Layout) name(shard int) string {
	sum := sha256.Sum256(l.head(0))
	return fmt.Sprintf("%x-%05d.features", sum[:6], shard)
}
