// Package wellknown lists the import paths of widely used packages, for hints. For example, a user who writes
// uuid.New() without an import means github.com/google/uuid.
package wellknown

import (
	"maps"
	"slices"
	"strings"
)

// paths maps package names in Go source to import paths. None of these packages comes with the kernel. If a
// package of the kernel has the same name, as with image/color, the hint names that package.
var paths = map[string]string{
	"arrow":       "github.com/apache/arrow-go/v18/arrow",
	"array":       "github.com/apache/arrow-go/v18/arrow/array",
	"assert":      "github.com/stretchr/testify/assert",
	"charts":      "github.com/go-echarts/go-echarts/v2/charts",
	"chi":         "github.com/go-chi/chi/v5",
	"chromedp":    "github.com/chromedp/chromedp",
	"cobra":       "github.com/spf13/cobra",
	"color":       "github.com/fatih/color",
	"decimal":     "github.com/shopspring/decimal",
	"errgroup":    "golang.org/x/sync/errgroup",
	"excelize":    "github.com/xuri/excelize/v2",
	"gin":         "github.com/gin-gonic/gin",
	"gjson":       "github.com/tidwall/gjson",
	"goquery":     "github.com/PuerkitoBio/goquery",
	"gorm":        "gorm.io/gorm",
	"humanize":    "github.com/dustin/go-humanize",
	"lo":          "github.com/samber/lo",
	"logrus":      "github.com/sirupsen/logrus",
	"opts":        "github.com/go-echarts/go-echarts/v2/opts",
	"orb":         "github.com/paulmach/orb",
	"parquet":     "github.com/parquet-go/parquet-go",
	"pgx":         "github.com/jackc/pgx/v5",
	"pgxpool":     "github.com/jackc/pgx/v5/pgxpool",
	"pqarrow":     "github.com/apache/arrow-go/v18/parquet/pqarrow",
	"progressbar": "github.com/schollz/progressbar/v3",
	"redis":       "github.com/redis/go-redis/v9",
	"require":     "github.com/stretchr/testify/require",
	"spew":        "github.com/davecgh/go-spew/spew",
	"sparse":      "github.com/james-bowman/sparse",
	"sqlite":      "modernc.org/sqlite",
	"sqlite3":     "github.com/mattn/go-sqlite3",
	"sqlx":        "github.com/jmoiron/sqlx",
	"stats":       "github.com/montanaflynn/stats",
	"tensor":      "gorgonia.org/tensor",
	"toml":        "github.com/BurntSushi/toml",
	"uuid":        "github.com/google/uuid",
	"viper":       "github.com/spf13/viper",
	"websocket":   "github.com/gorilla/websocket",
	"xxhash":      "github.com/cespare/xxhash/v2",
	"yaml":        "gopkg.in/yaml.v3",
	"zap":         "go.uber.org/zap",
	"zerolog":     "github.com/rs/zerolog",
	"zstd":        "github.com/klauspost/compress/zstd",
}

// Named returns the import path of the well-known package with the given name, or "" if there is none.
func Named(name string) string { return paths[name] }

// Called completes an import path that lacks its beginning: for google/uuid or just uuid it returns
// github.com/google/uuid. It returns "" if no well-known path fits.
func Called(path string) string {
	if p := paths[path]; p != "" {
		return p
	}
	for _, p := range All() {
		if strings.Contains(path, "/") && strings.HasSuffix(p, "/"+path) {
			return p
		}
	}
	return ""
}

// All returns all import paths, sorted.
func All() []string { return slices.Sorted(maps.Values(paths)) }
