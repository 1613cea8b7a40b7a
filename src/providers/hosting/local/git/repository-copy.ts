import { mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { LocalRepository } from './source-roots.ts';
import { rejectedSourceError, UntrustedFolder } from './untrusted-folder.ts';

/** Limits of a copy: total bytes, files per object folder, and sizes of lists. */
const COPY_BYTES_MAX = 2 * 1024 ** 3;
const NAMES_MAX = 20_000;
const REF_BYTES_MAX = 4_096;
const LIST_BYTES_MAX = 16 * 1024 ** 2;
const LINKS_MAX = 5;
const PIECE_BYTES = 1024 ** 2;
/** Small files copied concurrently. */
const CONCURRENCY = 8;

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE_FILE = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK_FILE = /^pack-[0-9a-f]{40,64}\.(?:pack|idx)$/;
const REF = /^refs(?:\/[\w.+#-]{1,200}){1,40}$/;

/** Returns the commit of a branch in a local repository; `null` if the branch does not exist. */
export function readBranch(from: LocalRepository, branch: string): Promise<string | null> {
  return withGitFolder(from, (git) => readRef(git, `refs/heads/${branch}`, LINKS_MAX));
}

/** Returns the checked-out branch of a local repository; `null` if there is none. */
export function readDefaultBranch(from: LocalRepository): Promise<string | null> {
  return withGitFolder(from, async (git) => {
    const head = (await git.readText('HEAD', REF_BYTES_MAX)) ?? '';
    return /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1] ?? null;
  });
}

/**
 * Creates a repository with the objects of another one, for git to read instead. Git follows links,
 * references to other repositories (`alternates`, `commondir`, `.git` files) and settings of the
 * repository it reads; none of these are copied.
 *
 * @param to - A folder that does not exist yet.
 * @throws {AppError} `INPUT_INVALID` naming the rejected content.
 */
export function copyRepository(
  from: LocalRepository,
  to: string,
  { commitId, signal }: { readonly commitId: string; readonly signal: AbortSignal },
): Promise<void> {
  return withGitFolder(from, async (git) => {
    const copy = new CopyOperation(signal);
    for (const name of ['refs', 'objects/pack']) mkdirSync(join(to, name), { recursive: true });
    writeFileSync(join(to, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(to, 'config'), formatConfig(commitId));
    const shallow = await git.readText('shallow', LIST_BYTES_MAX);
    if (shallow !== undefined) writeFileSync(join(to, 'shallow'), shallow);
    // Objects can move from loose files to packs, and between packs, during the copy. A second pass
    // over the packs finds what the first one missed.
    await withFolder(git, 'objects', async (objects) => {
      await rejectAlternates(objects);
      for (const name of await objects.listNames(NAMES_MAX)) {
        if (!LOOSE_FOLDER.test(name)) continue;
        mkdirSync(join(to, 'objects', name), { recursive: true });
        const each = (folder: UntrustedFolder) =>
          copy.copyFiles(folder, join(to, 'objects', name), LOOSE_FILE);
        await withFolder(objects, name, each);
      }
      const packs = (folder: UntrustedFolder) =>
        copy.copyFiles(folder, join(to, 'objects', 'pack'), PACK_FILE);
      if (!(await withFolder(objects, 'pack', packs))) await withFolder(objects, 'pack', packs);
    });
  });
}

/** A copy in progress, which counts its bytes. */
class CopyOperation {
  readonly #signal: AbortSignal;
  #left = COPY_BYTES_MAX;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Copies the files with matching names; returns `false` if one vanished before it was opened. */
  async copyFiles(from: UntrustedFolder, to: string, pattern: RegExp): Promise<boolean> {
    const names = (await from.listNames(NAMES_MAX)).filter((name) => pattern.test(name));
    let isWhole = true;
    for (let at = 0; at < names.length; at += CONCURRENCY) {
      this.#signal.throwIfAborted();
      const some = names.slice(at, at + CONCURRENCY);
      const found = await Promise.all(
        some.map((name) => this.#copyFile(from, name, join(to, name))),
      );
      isWhole &&= !found.includes(false);
    }
    return isWhole;
  }

  async #copyFile(from: UntrustedFolder, name: string, to: string): Promise<boolean> {
    const source = await from.openFile(name);
    if (source === undefined) return false;
    try {
      const target = await open(to, 'w', 0o400);
      try {
        await this.#copyPieces(source, target);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
    return true;
  }

  async #copyPieces(source: FileHandle, target: FileHandle): Promise<void> {
    const { size } = await source.stat();
    const buffer = Buffer.allocUnsafe(Math.min(size + 1, PIECE_BYTES));
    for (;;) {
      this.#signal.throwIfAborted();
      const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      this.#left -= bytesRead;
      if (this.#left < 0)
        throw rejectedSourceError(`its objects have more than ${COPY_BYTES_MAX} bytes`);
      await target.writeFile(buffer.subarray(0, bytesRead));
    }
  }
}

async function rejectAlternates(objects: UntrustedFolder): Promise<void> {
  await withFolder(objects, 'info', async (info) => {
    for (const name of ['alternates', 'http-alternates']) {
      const file = await info.openFile(name);
      await file?.close();
      if (file !== undefined) {
        throw rejectedSourceError(`${info.name}/${name} refers to other repositories`);
      }
    }
  });
}

async function readRef(git: UntrustedFolder, ref: string, links: number): Promise<string | null> {
  if (!REF.test(ref) || ref.split('/').some((part) => /^\.+$/.test(part))) {
    throw rejectedSourceError(`${JSON.stringify(ref.slice(0, 200))} is not a valid reference name`);
  }
  const [text = ''] = (await readLooseRef(git, ref.split('/')))?.split('\n') ?? [];
  if (ID.test(text)) return text;
  if (text.startsWith('ref: ')) {
    if (links === 0) throw rejectedSourceError('its references form a cycle');
    return readRef(git, text.slice('ref: '.length).trim(), links - 1);
  }
  const packed = (await git.readText('packed-refs', LIST_BYTES_MAX)) ?? '';
  const at = packed.indexOf(` ${ref}\n`);
  const id = packed.slice(packed.lastIndexOf('\n', at) + 1, Math.max(at, 0));
  return ID.test(id) ? id : null;
}

async function readLooseRef(
  from: UntrustedFolder,
  [name = '', ...below]: readonly string[],
): Promise<string | undefined> {
  if (below.length === 0) return from.readText(name, REF_BYTES_MAX);
  let text: string | undefined;
  await withFolder(from, name, async (folder) => {
    text = await readLooseRef(folder, below);
  });
  return text;
}

/** Opens git's folder of a repository, bare or not. */
async function withGitFolder<Found>(
  { root, path }: LocalRepository,
  read: (git: UntrustedFolder) => Promise<Found>,
): Promise<Found> {
  const opened: UntrustedFolder[] = [await UntrustedFolder.open(root)];
  try {
    let current = opened[0] as UntrustedFolder;
    const go = async (name: string): Promise<boolean> => {
      const next = await current.openFolder(name);
      if (next !== undefined) opened.push(next);
      current = next ?? current;
      return next !== undefined;
    };
    for (const name of relative(root, path).split(sep)) {
      if (name !== '' && !(await go(name))) throw rejectedSourceError('it does not exist');
    }
    await go('.git');
    const objects = await current.openFolder('objects');
    await objects?.close();
    if (objects === undefined) throw rejectedSourceError('it has no objects folder');
    return await read(current);
  } finally {
    await Promise.all(opened.map((folder) => folder.close()));
  }
}

/** Returns whether the folder was missing or was read completely. */
async function withFolder(
  from: UntrustedFolder,
  name: string,
  read: (folder: UntrustedFolder) => Promise<unknown>,
): Promise<boolean> {
  const folder = await from.openFolder(name);
  if (folder === undefined) return true;
  try {
    return (await read(folder)) !== false;
  } finally {
    await folder.close();
  }
}

function formatConfig(commitId: string): string {
  const isLong = commitId.length > 40;
  const format = isLong ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  return `[core]\n\trepositoryFormatVersion = ${isLong ? 1 : 0}\n\tbare = true\n${format}`;
}
