import type { AppError } from '../../domain/common/error.ts';

/** What has to be closed, in the order opposite to its opening. */
export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  /** Adds the way to close what was opened just now. */
  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything; a second call closes what came since. */
  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close();
    }
  }
}

/** The moment at which a server ends by itself. */
export class End {
  readonly reached: Promise<AppError | undefined>;
  #reach: (error: AppError | undefined) => void = () => undefined;

  constructor() {
    this.reached = new Promise((reach) => {
      this.#reach = reach;
    });
  }

  /** Says that it has come, and why, if something failed. */
  with(error: AppError | undefined): void {
    this.#reach(error);
  }
}
