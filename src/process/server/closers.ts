import type { AppError } from '../../domain/common/error.ts';

/** Closes resources in the reverse order of their opening. */
export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  /** Adds the close function of a resource that was just opened. */
  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything. A second call closes what was added since. */
  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close();
    }
  }
}

/** The signal that a server stops by itself. */
export class Shutdown {
  readonly triggered: Promise<AppError | undefined>;
  #resolve: (error: AppError | undefined) => void = () => undefined;

  constructor() {
    this.triggered = new Promise((reach) => {
      this.#resolve = reach;
    });
  }

  /** Triggers the shutdown. The error is set if something failed. */
  trigger(error: AppError | undefined): void {
    this.#resolve(error);
  }
}
