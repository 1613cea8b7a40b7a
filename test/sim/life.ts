/** One process from its start to its end; nothing of it happens once it is over. */
export interface Life {
  readonly n: number;
  isOver: boolean;
}

/** Waits until every pending promise and immediate had its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
