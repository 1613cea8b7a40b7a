import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What a finished program left. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const HANG_MS = 60_000;

/** Makes a folder with our scripts and the given files, removed after the test. */
export function sandbox(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-scripts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  cpSync('.ci/run', join(folder, '.ci/run'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o755);
  }
  return folder;
}

/** Starts a program in a folder; it is ended with the test. */
export function start(folder: string, program: string, ...args: readonly string[]): ChildProcess {
  const { npm_execpath: _npm, ...env } = process.env;
  const child = spawn(program, args, { cwd: folder, env: { ...env, CI: '' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Collects what a program prints until it ends. */
export function ended(child: ChildProcess): Promise<Ended> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((done) => {
    const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
    child.on('close', (code) => {
      clearTimeout(hang);
      done({ code, output });
    });
  });
}
