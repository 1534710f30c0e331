// Command scaleout runs the pipelines of package scaleout on a runner of Apache Beam.
//
//	scaleout features   --archive F --model F --folder D --report F
//	scaleout statistics --archive F --model F --out F [--next F]
//	scaleout code       --signals F --basis F --lambda 0.1 --p 0.01 --folder D --report F
//	scaleout sweep      --signals F --basis F --classes F --lambdas 0.1,0.01 --ps 0.01 --seeds 1,2 --report F
//
// Beam's own flags can be given as well: --runner (default: prism, in this process),
// --endpoint, --environment_type and so on; scaleout STAGE -h lists all flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/scaleout"
)

const usage = `usage: scaleout STAGE [flags]

  features     files of S3C's features, as "overcomplete s3c extract" makes them
  statistics   what S3C's M step needs, summed over patches; with --next the step
  code         klcoding's codes of the columns of a matrix
  sweep        validation errors over a grid of λ, p and seeds

Flags, after the stage:
`

var (
	archive  = flag.String("archive", "", "features, statistics: CIFAR-10's archive, a path or a URL; none: generated images")
	train    = flag.Int("train", 50_000, "features: training images")
	test     = flag.Int("test", 10_000, "features: test images")
	whiten   = flag.Int("whiten", 2_000_000, "features, statistics: patches for the whitening")
	seed     = flag.Uint64("seed", 1, "features, statistics: seed of the patches")
	model    = flag.String("model", "", "features, statistics: S3C model or training state")
	whole    = flag.Bool("whole", false, "features: use the whole E step, which skips nothing")
	rows     = flag.Int("rows", 0, "features, code: rows per file; 0: 500 images, 1000 signals")
	folder   = flag.String("folder", "", "features, code: where the files go")
	reportTo = flag.String("report", "", "features, code, sweep: file for a report")
	first    = flag.Int("first", 0, "statistics: first patch")
	count    = flag.Int("count", 1_000_000, "statistics: patches")
	shards   = flag.Int("shards", 0, "statistics: elements of the pipeline; 0: one per 16384 patches")
	double   = flag.Bool("double", false, "statistics: E step in float64")
	out      = flag.String("out", "", "statistics: file for the sums")
	next     = flag.String("next", "", "statistics: file for the model after an M step")
	signals  = flag.String("signals", "", "code, sweep: D×N matrix file; code: or a folder of features")
	basis    = flag.String("basis", "", "code, sweep: D×n matrix file")
	lambda   = flag.Float64("lambda", 0, "code: λ")
	p        = flag.Float64("p", 0, "code: p")
	single   = flag.Bool("single", false, "code, sweep: B as it is, not [−B B]")
	classes  = flag.String("classes", "", "sweep: 1×N matrix file of labels")
	lambdas  = flag.String("lambdas", "", "sweep: values of λ, with commas")
	ps       = flag.String("ps", "", "sweep: values of p")
	seeds    = flag.String("seeds", "1", "sweep: seeds")
	share    = flag.Float64("share", 0, "sweep: share of signals held out; 0: 0.2")
	c        = flag.Float64("C", 0, "sweep: C of the linear machine; 0: 1")

	// With --environment_type PROCESS, a runner starts this program as a worker with --id and this flag.
	provision = flag.String("provision_endpoint", "", "set by runners, for workers that they start")
)

var errWrong = errors.New("wrong flags")

func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	// A runner starts a worker with flags only.
	stage, args := "", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		stage, args = args[0], args[1:]
	}
	flag.CommandLine.Parse(args) // exits on an error
	gemm.Use()
	gemm.SetWorkers(1) // elements run in parallel
	if *provision != "" {
		if err := becomeWorker(); err != nil {
			fmt.Fprintln(os.Stderr, "scaleout: worker:", err)
			os.Exit(1)
		}
	}
	beam.Init() // does not return in a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, stage, flag.Args()); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "scaleout: stopped; files that are complete are kept")
			os.Exit(130)
		}
		fmt.Fprintln(os.Stderr, "scaleout:", err)
		if errors.Is(err, errWrong) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// becomeWorker asks the runner for its endpoints, and sets Beam's flags accordingly, so that beam.Init runs this
// process as a worker. In a container, Beam's own start program does this.
func becomeWorker() error {
	ctx := grpcx.WriteWorkerID(context.Background(), flag.Lookup("id").Value.String())
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
	return errors.Join(
		flag.Set("worker", "true"),
		flag.Set("logging_endpoint", info.GetLoggingEndpoint().GetUrl()),
		flag.Set("control_endpoint", info.GetControlEndpoint().GetUrl()),
		flag.Set("options", options),
	)
}

func wrong(format string, a ...any) error {
	return fmt.Errorf("%w: %s", errWrong, fmt.Sprintf(format, a...))
}

// run builds the stage's pipeline, runs it and prints its report.
func run(ctx context.Context, stage string, rest []string) error {
	if len(rest) > 0 {
		return wrong("%q is not a flag", rest[0])
	}
	for _, path := range []*string{archive, model, folder, reportTo, out, next, signals, basis, classes} {
		var err error
		if *path, err = absolute(*path); err != nil {
			return err
		}
	}
	pipeline, s := beam.NewPipelineWithRoot()
	images := scaleout.Images{Archive: *archive, Train: *train, Test: *test, Whiten: *whiten, Seed: *seed}
	given := func(names ...string) error {
		for _, n := range names {
			if v := flag.Lookup(n).Value.String(); v == "" || v == "0" {
				return wrong("%s needs --%s", stage, n)
			}
		}
		return nil
	}
	switch stage {
	case "features":
		if err := given("model", "folder", "report"); err != nil {
			return err
		}
		if *train < 1 || *test < 1 || *rows < 0 {
			return wrong("--train (%d) and --test (%d) must be at least 1, and --rows (%d) must not be negative", *train, *test, *rows)
		}
		scaleout.Features(s, scaleout.FeatureOptions{Images: images, Model: *model, Whole: *whole, ShardRows: *rows, Folder: *folder, Report: *reportTo})
	case "statistics":
		if err := given("model", "out"); err != nil {
			return err
		}
		if *first < 0 || *count < 1 || *shards < 0 {
			return wrong("--first (%d) must not be negative, --count (%d) must be at least 1, and --shards (%d) must not be negative", *first, *count, *shards)
		}
		scaleout.Statistics(s, scaleout.StatisticsOptions{Images: images, Model: *model, First: *first, Count: *count, Shards: *shards, Double: *double, Out: *out, Next: *next})
	case "code":
		if err := given("signals", "basis", "lambda", "p", "folder", "report"); err != nil {
			return err
		}
		scaleout.Code(s, scaleout.CodeOptions{Signals: *signals, Basis: *basis, Lambda: *lambda, P: *p, Doubled: !*single, ShardRows: *rows, Folder: *folder, Report: *reportTo})
	case "sweep":
		if err := given("signals", "basis", "classes", "lambdas", "ps", "seeds", "report"); err != nil {
			return err
		}
		var (
			l, prior numbers
			draws    []uint64
		)
		for _, x := range strings.Split(*seeds, ",") {
			v, err := strconv.ParseUint(x, 10, 64)
			if err != nil {
				return wrong("--seeds: %v", err)
			}
			draws = append(draws, v)
		}
		if err := errors.Join(l.parse(*lambdas), prior.parse(*ps)); err != nil {
			return wrong("%v", err)
		}
		scaleout.Sweep(s, scaleout.SweepOptions{Signals: *signals, Basis: *basis, Labels: *classes, Doubled: !*single, Share: *share, C: *c, Report: *reportTo}, scaleout.Grid(l, prior, draws))
	case "":
		return wrong("give the stage first: features, statistics, code or sweep")
	default:
		return wrong("no stage %q: there are features, statistics, code and sweep", stage)
	}
	if err := beamx.Run(ctx, pipeline); err != nil {
		return err
	}
	return show(ctx, stage)
}

// absolute makes a path absolute, because a worker may run in another folder. URLs stay as they are.
func absolute(path string) (string, error) {
	if path == "" || strings.Contains(path, "://") {
		return path, nil
	}
	return filepath.Abs(path)
}

type numbers []float64

func (n *numbers) parse(s string) error {
	for _, x := range strings.Split(s, ",") {
		v, err := strconv.ParseFloat(x, 64)
		if err != nil {
			return err
		}
		*n = append(*n, v)
	}
	return nil
}

// show prints what the pipeline of the given stage has written: a summary of the file if the stage is "statistics", and
// otherwise the report.
func show(ctx context.Context, stage string) error {
	if stage == "statistics" {
		m, energy, err := scaleout.ReadStatistics(ctx, *out)
		if err == nil {
			fmt.Printf("%d patches, mean energy %.6f\n", m.Patches, energy)
		}
		return err
	}
	fs, err := filesystem.New(ctx, *reportTo)
	if err != nil {
		return err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, *reportTo)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(os.Stdout, r)
	return err
}
