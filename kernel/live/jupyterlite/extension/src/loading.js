// A Loading shows in a notification how much of the kernel has come.
export class Loading {
  #notification;
  #shown = null;

  constructor(notification) {
    this.#notification = notification;
  }

  progress(have, total) {
    const of = total ? ` of ${megabytes(total)}` : '';
    const message = `Loading the Go kernel: ${megabytes(have)}${of} MB`;
    const progress = total ? Math.min(1, have / total) : undefined;
    if (this.#shown === null) this.#shown = this.#notification.emit(message, 'in-progress', { autoClose: false, progress });
    else this.#notification.update({ id: this.#shown, message, progress });
  }

  end() {
    if (this.#shown !== null) this.#notification.dismiss(this.#shown);
    this.#shown = null;
  }
}

const megabytes = bytes => (bytes / 1e6).toFixed(1);
