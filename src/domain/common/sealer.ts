/** Encrypts texts at rest with a key of this data directory. */
export interface Sealer {
  /** Encrypts a text; `about` names its owner and is required to decrypt it. */
  seal(text: string, about: string): string;
  /** @throws {AppError} `CONFIG_INVALID` if the key or the owner differs. */
  open(sealed: string, about: string): string;
}
