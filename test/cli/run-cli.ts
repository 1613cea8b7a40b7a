import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { built } from '../support/built.ts';
import { cliPath, freshDataDir } from '../support/real-server.ts';

/** How a command ended and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is run with beside its arguments. */
export interface Setting {
  /** Added to the environment, which has no variable of Stoa or of a model's vendor otherwise. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another program than the built one. */
  readonly cli?: string;
}

const HANG_MS = 60_000;

/** Runs one command to its end, without a terminal. */
export async function runCli(args: readonly string[], setting: Setting = {}): Promise<Ended> {
  const cli = setting.cli ?? (await cliPath());
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ...setting.env },
    timeout: HANG_MS,
    ...(setting.cwd === undefined ? {} : { cwd: setting.cwd }),
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString('utf8');
    });
  }
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, ...said };
}

/** This environment without anything that configures Stoa. */
export function bareEnvironment(): Record<string, string> {
  const own = /^(STOA_|OPENAI_|ANTHROPIC_)/;
  const entries = Object.entries(process.env).filter(([name]) => !own.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

/**
 * An installation of its own that lacks some packages (a scope counts as one).
 *
 * @returns The path of its program.
 */
export async function installationWithout(...lacking: readonly string[]): Promise<string> {
  const dist = await built();
  const folder = freshDataDir();
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  cpSync(join(dirname(dist), 'package.json'), join(folder, 'package.json'));
  const packages = join(dirname(dist), 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(packages)) {
    if (name.startsWith('.') || lacking.includes(name)) continue;
    symlinkSync(join(packages, name), join(folder, 'node_modules', name), 'junction');
  }
  return join(folder, 'dist', 'cli.js');
}
