import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { lastNumberOf, numberOf, pathOf, stringsOf } from './bytes.ts';
import type { Survival, Write } from './file.ts';
import { DiskFile } from './file.ts';
import type { Call } from './trace.ts';

/**
 * A disk that is told the calls of a traced program, in order, and can be rebuilt as it may be when
 * the power goes at any point: with what was synced, with names that were synced, and with any part
 * of the rest.
 */
export class Disk {
  readonly #root: string;
  readonly #steps: readonly Step[];
  readonly #handles = new Map<number, Handle>();
  readonly #live = new Map<string, DiskFile>();
  readonly #entries: Entry[] = [];
  readonly #ends = new Map<Call, () => void>();
  #done = 0;

  /** @param root - Folder that was empty when the program began. */
  constructor(root: string, calls: readonly Call[]) {
    this.#root = root;
    this.#steps = stepsOf(calls);
  }

  /** Takes everything up to a point in time. */
  advance(to: number): void {
    for (let step = this.#steps[this.#done]; step !== undefined && step.at <= to; ) {
      if (step.isEnd) this.#end(step.call);
      else this.#begin(step.call, step.at);
      this.#done += 1;
      step = this.#steps[this.#done];
    }
  }

  /** Writes what may be left into an empty folder. */
  rebuild(folder: string, survival: Survival, random: () => number): void {
    for (const [path, file] of this.#names(survival, random)) {
      if (file === undefined) continue;
      const target = join(folder, relative(this.#root, path));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.image(survival, random));
    }
  }

  /** Files by their names: those that were synced, and the first few of the others. */
  #names(survival: Survival, random: () => number): ReadonlyMap<string, DiskFile | undefined> {
    const open = this.#entries.filter(({ isSynced }) => !isSynced).length;
    let left = survival === 'nothing' ? 0 : Math.floor(random() * (open + 1));
    const names = new Map<string, DiskFile | undefined>();
    for (const { isSynced, change } of this.#entries) {
      if (!isSynced && left <= 0) continue;
      if (!isSynced) left -= 1;
      change(names);
    }
    return names;
  }

  #begin(call: Call, at: number): void {
    const { name, args } = call;
    const handle = this.#handles.get(numberOf(args));
    switch (name) {
      case 'write':
      case 'writev':
      case 'pwrite64':
      case 'pwritev':
        if (handle?.file !== undefined) this.#write(call, handle, handle.file, at);
        return;
      case 'fsync':
      case 'fdatasync':
        if (handle !== undefined) this.#sync(call, handle);
        return;
      case 'pwritev2':
      case 'msync':
      case 'sync_file_range':
      case 'truncate':
      case 'fallocate':
      case 'copy_file_range':
      case 'sendfile':
        throw new Error(`the model of a disk does not know ${name}`);
    }
  }

  #write(call: Call, handle: Handle, file: DiskFile, at: number): void {
    const bytes = Buffer.concat(stringsOf(call.args));
    const isPlaced = call.name.startsWith('p');
    const offset = isPlaced ? lastNumberOf(call.args) : handle.position;
    const written: Write = file.write(at, offset, bytes);
    this.#ends.set(call, () => {
      if (call.result !== bytes.length) throw new Error(`a short ${call.name}: ${call.result}`);
      if (!isPlaced) handle.position += bytes.length;
      written.isDone = true;
      if (handle.isSynced) file.keep(written);
    });
  }

  #sync(call: Call, { path, file }: Handle): void {
    const keep = file?.covered();
    const entries = this.#entries.filter(({ folder }) => folder === path);
    this.#ends.set(call, () => {
      if (call.result !== 0) return;
      keep?.();
      for (const entry of entries) entry.isSynced = true;
    });
  }

  #end(call: Call): void {
    this.#ends.get(call)?.();
    this.#ends.delete(call);
    if (call.result < 0) return;
    const { name, args } = call;
    switch (name) {
      case 'openat':
        this.#open(call.result, args);
        return;
      case 'close':
        this.#handles.delete(numberOf(args));
        return;
      case 'lseek': {
        const handle = this.#handles.get(numberOf(args));
        if (handle !== undefined) handle.position = call.result;
        return;
      }
      case 'rename':
        this.#rename(pathOf(args), pathOf(args, 1));
        return;
      case 'unlink':
        this.#remove(pathOf(args));
    }
  }

  #open(handle: number, args: string): void {
    const path = pathOf(args);
    this.#handles.delete(handle);
    if (path !== this.#root && !path.startsWith(`${this.#root}/`) && !this.#root.startsWith(path)) {
      return;
    }
    const isFolder = !path.endsWith('.mdb');
    if (!isFolder && args.includes('O_CREAT') && !this.#live.has(path)) {
      const file = new DiskFile();
      this.#live.set(path, file);
      this.#enter(dirname(path), (names) => names.set(path, file));
    }
    const file = this.#live.get(path);
    if (!isFolder && file === undefined) return;
    // What is in the lock means nothing to the next process.
    if (path.endsWith('lock.mdb')) return;
    this.#handles.set(handle, { path, file, position: 0, isSynced: args.includes('SYNC') });
  }

  #rename(from: string, to: string): void {
    const file = this.#live.get(from);
    if (file === undefined) return;
    this.#live.delete(from);
    this.#live.set(to, file);
    this.#enter(dirname(to), (names) => {
      names.delete(from);
      names.set(to, file);
    });
  }

  #remove(path: string): void {
    if (!this.#live.delete(path)) return;
    this.#enter(dirname(path), (names) => names.delete(path));
  }

  #enter(folder: string, change: Entry['change']): void {
    this.#entries.push({ folder, change, isSynced: false });
  }
}

interface Handle {
  readonly path: string;
  /** Absent for folders. */
  readonly file: DiskFile | undefined;
  position: number;
  /** Every write is on the disk when it returns. */
  readonly isSynced: boolean;
}

/** A change of a folder. */
interface Entry {
  readonly folder: string;
  readonly change: (names: Map<string, DiskFile | undefined>) => void;
  isSynced: boolean;
}

interface Step {
  readonly call: Call;
  readonly at: number;
  readonly isEnd: boolean;
}

function stepsOf(calls: readonly Call[]): readonly Step[] {
  return calls
    .flatMap((call) => [
      { call, at: call.begin, isEnd: false },
      { call, at: call.end, isEnd: true },
    ])
    .sort((a, b) => a.at - b.at);
}
