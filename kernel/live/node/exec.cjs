"use strict";
// Runs a Go program for js/wasm in node, as Go's wasm_exec_node.js does, with the import
// module oc, with turns of the event loop as a page gives them, and with no more stack than a page has:
//
//	node exec.cjs LIB PROGRAM ARGUMENTS...
//
// LIB is the folder lib/wasm of the Go that has built it.
const path = require("node:path");
const fs = require("node:fs");
const [lib, program, ...args] = process.argv.slice(2);
if (!program) {
	console.error("exec.cjs: say: node exec.cjs GOROOT/lib/wasm PROGRAM.wasm ARGUMENTS...");
	process.exit(2);
}
// The streams are those of package capture while it has them, as in memfs.js.
let line = Buffer.alloc(0); // what has been typed and not read
const disk = {
	...fs,
	write(fd, buffer, offset, length, position, callback) {
		if (!globalThis.overcompleteWrite || (fd !== 1 && fd !== 2)) return fs.write(fd, buffer, offset, length, position, callback);
		globalThis.overcompleteWrite(fd, buffer.slice(offset, offset + length));
		callback(null, length);
	},
	read(fd, buffer, offset, length, position, callback) {
		if (fd !== 0) return fs.read(fd, buffer, offset, length, position, callback);
		const give = () => {
			const n = line.copy(buffer, offset, 0, length);
			line = line.subarray(n);
			callback(null, n);
		};
		if (line.length > 0 || !globalThis.overcompleteRead) return give();
		globalThis.overcompleteRead((text) => {
			if (text !== null) line = Buffer.from(text);
			give();
		});
	},
};
Object.assign(globalThis, { require, fs: disk, path });
globalThis.overcompleteTurn = (f) => setImmediate(f);
require(path.join(lib, "wasm_exec.js"));
require("../assets/simd.js");

const go = new Go();
go.argv = [program, ...args];
go.env = { TMPDIR: require("node:os").tmpdir(), GODEBUG: "invalidptr=0", ...process.env }; // as worker.js
go.exit = process.exit;
overcompleteImports(go.importObject);
WebAssembly.instantiate(fs.readFileSync(program), go.importObject).then(({ instance }) => {
	overcompleteInstance(instance);
	process.on("exit", (code) => {
		if (code === 0 && !go.exited) { // a deadlock: have Go print the goroutines
			go._pendingEvent = { id: 0 };
			go._resume();
		}
	});
	return go.run(instance);
}).catch((err) => {
	console.error(err);
	process.exit(1);
});
