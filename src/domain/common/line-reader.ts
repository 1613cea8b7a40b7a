/** Number of chunks of an incomplete line that are held before they are joined. */
const UNJOINED_MAX = 4_096;

/** Splits incoming text into lines. Text is scanned only once. */
export class LineReader {
  #joined: string[] = [];
  #open: string[] = [];
  #pendingChars = 0;

  /** Length of the incomplete line, in characters. */
  get openChars(): number {
    return this.#pendingChars;
  }

  /** Adds a chunk and returns the lines it completes, without line endings. */
  push(chunk: string): readonly string[] {
    const [first = '', ...others] = chunk.split('\n');
    this.#add(first);
    return others.map((other) => {
      const line = this.#joined.join('') + this.#open.join('');
      this.#joined = [];
      this.#open = [];
      this.#pendingChars = 0;
      this.#add(other);
      return line.endsWith('\r') ? line.slice(0, -1) : line;
    });
  }

  #add(part: string): void {
    if (part === '') return;
    this.#open.push(part);
    this.#pendingChars += part.length;
    if (this.#open.length < UNJOINED_MAX) return;
    this.#joined.push(this.#open.join(''));
    this.#open = [];
  }
}
