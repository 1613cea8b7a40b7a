/** Number of chunks of an incomplete line that are held before they are joined. */
const PIECES_APART = 4_096;

/** Splits incoming text into lines. Text is scanned only once. */
export class LineReader {
  #joined: string[] = [];
  #open: string[] = [];
  #openChars = 0;

  /** Length of the incomplete line, in characters. */
  get openChars(): number {
    return this.#openChars;
  }

  /** Adds a chunk and returns the lines it completes, without line endings. */
  push(piece: string): readonly string[] {
    const [first = '', ...others] = piece.split('\n');
    this.#add(first);
    return others.map((other) => {
      const line = this.#joined.join('') + this.#open.join('');
      this.#joined = [];
      this.#open = [];
      this.#openChars = 0;
      this.#add(other);
      return line.endsWith('\r') ? line.slice(0, -1) : line;
    });
  }

  #add(part: string): void {
    if (part === '') return;
    this.#open.push(part);
    this.#openChars += part.length;
    if (this.#open.length < PIECES_APART) return;
    this.#joined.push(this.#open.join(''));
    this.#open = [];
  }
}
