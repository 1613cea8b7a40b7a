import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A fix taken out of the sources again, and the test that must notice. */
export interface Mutation {
  /** What the removed fix prevents. */
  readonly fault: string;
  /** The finding that it closed, as `page number`. */
  readonly finding: string;
  readonly edits: readonly Edit[];
  /** Test file that must fail, and the name of the test where the file has several. */
  readonly test: string;
  readonly name?: string;
}

/** One text of one file, replaced once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** What became of a mutation. */
export interface Outcome {
  readonly isFound: boolean;
  readonly output: string;
}

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src', 'test', 'web', 'scripts', 'contracts', 'docs', 'examples', 'bench'];
const FILES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts'];
const RUN_MS = 150_000;

/** All mutations in the folder beside this file, in order of their file names. */
export function readMutations(): readonly Mutation[] {
  const folder = join(CHECKOUT, 'test', 'adversary', 'mutations');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files
    .toSorted()
    .flatMap((file): readonly Mutation[] => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

/** Applies an edit to a text. @throws where the text is not there exactly once. */
export function applyEdit(text: string, { file, from, to }: Edit): string {
  const parts = text.split(from);
  if (parts.length !== 2) {
    throw new Error(`${file}: ${JSON.stringify(from)} stands there ${parts.length - 1} times`);
  }
  return parts.join(to);
}

/** Runs the named test in a copy of the checkout from which the fix was removed. */
export async function playMutation(mutation: Mutation): Promise<Outcome> {
  const copy = mkdtempSync(join(tmpdir(), 'stoa-mutation-'));
  try {
    for (const name of [...COPIED, ...FILES]) {
      cpSync(join(CHECKOUT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'));
    for (const edit of mutation.edits) {
      const file = join(copy, edit.file);
      writeFileSync(file, applyEdit(readFileSync(file, 'utf8'), edit));
    }
    return await runTest(copy, mutation);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function runTest(copy: string, { test, name }: Mutation): Promise<Outcome> {
  const named = name === undefined ? [] : ['-t', name];
  const args = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', test, '--retry=0', ...named];
  const plain = { NO_COLOR: '1', FORCE_COLOR: '0' };
  const env = { ...process.env, ...plain, STOA_ADVERSARY_S: '20' };
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { cwd: copy, env, timeout: RUN_MS, maxBuffer: 2 ** 26 },
      (fault, stdout, stderr) => {
        const output = `${stdout}\n${stderr}`;
        // A test that could not be run has found nothing; one that never ended has found a stall.
        const isStalled = fault?.killed === true;
        const hasFailed = fault !== null && /^ +Tests .*\d+ failed/m.test(output);
        done({ isFound: isStalled || hasFailed, output });
      },
    );
  });
}
