/** Takes lines out of a text as it comes; what was read is not looked at again. */
export class LineReader {
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
      const line = this.#open.join('');
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
  }
}
