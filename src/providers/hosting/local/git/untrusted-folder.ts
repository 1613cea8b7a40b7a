import { constants } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';
import { AppError } from '../../../../domain/common/error.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const MISSING_CODES = new Set(['ENOENT']);
const WRONG_TYPE_CODES = new Set(['ELOOP', 'ENOTDIR']);

/**
 * A folder whose content is untrusted. It is held by a descriptor, and names in it are opened
 * relative to that without following links. So nothing outside is ever read, even if names are
 * changed concurrently. Linux only.
 */
export class UntrustedFolder {
  readonly #handle: FileHandle;
  /** Path below the outermost folder, for error messages. */
  readonly name: string;

  private constructor(handle: FileHandle, name: string) {
    this.#handle = handle;
    this.name = name;
  }

  /** Opens the outermost folder, which must be trusted. */
  static async open(path: string): Promise<UntrustedFolder> {
    return new UntrustedFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), '');
  }

  /** Opens a subfolder; `undefined` if the name does not exist. Throws for a link or a file. */
  async openFolder(name: string): Promise<UntrustedFolder | undefined> {
    const handle = await this.#open(name, O_DIRECTORY);
    return handle === undefined ? undefined : new UntrustedFolder(handle, this.#childName(name));
  }

  /** Opens a file; `undefined` if the name does not exist. Throws for anything but a file. */
  async openFile(name: string): Promise<FileHandle | undefined> {
    // Opening a pipe without a writer would block.
    const handle = await this.#open(name, O_NONBLOCK);
    if (handle === undefined) return undefined;
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw rejectedSourceError(`${this.#childName(name)} is not a file`);
  }

  /** Reads a text file. Throws if it is longer than `bytesMax`. */
  async readText(name: string, bytesMax: number): Promise<string | undefined> {
    const file = await this.openFile(name);
    if (file === undefined) return undefined;
    try {
      const buffer = Buffer.alloc(Math.min(bytesMax, (await file.stat()).size) + 1);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      if (bytesRead < buffer.length) return buffer.toString('utf8', 0, bytesRead);
      throw rejectedSourceError(`${this.#childName(name)} is longer than ${bytesMax} bytes`);
    } finally {
      await file.close();
    }
  }

  /** Returns the names in this folder. Throws if there are more than `most`. */
  async listNames(most: number): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of await opendir(this.#path(''))) {
      if (names.length >= most) {
        throw rejectedSourceError(`${this.name || 'the repository'} has more than ${most} entries`);
      }
      names.push(name);
    }
    return names;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #open(name: string, flags: number): Promise<FileHandle | undefined> {
    try {
      return await open(this.#path(name), O_RDONLY | O_NOFOLLOW | flags);
    } catch (cause) {
      const { code = '' } = cause as NodeJS.ErrnoException;
      if (MISSING_CODES.has(code)) return undefined;
      if (!WRONG_TYPE_CODES.has(code)) throw cause;
      throw rejectedSourceError(`${this.#childName(name)} is a link or has an unexpected type`);
    }
  }

  #path(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  #childName(name: string): string {
    return this.name === '' ? name : `${this.name}/${name}`;
  }
}

/**
 * Creates the error for a repository with forbidden content. It names only paths in the repository.
 */
export function rejectedSourceError(received: string): AppError {
  const allowed = 'files and folders without links, and no objects of other repositories';
  const message = `The repository is rejected: ${received}. Allowed: ${allowed}.`;
  return new AppError('INPUT_INVALID', { message, data: { path: 'repo', received, allowed } });
}
