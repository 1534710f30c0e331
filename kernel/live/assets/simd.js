"use strict";
// The import module "oc" of a Go program, by which it compiles further WebAssembly modules on
// its own memory and calls them (Go: internal/wasmhost). Two functions make it:
//
//	overcompleteImports(go.importObject);
//	const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
//	overcompleteInstance(instance);
//	go.run(instance);
//
// The functions of such modules do not exist when Go's imports are made. A small module
// stands between: its table takes the functions later, and its "call" calls what is in the
// table, from WebAssembly to WebAssembly, without JavaScript on the way. It is
//
//	(module (table (export "table") 1 funcref)
//	  (func (export "call") (param i32 i32) (call_indirect (param i32) (local.get 1) (local.get 0))))
//
// as package wasmhost's test writes it.
(() => {
	const between = "AGFzbQEAAAABCgJgAn9/AGABfwADAgEABAQBcAABBxACBXRhYmxlAQAEY2FsbAAACgsBCQAgASAAEQEACwAOBG5hbWUBBwEABGNhbGw=";
	const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	let mem; // of the Go program

	// answer writes text to the memory, as much as there is room for.
	function answer(text, at, size) {
		const b = new TextEncoder().encode(text);
		const view = new DataView(mem.buffer);
		const room = view.getUint32(size, true);
		new Uint8Array(mem.buffer, at, room).set(b.subarray(0, room));
		view.setUint32(size, b.length, true);
	}

	globalThis.overcompleteImports = (importObject) => {
		const { table, call } = new WebAssembly.Instance(new WebAssembly.Module(bytes(between))).exports;
		importObject.oc = {
			call,
			compile(code, length, at, size) {
				try {
					const module = new WebAssembly.Module(new Uint8Array(mem.buffer, code >>> 0, length >>> 0).slice());
					const { exports } = new WebAssembly.Instance(module, { env: { mem } });
					const names = Object.keys(exports).filter((name) => typeof exports[name] === "function");
					const first = table.grow(names.length);
					names.forEach((name, i) => table.set(first + i, exports[name]));
					answer(names.map((name) => name + "\0").join(""), at >>> 0, size >>> 0);
					return first;
				} catch (e) {
					answer(String(e), at >>> 0, size >>> 0);
					return -1;
				}
			},
			release(first, count) {
				for (let i = 0; i < count; i++) table.set(first + i, null);
			},
		};
	};

	globalThis.overcompleteInstance = (instance) => {
		mem = instance.exports.mem;
	};
})();
