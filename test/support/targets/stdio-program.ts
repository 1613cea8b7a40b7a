import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { serveStdio } from './stdio-target.ts';

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));
const SOURCE = fileURLToPath(new URL('./stdio-target.ts', import.meta.url));

/** A program of the stdio form of the targets. */
export interface StdioProgram {
  /** What a client starts: `command args`. */
  command(...asked: Parameters<typeof serveStdio>): {
    readonly command: string;
    readonly args: readonly string[];
  };
  remove(): void;
}

/**
 * Builds the program once, as plain JavaScript below the checkout so that packages are found.
 * Remove it when the tests are done.
 */
export async function stdioProgram(): Promise<StdioProgram> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'targets-'));
  const bundle = await rolldown({
    input: SOURCE,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
  });
  const { output } = await bundle.generate({ format: 'esm' });
  const [entry] = output;
  writeFileSync(join(folder, 'target.mjs'), entry.code);
  const main = join(folder, 'main.mjs');
  writeFileSync(main, MAIN);
  return {
    command: (name, variant) => ({
      command: process.execPath,
      args: [main, name, JSON.stringify(variant)],
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const MAIN = `import { serveStdio } from './target.mjs';
const [name, variant] = process.argv.slice(2);
await serveStdio(name, JSON.parse(variant));
`;
