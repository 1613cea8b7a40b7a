/** Keeps texts secret at rest, with a key of this data directory. */
export interface Sealer {
  /** Encrypts a text; `about` names what it belongs to, and is needed to open it. */
  seal(text: string, about: string): string;
  /** @throws {AppError} `CONFIG_INVALID` when the key or the text is another. */
  open(sealed: string, about: string): string;
}
