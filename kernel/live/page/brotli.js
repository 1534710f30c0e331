// A decoder of Brotli for browsers whose DecompressionStream has none: a file of its own, which the worker loads then.

import init, { BrotliDecStream, BrotliStreamResultCode } from "brotli-dec-wasm/web";
import program from "brotli-dec-wasm/web/bg.wasm";

const piece = 1 << 20; // bytes of output at a time

globalThis.brotliDecoder = async () => {
  await init({ module_or_path: program });
  const decoder = new BrotliDecStream();
  let whole = false;
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length || !whole;) {
        if (whole) throw new Error("more came than the file has");
        const result = decoder.dec(chunk.subarray(at), piece), { code } = result;
        at += result.input_offset;
        if (result.buf.length) controller.enqueue(result.buf);
        result.free();
        whole = code === BrotliStreamResultCode.ResultSuccess;
        if (code === BrotliStreamResultCode.NeedsMoreInput) return;
      }
    },
    flush() {
      decoder.free();
      if (!whole) throw new Error("the end is missing");
    },
  });
};
