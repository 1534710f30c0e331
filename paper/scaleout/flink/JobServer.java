// Beam's job service for batch pipelines of the Go SDK on Flink: what Beam's own Flink job server does, for the
// transforms that package scaleout uses (Impulse, GroupByKey, Flatten and stages of DoFns, in the global window). Fusion,
// the Fn API and the workers are Beam's (beam-runners-java-fn-execution); shuffles, slots and restarts are Flink's.
//
//   java -cp ... JobServer 8099 local 2            a Flink mini-cluster in this process
//   java -cp ... JobServer 8099 localhost:8081 2   a Flink cluster, whose machines have the same class path
//
// There are no side inputs, no state, timers or windows, and combiners are not lifted: such a pipeline is refused.
// Workers are LOOPBACK, or PROCESS with a program that each machine has; nothing is staged. One job runs at a time,
// and the next ones wait.
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.beam.model.jobmanagement.v1.ArtifactApi.ArtifactRequestWrapper;
import org.apache.beam.model.jobmanagement.v1.ArtifactApi.ArtifactResponseWrapper;
import org.apache.beam.model.jobmanagement.v1.ArtifactStagingServiceGrpc.ArtifactStagingServiceImplBase;
import org.apache.beam.model.jobmanagement.v1.JobApi;
import org.apache.beam.model.jobmanagement.v1.JobServiceGrpc.JobServiceImplBase;
import org.apache.beam.model.pipeline.v1.Endpoints.ApiServiceDescriptor;
import org.apache.beam.model.pipeline.v1.RunnerApi.ExecutableStagePayload;
import org.apache.beam.model.pipeline.v1.RunnerApi.PTransform;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.runners.fnexecution.control.BundleProgressHandler;
import org.apache.beam.runners.fnexecution.control.DefaultJobBundleFactory;
import org.apache.beam.runners.fnexecution.control.OutputReceiverFactory;
import org.apache.beam.runners.fnexecution.control.RemoteBundle;
import org.apache.beam.runners.fnexecution.control.StageBundleFactory;
import org.apache.beam.runners.fnexecution.provisioning.JobInfo;
import org.apache.beam.runners.fnexecution.state.StateRequestHandler;
import org.apache.beam.runners.fnexecution.wire.WireCoders;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.fn.data.FnDataReceiver;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.util.construction.PTransformTranslation;
import org.apache.beam.sdk.util.construction.graph.ExecutableStage;
import org.apache.beam.sdk.util.construction.graph.GreedyPipelineFuser;
import org.apache.beam.sdk.util.construction.graph.PipelineNode;
import org.apache.beam.sdk.util.construction.graph.QueryablePipeline;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.Server;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.netty.NettyServerBuilder;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.stub.StreamObserver;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.MapPartitionFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

public class JobServer extends JobServiceImplBase {
  private final String master; // "local", or host:port of Flink's REST service
  private final int parallelism;
  private final Map<String, JobApi.PrepareJobRequest> prepared = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<Void>> jobs = new ConcurrentHashMap<>();
  private final ExecutorService one = Executors.newSingleThreadExecutor();
  private ApiServiceDescriptor self;

  JobServer(String master, int parallelism) {
    this.master = master;
    this.parallelism = parallelism;
  }

  public static void main(String[] args) throws Exception {
    JobServer s = new JobServer(args[1], Integer.parseInt(args[2]));
    Server server = NettyServerBuilder.forAddress(new InetSocketAddress("localhost", Integer.parseInt(args[0])))
        .maxInboundMessageSize(Integer.MAX_VALUE).addService(s).addService(new NothingToStage()).build().start();
    s.self = ApiServiceDescriptor.newBuilder().setUrl("localhost:" + server.getPort()).build();
    System.err.println("job service at " + s.self.getUrl() + ", Flink: " + s.master);
    server.awaitTermination();
  }

  // The job service

  private static <T> void answer(StreamObserver<T> to, T message) {
    to.onNext(message);
    to.onCompleted();
  }

  @Override
  public void prepare(JobApi.PrepareJobRequest r, StreamObserver<JobApi.PrepareJobResponse> to) {
    String id = UUID.randomUUID().toString();
    prepared.put(id, r);
    answer(to, JobApi.PrepareJobResponse.newBuilder().setPreparationId(id).setStagingSessionToken(id)
        .setArtifactStagingEndpoint(self).build());
  }

  @Override
  public void run(JobApi.RunJobRequest r, StreamObserver<JobApi.RunJobResponse> to) {
    String id = r.getPreparationId();
    JobApi.PrepareJobRequest job = prepared.remove(id);
    jobs.put(id, CompletableFuture.runAsync(() -> {
      try {
        execute(job.getPipeline(), JobInfo.create(id, job.getJobName(), r.getRetrievalToken(), job.getPipelineOptions()));
      } catch (Exception e) {
        throw new CompletionException(e);
      }
    }, one));
    answer(to, JobApi.RunJobResponse.newBuilder().setJobId(id).build());
  }

  @Override
  public void getMessageStream(JobApi.JobMessagesRequest r, StreamObserver<JobApi.JobMessagesResponse> to) {
    jobs.get(r.getJobId()).whenComplete((ok, error) -> {
      JobApi.JobState.Enum state = JobApi.JobState.Enum.DONE;
      if (error != null) {
        while (error.getCause() != null) {
          error = error.getCause(); // the worker's own words
        }
        to.onNext(JobApi.JobMessagesResponse.newBuilder().setMessageResponse(JobApi.JobMessage.newBuilder()
            .setImportance(JobApi.JobMessage.MessageImportance.JOB_MESSAGE_ERROR).setMessageText(error.toString())).build());
        state = JobApi.JobState.Enum.FAILED;
      }
      answer(to, JobApi.JobMessagesResponse.newBuilder().setStateResponse(JobApi.JobStateEvent.newBuilder().setState(state)).build());
    });
  }

  @Override
  public void getJobMetrics(JobApi.GetJobMetricsRequest r, StreamObserver<JobApi.GetJobMetricsResponse> to) {
    answer(to, JobApi.GetJobMetricsResponse.newBuilder().setMetrics(JobApi.MetricResults.getDefaultInstance()).build());
  }

  /** Asks the client for no file. */
  private static class NothingToStage extends ArtifactStagingServiceImplBase {
    @Override
    public StreamObserver<ArtifactResponseWrapper> reverseArtifactRetrievalService(StreamObserver<ArtifactRequestWrapper> to) {
      to.onCompleted();
      return new StreamObserver<>() {
        public void onNext(ArtifactResponseWrapper r) {}
        public void onError(Throwable e) {}
        public void onCompleted() {}
      };
    }
  }

  // The pipeline as a Flink job

  private static final TypeInformation<byte[]> BYTES = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

  private void execute(RunnerApi.Pipeline pipeline, JobInfo info) throws Exception {
    Configuration conf = new Configuration();
    // Elements are few and their work is long: all of the parallelism for each stage, and a task manager that is
    // lost (or a worker that fails) is worked around some times.
    conf.setString("execution.batch.adaptive.auto-parallelism.enabled", "false");
    conf.setString("restart-strategy.type", "fixed-delay");
    conf.setString("restart-strategy.fixed-delay.attempts", "3");
    conf.setString("restart-strategy.fixed-delay.delay", "1 s");
    StreamExecutionEnvironment env;
    if (master.equals("local")) {
      env = StreamExecutionEnvironment.createLocalEnvironment(parallelism, conf);
    } else {
      String[] address = master.split(":");
      env = StreamExecutionEnvironment.createRemoteEnvironment(address[0], Integer.parseInt(address[1]), conf);
    }
    env.setParallelism(parallelism);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    translate(GreedyPipelineFuser.fuse(pipeline).toPipeline(), info, env);
    JobClient job = env.executeAsync(info.jobName());
    System.err.println("Flink's job " + job.getJobID());
    job.getJobExecutionResult().get();
  }

  /** Each element of a stream is a WindowedValue as bytes, in the coder that Beam gives its PCollection. */
  private static void translate(RunnerApi.Pipeline pipeline, JobInfo info, StreamExecutionEnvironment env) throws Exception {
    RunnerApi.Components components = pipeline.getComponents();
    Map<String, DataStream<byte[]>> streams = new HashMap<>();
    for (PipelineNode.PTransformNode node :
        QueryablePipeline.forTransforms(pipeline.getRootTransformIdsList(), components).getTopologicallyOrderedTransforms()) {
      PTransform t = node.getTransform();
      String first = t.getInputsMap().values().stream().findFirst().orElse("");
      switch (t.getSpec().getUrn()) {
        case PTransformTranslation.IMPULSE_TRANSFORM_URN:
          String impulse = only(t.getOutputsMap());
          byte[] one = CoderUtils.encodeToByteArray(coder(components, impulse), WindowedValues.valueInGlobalWindow(new byte[0]));
          streams.put(impulse, env.fromData(BYTES, one));
          break;
        case PTransformTranslation.FLATTEN_TRANSFORM_URN:
          streams.put(only(t.getOutputsMap()), t.getInputsMap().values().stream().map(streams::get).reduce((a, b) -> a.union(b)).get());
          break;
        case PTransformTranslation.GROUP_BY_KEY_TRANSFORM_URN:
          String grouped = only(t.getOutputsMap());
          streams.put(grouped, streams.get(first)
              .map(new Pair(coder(components, first))).returns(Types.TUPLE(Types.STRING, BYTES)).name("key")
              .keyBy(kv -> kv.f0, Types.STRING).fullWindowPartition()
              .mapPartition(new Group(coder(components, first), coder(components, grouped))).returns(BYTES).name(node.getId()));
          break;
        case ExecutableStage.URN:
          ExecutableStagePayload stage = ExecutableStagePayload.parseFrom(t.getSpec().getPayload());
          if (stage.getSideInputsCount() + stage.getUserStatesCount() + stage.getTimersCount() > 0) {
            throw new UnsupportedOperationException(node.getId() + " has side inputs, state or timers");
          }
          DataStream<Tuple2<String, byte[]>> out = streams.get(stage.getInput())
              .flatMap(new Stage(stage, info)).returns(Types.TUPLE(Types.STRING, BYTES)).name(node.getId());
          for (String output : t.getOutputsMap().values()) {
            streams.put(output, out.filter(e -> e.f0.equals(output)).map(e -> e.f1).returns(BYTES).name(output));
          }
          break;
        default:
          throw new UnsupportedOperationException(node.getId() + " is a " + t.getSpec().getUrn());
      }
    }
  }

  private static String only(Map<String, String> outputs) {
    return outputs.values().iterator().next();
  }

  private static Coder<WindowedValue<Object>> coder(RunnerApi.Components c, String collection) throws IOException {
    return WireCoders.instantiateRunnerWireCoder(PipelineNode.pCollection(collection, c.getPcollectionsOrThrow(collection)), c);
  }

  /** The coder of the keys, or of the values, of a collection of pairs. */
  @SuppressWarnings("unchecked")
  private static Coder<Object> part(Coder<WindowedValue<Object>> pairs, int which) {
    Coder<Object> c = ((WindowedValues.WindowedValueCoder<Object>) pairs).getValueCoder();
    return (Coder<Object>) c.getCoderArguments().get(which);
  }

  /** An element, a pair, with its key's bytes beside it (as text, which Flink compares and hashes by content). */
  private static class Pair implements MapFunction<byte[], Tuple2<String, byte[]>> {
    private final Coder<WindowedValue<Object>> pairs;

    Pair(Coder<WindowedValue<Object>> pairs) {
      this.pairs = pairs;
    }

    @Override
    public Tuple2<String, byte[]> map(byte[] element) throws Exception {
      WindowedValue<Object> w = CoderUtils.decodeFromByteArray(pairs, element);
      if (!w.getWindows().equals(Collections.singletonList(GlobalWindow.INSTANCE))) {
        throw new UnsupportedOperationException("windows " + w.getWindows());
      }
      byte[] key = CoderUtils.encodeToByteArray(part(pairs, 0), ((KV<?, ?>) w.getValue()).getKey());
      return Tuple2.of(new String(key, StandardCharsets.ISO_8859_1), element);
    }
  }

  /** All values of one key. */
  private static class Group implements MapPartitionFunction<Tuple2<String, byte[]>, byte[]> {
    private final Coder<WindowedValue<Object>> pairs, groups;

    Group(Coder<WindowedValue<Object>> pairs, Coder<WindowedValue<Object>> groups) {
      this.pairs = pairs;
      this.groups = groups;
    }

    @Override
    public void mapPartition(Iterable<Tuple2<String, byte[]>> elements, Collector<byte[]> out) throws Exception {
      Object key = null;
      List<Object> values = new ArrayList<>();
      for (Tuple2<String, byte[]> e : elements) {
        KV<?, ?> pair = (KV<?, ?>) CoderUtils.decodeFromByteArray(pairs, e.f1).getValue();
        key = pair.getKey();
        values.add(pair.getValue());
      }
      out.collect(CoderUtils.encodeToByteArray(groups, WindowedValues.valueInGlobalWindow(KV.of(key, values))));
    }
  }

  /** Sends each element to a worker, as a bundle of its own, and returns what it emits, with the collection's name. */
  private static class Stage extends RichFlatMapFunction<byte[], Tuple2<String, byte[]>> {
    private static DefaultJobBundleFactory workers; // of the job that this process works on
    private static String job;

    private final byte[] payload;
    private final JobInfo info;
    private transient ExecutableStage stage;
    private transient StageBundleFactory bundles;
    private transient Coder<WindowedValue<Object>> input;
    private transient Map<String, Coder<WindowedValue<Object>>> outputs;

    Stage(ExecutableStagePayload payload, JobInfo info) {
      this.payload = payload.toByteArray();
      this.info = info;
    }

    /** Keeps the workers for the job's later stages, and ends those of an earlier job. */
    private static synchronized DefaultJobBundleFactory workers(JobInfo info) throws Exception {
      if (!info.jobId().equals(job)) {
        if (workers != null) {
          workers.close();
        }
        workers = DefaultJobBundleFactory.create(info);
        job = info.jobId();
      }
      return workers;
    }

    @Override
    public void open(OpenContext c) throws Exception {
      stage = ExecutableStage.fromPayload(ExecutableStagePayload.parseFrom(payload));
      bundles = workers(info).forStage(stage);
      String in = stage.getInputPCollection().getId();
      input = coder(stage.getComponents(), in);
      outputs = new HashMap<>();
      for (PipelineNode.PCollectionNode o : stage.getOutputPCollections()) {
        outputs.put(o.getId(), coder(stage.getComponents(), o.getId()));
      }
    }

    @Override
    @SuppressWarnings("unchecked")
    public void flatMap(byte[] element, Collector<Tuple2<String, byte[]>> out) throws Exception {
      Queue<Tuple2<String, byte[]>> emitted = new ConcurrentLinkedQueue<>(); // by other threads
      OutputReceiverFactory receivers = new OutputReceiverFactory() {
        @Override
        public <T> FnDataReceiver<T> create(String collection) {
          return value -> emitted.add(Tuple2.of(collection,
              CoderUtils.encodeToByteArray(outputs.get(collection), (WindowedValue<Object>) value)));
        }
      };
      try (RemoteBundle bundle = bundles.getBundle(receivers, StateRequestHandler.unsupported(), BundleProgressHandler.ignored())) {
        bundle.getInputReceivers().values().iterator().next().accept(CoderUtils.decodeFromByteArray(input, element));
      }
      emitted.forEach(out::collect);
    }

    @Override
    public void close() throws Exception {
      if (bundles != null) {
        bundles.close();
      }
    }
  }
}
