// The binary buffers of a message are in base64 on the kernel's side, and DataViews in Lab.
export const encode = buffers => (buffers ?? []).map(b => {
  const view = ArrayBuffer.isView(b) ? new Uint8Array(b.buffer, b.byteOffset, b.byteLength) : new Uint8Array(b);
  return btoa(Array.from(view, c => String.fromCharCode(c)).join(''));
});

export const decode = buffers => (buffers ?? []).map(text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new DataView(bytes.buffer);
});
