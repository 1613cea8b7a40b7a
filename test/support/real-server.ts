import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { PAYMENT_META } from '../../src/domain/payment/payment.ts';
import type { Ready } from '../../src/process/server/ready.ts';
import { built } from './built.ts';
import type { Payer } from './payer.ts';

/** How long a start may take, in milliseconds: a hang guard. */
const START_MS = 120_000;

/** A real server in a process of its own. */
export interface RealServer {
  readonly ready: Ready;
  readonly dataDir: string;
  readonly errors: () => string;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** Makes a data directory that `cleanUp` removes. */
export function freshDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-e2e-'));
  dirs.push(dir);
  return dir;
}

/** Ends what this file started and removes what it made. */
export async function cleanUp(): Promise<void> {
  await Promise.all(children.splice(0).map((child) => end(child, 'SIGKILL')));
  for (const dir of dirs.splice(0)) {
    endChainNode(dir);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The chain node of a server that was killed lives on until the next start: here there is none. */
function endChainNode(dataDir: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'chain', 'anvil.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its server.
  }
}

/** Path of the built command line program. */
export async function cliPath(): Promise<string> {
  return join(await built(), 'cli.js');
}

/** Starts `stoa serve`, with this Node or another, and waits for its ready line. */
export async function startRealServer(
  dataDir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  node: string = process.execPath,
): Promise<RealServer> {
  const args = [await cliPath(), 'serve', '--json', '--port', '0', '--data', dataDir, ...flags];
  const child = spawn(node, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const ready = await new Promise<Ready>((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`not ready: ${errors}`)), START_MS);
    child.once('exit', (code) => fail(new Error(`ended with ${code}: ${errors}`)));
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      done(JSON.parse(line));
    });
  });
  return {
    ready,
    dataDir,
    errors: () => errors,
    kill: async () => {
      await end(child, 'SIGKILL');
    },
    stop: () => end(child, 'SIGTERM'),
  };
}

/** Gives test money through the faucet. */
export async function fund({ ready }: RealServer, to: string, usd = '10'): Promise<void> {
  const answer = await fetch(`${ready.base_url}/dev/faucet`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${readFileSync(ready.token_file, 'utf8').trim()}`,
    },
    body: JSON.stringify({ to, usd }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Balance of the stablecoin in micro-dollars, asked of the chain itself. */
export async function balanceOf({ ready }: RealServer, address: string): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const answer = await fetch(ready.chain.rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to: ready.chain.token, data }, 'latest'],
    }),
  });
  return BigInt(((await answer.json()) as { result: string }).result);
}

/** Pays a challenge in band: what a client adds to `_meta` of the repeated call. */
export async function inBandPayment(payer: Payer, challenge: PaymentRequired) {
  const [offer] = challenge.accepts;
  if (offer === undefined) throw new Error('the challenge offers nothing');
  return { [PAYMENT_META]: await payer.pay(offer) };
}

/** Waits for a claim, with a bound. */
export async function until(claim: () => Promise<boolean> | boolean, ms = 90_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await claim())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 50));
  }
}

const dirs: string[] = [];
const children: ChildProcess[] = [];

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}
