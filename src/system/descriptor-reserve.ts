import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Returns the maximum open descriptors of this process; `undefined` if the system does not report
 * it.
 */
export function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Returns the descriptor that would be opened next, a lower bound for the number of open ones;
 * `undefined` if none can be opened.
 */
export function findNextDescriptor(): number | undefined {
  const fd = openOne();
  if (fd !== undefined) closeSync(fd);
  return fd;
}

/** Descriptors kept open so that urgent work can use them later. */
export class DescriptorReserve {
  readonly #held: number[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Holds all descriptors. Returns `false` and holds none if `more` could not be opened in
   * addition.
   */
  hold(more: number): boolean {
    const extra: number[] = [];
    while (this.#held.length + extra.length < this.#size + more) {
      const fd = openOne();
      if (fd === undefined) break;
      if (this.#held.length < this.#size) this.#held.push(fd);
      else extra.push(fd);
    }
    for (const fd of extra) closeSync(fd);
    if (extra.length === more) return true;
    this.release();
    return false;
  }

  release(): void {
    for (const fd of this.#held.splice(0)) closeSync(fd);
  }
}

function openOne(): number | undefined {
  try {
    return openSync(devNull, 'r');
  } catch {
    return undefined;
  }
}
