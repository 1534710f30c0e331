// A file system in memory, in the form of node's fs as far as Go's syscall package
// calls it: the kernel's files in a browser, which has none. It stands before Go's
// wasm_exec.js, which looks for globalThis.fs, process and path.
//
// Writes to descriptors 1 and 2 go to globalThis.overcompleteWrite(fd, bytes), reads of
// descriptor 0 ask globalThis.overcompleteRead(give), where give takes a line or null for
// the end of the input; both are the kernel's (kernel/internal/capture). What the runtime
// itself prints when it dies goes to globalThis.overcompleteRaw(fd, text).
//
// globalThis.memfs is the page's side of the files: put, get, list, isFolder, entries, remove, mkdir.
"use strict";
(() => {
  const DIRECTORY = 0o040000, REGULAR = 0o100000, CHARACTERS = 0o020000;
  const constants = {
    O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000,
  };
  const accessMode = 3; // the bits of the flags that say read, write, or both
  const largest = 2 ** 31 - 1; // bytes of a file
  const deepest = 4096; // bytes of a path

  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const fail = (code) => Object.assign(new Error(code), { code });

  let numbers = 0;
  const node = (mode) => ({ ino: ++numbers, mode, time: Date.now() });
  const newFolder = () => ({ ...node(DIRECTORY | 0o755), entries: new Map() });
  const newFile = (mode = 0o644) => ({ ...node(REGULAR | (mode & 0o777)), data: new Uint8Array(0), size: 0 });
  const terminal = node(CHARACTERS | 0o600);
  const root = newFolder();
  let cwd = "/";

  // Descriptors: number -> {node, at, flags}; 0, 1 and 2 are the terminal.
  const open = new Map();
  let nextDescriptor = 3;

  // Paths.

  function names(path) {
    if (typeof path !== "string") throw fail("EINVAL");
    if (path === "") throw fail("ENOENT");
    if (path.length > deepest) throw fail("ENAMETOOLONG");
    const list = [];
    for (const name of (path.startsWith("/") ? path : cwd + "/" + path).split("/")) {
      if (name === "..") list.pop();
      else if (name !== "" && name !== ".") list.push(name);
    }
    return list;
  }

  function walk(list) {
    let n = root;
    for (const name of list) {
      if (!n.entries) throw fail("ENOTDIR");
      n = n.entries.get(name);
      if (!n) throw fail("ENOENT");
    }
    return n;
  }

  function find(path) {
    const n = walk(names(path));
    if (path.endsWith("/") && !n.entries) throw fail("ENOTDIR");
    return n;
  }

  // The folder that a path's last name is in, and that name, "" for the root itself.
  function place(path) {
    const list = names(path), name = list.pop() ?? "";
    const folder = walk(list);
    if (!folder.entries) throw fail("ENOTDIR");
    return { folder, name, found: name === "" ? root : folder.entries.get(name) };
  }

  function folderOf(path) {
    const n = find(path);
    if (!n.entries) throw fail("ENOTDIR");
    return n;
  }

  function fileOf(path) {
    const n = find(path);
    if (n.entries) throw fail("EISDIR");
    return n;
  }

  const touch = (n) => { n.time = Date.now(); };

  // Contents.

  function resize(file, size) {
    if (!Number.isSafeInteger(size) || size < 0) throw fail("EINVAL");
    if (size > largest) throw fail("EFBIG");
    if (size > file.data.length) {
      let larger;
      try {
        larger = new Uint8Array(Math.min(largest, Math.max(size, 2 * file.data.length, 256)));
      } catch {
        throw fail("ENOSPC"); // the browser gives no more memory
      }
      larger.set(file.data.subarray(0, file.size));
      file.data = larger;
    } else if (size < file.size) {
      file.data.fill(0, size, file.size); // what grows again is empty
    }
    file.size = size;
    touch(file);
  }

  function stat(n) {
    const size = n.entries ? 4096 : n.size ?? 0;
    return {
      dev: 1, ino: n.ino, mode: n.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
      atimeMs: n.time, mtimeMs: n.time, ctimeMs: n.time,
      isDirectory: () => !!n.entries, isFile: () => n.mode >= REGULAR,
    };
  }

  function descriptor(fd) {
    if (fd >= 0 && fd < 3) return { node: terminal, at: 0, flags: constants.O_RDWR };
    const d = open.get(fd);
    if (!d) throw fail("EBADF");
    return d;
  }

  const given = (position) => position !== null && position !== undefined;

  function openFile(path, flags, mode) {
    const { folder, name, found } = place(path);
    let n = found;
    if (!n) {
      if (!(flags & constants.O_CREAT)) throw fail("ENOENT");
      if (path.endsWith("/")) throw fail("EISDIR");
      n = newFile(mode);
      folder.entries.set(name, n);
      touch(folder);
    } else if (flags & constants.O_CREAT && flags & constants.O_EXCL) {
      throw fail("EEXIST");
    } else if (n.entries && (flags & accessMode || flags & constants.O_CREAT)) {
      throw fail("EISDIR");
    } else if (!n.entries && (flags & constants.O_DIRECTORY || path.endsWith("/"))) {
      throw fail("ENOTDIR");
    }
    if (flags & constants.O_TRUNC && flags & accessMode) resize(n, 0);
    const fd = nextDescriptor++;
    open.set(fd, { node: n, at: 0, flags });
    return fd;
  }

  function readFile(fd, buffer, offset, length, position) {
    const d = descriptor(fd);
    if (d.node.entries) throw fail("EISDIR");
    if ((d.flags & accessMode) === constants.O_WRONLY) throw fail("EBADF");
    if (given(position) && position < 0) throw fail("EINVAL");
    const at = given(position) ? position : d.at;
    const n = Math.max(0, Math.min(length, d.node.size - at)); // 0: the end of the file
    buffer.set(d.node.data.subarray(at, at + n), offset);
    if (!given(position)) d.at = at + n;
    return n;
  }

  function writeFile(fd, buffer, offset, length, position) {
    const bytes = buffer.subarray(offset, offset + length);
    if (fd === 1 || fd === 2) {
      if (globalThis.overcompleteWrite) globalThis.overcompleteWrite(fd, bytes.slice());
      else writeSync(fd, bytes);
      return bytes.length;
    }
    const d = descriptor(fd);
    if ((d.flags & accessMode) === constants.O_RDONLY || d.node === terminal) throw fail("EBADF");
    if (given(position) && position < 0) throw fail("EINVAL");
    const append = d.flags & constants.O_APPEND;
    const at = append ? d.node.size : given(position) ? position : d.at;
    if (at + bytes.length > d.node.size) resize(d.node, at + bytes.length);
    d.node.data.set(bytes, at);
    touch(d.node);
    if (!given(position)) d.at = at + bytes.length;
    return bytes.length;
  }

  // What the runtime itself writes must not call back into Go.
  function writeSync(fd, bytes) {
    const text = decoder.decode(bytes.slice());
    if (globalThis.overcompleteRaw) globalThis.overcompleteRaw(fd, text);
    else (fd === 2 ? console.error : console.log)(text);
    return bytes.length;
  }

  // Descriptor 0: the rest of the line that was asked for last, or another line.
  let line = new Uint8Array(0);
  function readInput(buffer, offset, length, callback) {
    const give = () => {
      const n = Math.min(length, line.length);
      buffer.set(line.subarray(0, n), offset);
      line = line.subarray(n);
      callback(null, n);
    };
    if (length === 0 || line.length > 0 || !globalThis.overcompleteRead) return give();
    globalThis.overcompleteRead((text) => {
      if (text !== null) line = encoder.encode(text);
      give();
    });
  }

  function rename(from, to) {
    const a = place(from), b = place(to);
    if (!a.found) throw fail("ENOENT");
    if (a.name === "" || b.name === "") throw fail("EBUSY");
    if (!a.found.entries && (from.endsWith("/") || to.endsWith("/"))) throw fail("ENOTDIR");
    if (a.found === b.found) return;
    const oldNames = names(from), newNames = names(to);
    if (a.found.entries && oldNames.every((name, i) => newNames[i] === name)) throw fail("EINVAL"); // into itself
    if (b.found) {
      if (a.found.entries && !b.found.entries) throw fail("ENOTDIR");
      if (!a.found.entries && b.found.entries) throw fail("EISDIR");
      if (b.found.entries?.size) throw fail("ENOTEMPTY");
    }
    a.folder.entries.delete(a.name);
    b.folder.entries.set(b.name, a.found);
    touch(a.folder);
    touch(b.folder);
  }

  function makeFolder(path, mode) {
    const { folder, name, found } = place(path);
    if (found) throw fail("EEXIST");
    const made = newFolder();
    made.mode = DIRECTORY | ((mode ?? 0o755) & 0o777);
    folder.entries.set(name, made);
    touch(folder);
  }

  function unlink(path) {
    const { folder, name, found } = place(path);
    if (!found) throw fail("ENOENT");
    if (found.entries) throw fail("EISDIR");
    folder.entries.delete(name); // who has it open reads on
    touch(folder);
  }

  function removeFolder(path) {
    const { folder, name, found } = place(path);
    if (!found) throw fail("ENOENT");
    if (!found.entries) throw fail("ENOTDIR");
    if (name === "") throw fail("EBUSY");
    if (found.entries.size) throw fail("ENOTEMPTY");
    folder.entries.delete(name);
    touch(folder);
  }

  const setMode = (n, mode) => { n.mode = (n.mode & ~0o777) | (mode & 0o777); };
  function writable(d) {
    if (d.node === terminal || d.node.entries || (d.flags & accessMode) === constants.O_RDONLY) throw fail("EINVAL");
    return d.node;
  }

  // called makes of a function one that calls back with (error) or (null, result).
  const called = (f) => (...args) => {
    const callback = args.pop();
    let result;
    try {
      result = f(...args);
    } catch (err) {
      if (!err.code) err.code = "EIO";
      callback(err);
      return;
    }
    callback(null, result);
  };
  const unknown = called(() => { throw fail("ENOSYS"); });

  const read = called(readFile);
  globalThis.fs = {
    constants, writeSync,
    open: called(openFile),
    close: called((fd) => { if (!open.delete(fd) && !(fd >= 0 && fd < 3)) throw fail("EBADF"); }),
    read: (fd, buffer, offset, length, position, callback) => fd === 0 ? readInput(buffer, offset, length, callback) : read(fd, buffer, offset, length, position, callback),
    write: called(writeFile),
    stat: called((path) => stat(find(path))),
    lstat: called((path) => stat(find(path))),
    fstat: called((fd) => stat(descriptor(fd).node)),
    mkdir: called(makeFolder),
    readdir: called((path) => [...folderOf(path).entries.keys()]),
    rename: called(rename),
    unlink: called(unlink),
    rmdir: called(removeFolder),
    truncate: called((path, size) => resize(fileOf(path), size)),
    ftruncate: called((fd, size) => resize(writable(descriptor(fd)), size)),
    fsync: called((fd) => { descriptor(fd); }),
    chmod: called((path, mode) => setMode(find(path), mode)),
    fchmod: called((fd, mode) => setMode(descriptor(fd).node, mode)),
    chown: called((path) => { find(path); }),
    lchown: called((path) => { find(path); }),
    fchown: called((fd) => { descriptor(fd); }),
    utimes: called((path, _, seconds) => { find(path).time = seconds * 1000; }),
    readlink: called((path) => { find(path); throw fail("EINVAL"); }), // nothing is a link
    link: unknown,
    symlink: unknown,
  };

  globalThis.process = {
    pid: 1, ppid: 0,
    getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000, getgroups() { throw fail("ENOSYS"); },
    umask: () => 0o022,
    cwd: () => cwd,
    chdir(path) {
      folderOf(path);
      cwd = "/" + names(path).join("/");
    },
  };

  globalThis.path = { resolve: (...parts) => {
    let whole = "";
    for (const p of parts) whole = p.startsWith("/") ? p : whole + "/" + p;
    return "/" + names(whole || "/").join("/");
  } };

  function mkdir(path) {
    let n = root;
    for (const name of names(path)) {
      if (!n.entries.has(name)) n.entries.set(name, newFolder());
      n = n.entries.get(name);
      if (!n.entries) throw fail("ENOTDIR");
    }
  }

  globalThis.memfs = {
    mkdir,
    // put writes a file, of text or bytes, and makes its folders.
    put(path, data) {
      const list = names(path);
      mkdir("/" + list.slice(0, -1).join("/"));
      const { folder, name, found } = place(path);
      if (found?.entries) throw fail("EISDIR");
      const file = found ?? newFile(), bytes = typeof data === "string" ? encoder.encode(data) : data;
      resize(file, 0);
      resize(file, bytes.length);
      file.data.set(bytes);
      folder.entries.set(name, file);
    },
    get(path) {
      const file = fileOf(path);
      return file.data.slice(0, file.size);
    },
    list: (path) => [...folderOf(path).entries.keys()],
    isFolder: (path) => !!find(path).entries,
    entries: (path) => [...folderOf(path).entries].map(([name, n]) => ({ name, folder: !!n.entries, size: n.size ?? 0, time: n.time })),
    remove: (path) => find(path).entries ? removeFolder(path) : unlink(path),
  };
})();
