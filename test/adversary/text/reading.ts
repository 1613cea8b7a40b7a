import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { Reading, Took } from './reading-program.ts';

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));
const SOURCE = fileURLToPath(new URL('./reading-program.ts', import.meta.url));

/** A process that reads texts, and is killed when one of them keeps it too long. */
export class ReadingProcess {
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Builds the program below the checkout, so that packages are found. */
  static async start(): Promise<ReadingProcess> {
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'reading-'));
    const bundle = await rolldown({
      input: SOURCE,
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
    });
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    writeFileSync(join(folder, 'program.mjs'), output[0].code);
    return new ReadingProcess(folder);
  }

  /** Ends the process and removes the program. */
  close(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Has a text read; after `hangMs` for one reading the process is killed: that is its fault. */
  async read(asked: Reading, hangMs: number): Promise<Took> {
    const child = await this.#running();
    return await new Promise((resolve) => {
      const answer = (took: Took) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(took);
      };
      const gone = (fault: string, hangs: boolean) => {
        child.kill('SIGKILL');
        this.#child = undefined;
        answer({ ms: hangMs, fault, hangs });
      };
      const timer = setTimeout(() => gone('it is still being read', true), hangMs * asked.times);
      child.once('message', (took) => answer(took as Took));
      child.once('exit', (code, signal) => gone(`the process ended by ${code ?? signal}`, false));
      child.send(asked);
    });
  }

  async #running(): Promise<ChildProcess> {
    if (this.#child !== undefined) return this.#child;
    const child = fork(join(this.#folder, 'program.mjs'), { execArgv: [] });
    // The program says so once it is loaded, which takes longer than most readings.
    await once(child, 'message');
    this.#child = child;
    return child;
  }
}
