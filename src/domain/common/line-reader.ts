/** Pieces of an open line that are kept apart before they are joined to one. */
const PIECES_APART = 4_096;

/** Takes lines out of a text as it comes; what was read is not looked at again. */
export class LineReader {
  #joined: string[] = [];
  #open: string[] = [];
  #openChars = 0;

  /** Characters of the line that has not ended. */
  get openChars(): number {
    return this.#openChars;
  }

  /** Gives the lines that are complete with this piece, without their ends. */
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
