import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

// A file system of its own, with what a worker has of the world.
function fresh() {
  const world = { TextEncoder, TextDecoder, Uint8Array, console };
  vm.runInNewContext(readFileSync(new URL("../assets/memfs.js", import.meta.url), "utf8"), world);
  const { fs } = world, { constants: O } = fs;
  // call returns the result, or throws the error's code.
  const call = (name, ...args) => {
    let out;
    fs[name](...args, (err, result) => { out = err ? { err } : { result }; });
    if (out.err) throw out.err.code;
    return out.result;
  };
  const fails = (code, ...args) => assert.throws(() => call(...args), (e) => e === code, `${args[0]} ${args[1]}: want ${code}`);
  const write = (fd, text, position = null) => call("write", fd, Buffer.from(text), 0, Buffer.byteLength(text), position);
  const read = (fd, n = 100, position = null) => {
    const b = Buffer.alloc(n), got = call("read", fd, b, 0, n, position);
    return b.toString("utf8", 0, got);
  };
  const text = (path) => Buffer.from(world.memfs.get(path)).toString();
  return { world, fs, O, call, fails, write, read, text };
}

test("modes of open", () => {
  const { O, call, fails, write, read, text } = fresh();
  fails("ENOENT", "open", "/a", O.O_RDONLY, 0);
  const fd = call("open", "/a", O.O_WRONLY | O.O_CREAT, 0o600);
  write(fd, "abc");
  fails("EBADF", "read", fd, Buffer.alloc(1), 0, 1, null);
  assert.equal(call("stat", "/a").mode & 0o777, 0o600);
  fails("EEXIST", "open", "/a", O.O_WRONLY | O.O_CREAT | O.O_EXCL, 0);
  const reader = call("open", "/a", O.O_RDONLY, 0);
  assert.throws(() => write(reader, "x"), (e) => e === "EBADF");
  assert.equal(read(reader), "abc");
  call("open", "/a", O.O_RDWR | O.O_TRUNC, 0);
  assert.equal(text("/a"), "");
  call("mkdir", "/d", 0o755);
  fails("EISDIR", "open", "/d", O.O_WRONLY, 0);
  fails("EISDIR", "open", "/d", O.O_RDWR | O.O_CREAT, 0);
  fails("ENOTDIR", "open", "/a", O.O_RDONLY | O.O_DIRECTORY, 0);
  fails("ENOTDIR", "open", "/a/b", O.O_RDONLY, 0);
  fails("ENOENT", "open", "/none/b", O.O_WRONLY | O.O_CREAT, 0);
  fails("ENOENT", "open", "", O.O_RDONLY, 0);
  const d = call("open", "/d", O.O_RDONLY | O.O_DIRECTORY, 0);
  fails("EISDIR", "read", d, Buffer.alloc(1), 0, 1, null);
  call("close", d);
  fails("EBADF", "close", d);
});

test("reading and writing move on, but not with a position", () => {
  const { O, call, write, read, text } = fresh();
  const fd = call("open", "/f", O.O_RDWR | O.O_CREAT, 0o644);
  write(fd, "hello");
  assert.equal(write(fd, "J", 0), 1);
  write(fd, " you");
  assert.equal(text("/f"), "Jello you");
  assert.equal(read(fd), "", "at the end");
  assert.equal(read(fd, 3, 2), "llo");
  const other = call("open", "/f", O.O_RDONLY, 0);
  assert.equal(read(other, 4), "Jell");
  assert.equal(read(other, 100), "o you");
  assert.equal(read(other, 100), "");
  assert.equal(read(other, 5, 100), "", "behind the end");
  write(fd, "!", 12);
  assert.equal(text("/f"), "Jello you\0\0\0!", "a gap is empty");
});

test("append writes at the end, wherever others are", () => {
  const { O, call, write, text } = fresh();
  const a = call("open", "/log", O.O_WRONLY | O.O_CREAT | O.O_APPEND, 0o644), b = call("open", "/log", O.O_WRONLY | O.O_APPEND, 0);
  write(a, "1");
  write(b, "2");
  write(a, "3", 0);
  assert.equal(text("/log"), "123");
});

test("truncate", () => {
  const { O, call, fails, write, text } = fresh();
  const fd = call("open", "/f", O.O_RDWR | O.O_CREAT, 0o644);
  write(fd, "abcdef");
  call("ftruncate", fd, 2);
  call("truncate", "/f", 4);
  assert.equal(text("/f"), "ab\0\0", "what was cut off does not come back");
  fails("EINVAL", "truncate", "/f", -1);
  fails("EFBIG", "truncate", "/f", 2 ** 40);
  fails("EINVAL", "ftruncate", call("open", "/f", O.O_RDONLY, 0), 0);
  fails("ENOENT", "truncate", "/none", 0);
});

test("rename", () => {
  const { world, call, fails, text } = fresh();
  const { memfs } = world;
  memfs.put("/d/a", "a");
  memfs.put("/e/b", "b");
  call("rename", "/d/a", "/e/b");
  assert.equal(text("/e/b"), "a");
  assert.equal(call("readdir", "/d").length, 0);
  fails("ENOENT", "rename", "/d/a", "/x");
  fails("EISDIR", "rename", "/e/b", "/d");
  fails("ENOTDIR", "rename", "/d", "/e/b");
  fails("ENOTEMPTY", "rename", "/d", "/e");
  fails("EINVAL", "rename", "/e", "/e/inner");
  fails("EBUSY", "rename", "/", "/x");
  call("rename", "/e", "/d");
  assert.equal(text("/d/b"), "a");
  call("rename", "/d/b", "/d/b");
  assert.equal(text("/d/b"), "a", "to its own name");
});

test("folders", () => {
  const { call, fails } = fresh();
  call("mkdir", "/a", 0o700);
  call("mkdir", "/a/b", 0o755);
  fails("EEXIST", "mkdir", "/a", 0);
  fails("EEXIST", "mkdir", "/", 0);
  fails("ENOENT", "mkdir", "/x/y", 0);
  assert.deepEqual([...call("readdir", "/")], ["a"]);
  fails("ENOENT", "readdir", "/x");
  fails("ENOTEMPTY", "rmdir", "/a");
  fails("EISDIR", "unlink", "/a");
  call("rmdir", "/a/b");
  fails("EBUSY", "rmdir", "/");
  assert.equal(call("stat", "/a").isDirectory(), true);
  assert.equal(call("stat", "/a/../a/./").mode & 0o777, 0o700);
});

test("what is open outlives its name", () => {
  const { O, call, fails, write, read } = fresh();
  const fd = call("open", "/f", O.O_RDWR | O.O_CREAT, 0o644);
  write(fd, "still");
  call("unlink", "/f");
  fails("ENOENT", "unlink", "/f");
  fails("ENOENT", "stat", "/f");
  assert.equal(read(fd, 9, 0), "still");
  assert.equal(call("fstat", fd).size, 5);
});

test("the working directory", () => {
  const { world, call, text } = fresh();
  world.memfs.put("/home/notes/a.txt", "a");
  world.process.chdir("/home");
  world.process.chdir("notes");
  assert.equal(world.process.cwd(), "/home/notes");
  assert.equal(text("a.txt"), "a");
  assert.equal(text("../notes/./a.txt"), "a");
  assert.equal(call("stat", "../../../..").ino, call("stat", "/").ino);
  assert.throws(() => world.process.chdir("a.txt"), { code: "ENOTDIR" });
  assert.throws(() => world.process.chdir("none"), { code: "ENOENT" });
  assert.equal(world.path.resolve("/a", "b", "../c"), "/a/c");
});

test("the streams go to the kernel, what the runtime prints does not", () => {
  const { world, call, write } = fresh(), told = [];
  world.overcompleteRaw = (fd, text) => told.push(["raw", fd, text]);
  world.overcompleteWrite = (fd, bytes) => told.push([fd, Buffer.from(bytes).toString()]);
  write(1, "out");
  write(2, "err");
  world.fs.writeSync(2, Buffer.from("panic"));
  delete world.overcompleteWrite;
  write(1, "late");
  assert.deepEqual(told, [[1, "out"], [2, "err"], ["raw", 2, "panic"], ["raw", 1, "late"]]);
  assert.throws(() => write(0, "x"), (e) => e === "EBADF");
});

test("input comes a line at a time, and ends", () => {
  const { world, read } = fresh(), lines = ["first line\n", "second\n", null];
  world.overcompleteRead = (give) => give(lines.shift());
  assert.equal(read(0, 5), "first");
  assert.equal(read(0), " line\n");
  assert.equal(lines.length, 2, "no line is asked for before it is needed");
  assert.equal(read(0), "second\n");
  assert.equal(read(0), "", "the end");
});

test("the page's side", () => {
  const { world, fails } = fresh(), { memfs } = world;
  memfs.put("/a/b/c.txt", "héllo");
  memfs.put("/a/b/c.txt", new Uint8Array([1, 2]));
  assert.deepEqual([...memfs.get("/a/b/c.txt")], [1, 2]);
  assert.deepEqual([...memfs.list("/a")], ["b"]);
  assert.equal(memfs.isFolder("/a/b"), true);
  const [entry] = memfs.entries("/a/b");
  assert.deepEqual([entry.name, entry.folder, entry.size], ["c.txt", false, 2]);
  assert.throws(() => memfs.put("/a/b", "x"), { code: "EISDIR" });
  assert.throws(() => memfs.put("/a/b/c.txt/d", "x"), { code: "ENOTDIR" });
  memfs.remove("/a/b/c.txt");
  memfs.remove("/a/b");
  fails("ENOENT", "stat", "/a/b");
  const copy = memfs.get((memfs.put("/x", "abc"), "/x"));
  copy[0] = 0;
  assert.equal(memfs.get("/x")[0], 97, "what was given out is a copy");
});
