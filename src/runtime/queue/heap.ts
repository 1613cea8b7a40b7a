/** A binary min-heap. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  /** Returns the smallest item without removing it. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[parent] as T, item) <= 0) break;
      items[at] = items[parent] as T;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes and returns the smallest item. */
  pop(): T | undefined {
    const least = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#siftDown(last);
    return least;
  }

  #siftDown(item: T): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const child = this.#lesserChild(at);
      if (child === undefined || this.#compare(items[child] as T, item) >= 0) break;
      items[at] = items[child] as T;
      at = child;
    }
    items[at] = item;
  }

  #lesserChild(at: number): number | undefined {
    const items = this.#items;
    const left = 2 * at + 1;
    if (left >= items.length) return undefined;
    const right = left + 1;
    const isRight = right < items.length && this.#compare(items[right] as T, items[left] as T) < 0;
    return isRight ? right : left;
  }
}
