import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../domain/common/error.ts';
import { spawn } from '../../../system/child.ts';
import { startNodeWatchdog } from '../node-watchdog.ts';
import { deleteProcessRecord, writeProcessRecord } from './process-record.ts';

/** How the child is started and supervised. */
export interface AnvilOptions {
  readonly binary: string;
  readonly chainId: number;
  /** Preferred port; used if it is free. */
  readonly port?: number;
  /** File that records the running child. */
  readonly recordFile: string;
  /** Brings the chain up to date. Runs after every start, before callers are let in. */
  readonly prepare: (rpcUrl: string) => Promise<void>;
  /** Receives a line for every unexpected exit. */
  readonly notice: (line: string) => void;
}

/** A chain node that is restarted on a crash until it is closed. */
export interface Anvil {
  readonly rpcUrl: string;
  readonly port: number;
  readonly pid: () => number;
  /** Resolves when the node serves a prepared chain. @throws {AppError} `CHAIN_UNAVAILABLE` */
  ready(): Promise<void>;
  /** Stops the node, starts it again and prepares it. `ready` waits for that. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 15_000;
const PROBE_EVERY_MS = 20;
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 60_000;
const STOP_GRACE_MS = 2_000;

/**
 * Starts anvil and keeps it running on one port. A child that crashes is started and prepared
 * again. After more than 5 crashes within a minute it stays down and `ready` throws.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when the first start fails.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const port = await findFreePort(options.port);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const recordCrash = createCrashCounter();
  let isClosed = false;
  /** The node that is being stopped on purpose. */
  let replacing: ChildProcess | undefined;
  let child = spawnAnvil(options, port);
  let ready = prepareNode(child);

  async function prepareNode(started: ChildProcess): Promise<void> {
    started.once('exit', () => restartAfterCrash(started));
    await waitUntilAnswering(rpcUrl, started);
    await options.prepare(rpcUrl);
    const { pid = 0 } = started;
    if (!hasExited(started)) writeProcessRecord(options.recordFile, { pid, port, isReady: true });
  }
  function restartAfterCrash(dead: ChildProcess): void {
    if (isClosed || dead !== child || dead === replacing) return;
    options.notice(`the chain node exited (${dead.exitCode ?? dead.signalCode}); starting again`);
    ready = recordCrash() ? throwUnavailable() : launchAgain();
    // A failed start is reported to callers of `ready`.
    ready.catch(() => undefined);
  }
  async function replaceNode(old: ChildProcess): Promise<void> {
    await stopChild(old);
    if (isClosed) return;
    try {
      await launchAgain();
    } catch (cause) {
      // Its exit is handled like any other and leads to the next try.
      child.kill('SIGKILL');
      throw cause;
    }
  }
  async function launchAgain(): Promise<void> {
    // A child must be recorded. If that fails, none is started.
    try {
      child = spawnAnvil(options, port);
    } catch (cause) {
      return throwUnavailable(cause);
    }
    await prepareNode(child);
  }

  try {
    await ready;
  } catch (cause) {
    isClosed = true;
    await stopChild(child);
    throw cause;
  }
  return {
    rpcUrl,
    port,
    pid: () => child.pid ?? 0,
    ready: () => ready,
    restart: () => {
      replacing = child;
      ready = replaceNode(child);
      ready.catch(() => undefined);
      return ready;
    },
    close: async () => {
      isClosed = true;
      await stopChild(child);
      deleteProcessRecord(options.recordFile);
    },
  };
}

/** Creates a counter of crashes. Each call adds one and returns whether the window has too many. */
function createCrashCounter(): () => boolean {
  const crashes: number[] = [];
  return () => {
    const now = Date.now();
    crashes.push(now);
    while ((crashes[0] ?? now) < now - RESTART_WINDOW_MS) crashes.shift();
    return crashes.length > RESTARTS_MAX;
  };
}

async function throwUnavailable(cause?: unknown): Promise<never> {
  throw new AppError('CHAIN_UNAVAILABLE', { cause });
}

/** Stops a process by id: SIGTERM first, then SIGKILL after a grace period. */
export async function stopProcess(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!sendSignal(pid, signal)) return;
    for (let waited = 0; waited < STOP_GRACE_MS; waited += PROBE_EVERY_MS) {
      if (!sendSignal(pid, 0) || isZombie(pid)) return;
      await sleep(PROBE_EVERY_MS);
    }
  }
}

function spawnAnvil({ binary, chainId, recordFile }: AnvilOptions, port: number): ChildProcess {
  const child = spawn(
    binary,
    [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
      // No accounts with well-known keys, and gas that costs nothing.
      ...['--accounts', '0', '--base-fee', '0', '--gas-price', '0', '--no-priority-fee'],
      ...['--no-cors', '--no-request-size-limit', '--quiet'],
      // States of old blocks would fill memory and a folder outside the data directory.
      '--prune-history',
    ],
    // In its own process group, so that only this server handles Ctrl-C in the terminal.
    { stdio: 'ignore', detached: true },
  );
  // Without a listener a failed spawn would crash this process. `waitUntilAnswering` reports the
  // failure.
  child.on('error', () => undefined);
  if (child.pid === undefined) return child;
  writeProcessRecord(recordFile, { pid: child.pid, port, isReady: false });
  const watch = startNodeWatchdog(child.pid, port);
  child.once('exit', () => watch.close());
  return child;
}

async function waitUntilAnswering(rpcUrl: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.pid === undefined || hasExited(child)) break;
    if (await isAnswering(rpcUrl)) return;
    await sleep(PROBE_EVERY_MS);
  }
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The local chain node did not start.',
    data: { exit: child.exitCode ?? child.signalCode },
  });
}

async function isAnswering(rpcUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(STOP_GRACE_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasExited(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await exit;
  clearTimeout(force);
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** An exited process stays listed until its parent reaps it. Linux shows that in `/proc`. */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

async function findFreePort(preferred: number | undefined): Promise<number> {
  const port = preferred === undefined ? undefined : await bindOnce(preferred);
  const found = port ?? (await bindOnce(0));
  if (found !== undefined) return found;
  throw new AppError('CHAIN_UNAVAILABLE', { message: 'No free port for the local chain node.' });
}

async function bindOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
