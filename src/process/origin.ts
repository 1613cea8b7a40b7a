/** Where a server is reached. What needs it before the server listens waits for it. */
export class Origin {
  readonly #known: Promise<string>;
  #url = '';
  #tell: (url: string) => void = () => undefined;

  /** @param publicUrl - Known from the start; else the address that it listens on. */
  constructor(publicUrl: string | undefined) {
    this.#known = new Promise((resolve) => {
      this.#tell = resolve;
    });
    if (publicUrl !== undefined) this.tell(publicUrl);
  }

  /** The first address that it was told. */
  readonly known = (): Promise<string> => this.#known;

  /** The same; empty before. */
  readonly now = (): string => this.#url;

  /** The server listens. */
  tell(url: string): void {
    if (this.#url === '') this.#url = url;
    this.#tell(url);
  }
}
