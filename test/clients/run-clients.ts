import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { connectCommand } from '../support/connect-spawn.ts';
import type { Payer } from '../support/payer.ts';
import { cliPath, freshDataDir, type RealServer } from '../support/real-server.ts';
import type { Address, ClientRow, Step } from './expected.ts';
import type { InstalledClients } from './installed-clients.ts';

/** A hang guard: how long the program of a client may print nothing. */
const HANG_MS = 90_000;

/** One line of a client's program. */
export interface Line {
  readonly step: Step | 'ready' | 'begun';
  readonly address: Address;
  readonly ok: boolean;
  readonly detail: string;
}

/** Everything that a run of a client's program said. */
export interface ClientRun {
  readonly program: string;
  readonly lines: readonly Line[];
  readonly errors: string;
  readonly code: number | null;
  readonly seconds: number;
}

/** A program that runs. */
export interface RunningClient {
  readonly ended: Promise<ClientRun>;
  /** Resolves when the program is at this point of the step `resume`, or has ended or failed. */
  reached(point: 'ready' | 'begun'): Promise<void>;
  /** Lets the program make its call. */
  go(): void;
  /** Begins the time anew in which the program may print nothing. */
  allowMoreTime(): void;
  /** The outcome of the step `resume`, if there is one. */
  resumed(): Line | undefined;
}

/** What all programs are given. */
export interface Given {
  readonly installed: InstalledClients;
  readonly server: RealServer;
  readonly payer: Payer;
  /** Number of tools in the lists of the server and of the bridge. */
  readonly tools: { readonly server: number; readonly bridge: number };
  readonly slowJob: string;
  /** Starts the next server with the same data and port. */
  readonly start: (dataDir: string) => Promise<RealServer>;
}

/** Starts the program of a client for the steps that `stepsAt` names. */
export async function startClient(
  given: Given,
  row: ClientRow,
  stepsAt: (address: Address) => readonly Step[],
): Promise<RunningClient> {
  const { installed, server, payer, tools, slowJob } = given;
  const addresses = Object.keys(row.at) as Address[];
  const wanted = addresses.map(async (name) => ({
    name,
    steps: stepsAt(name),
    showsProgress: row.at[name]?.progress === 'works',
    pays: name === 'connect' || (row.paysAt ?? []).includes(name),
    tools: name === 'connect' ? tools.bridge : tools.server,
    ...(await targetOf(server, name)),
  }));
  const { id, rpc_url: rpcUrl, token } = server.ready.chain;
  const run = {
    addresses: (await Promise.all(wanted)).filter(({ steps }) => steps.length > 0),
    key: payer.privateKey,
    network: `eip155:${id}`,
    rpcUrl,
    asset: token,
    slowJob,
  };
  const env = {
    ...process.env,
    // Programs that keep settings in the home directory must neither find nor leave any there.
    HOME: freshDataDir(),
    DO_NOT_TRACK: '1',
    MCP_USE_ANONYMIZED_TELEMETRY: 'false',
    STOA_CLIENT_RUN: JSON.stringify(run),
  };
  // A program leads a process group, so that the bridges that it starts end with it.
  const options = { cwd: installed.folder, env, detached: true };
  return watch(row.program, spawn(installed.node, [`${row.program}.mjs`], options));
}

/** Ends the programs that run, with everything that they started. */
export function endClients(): void {
  for (const child of running) endGroup(child);
}

const running = new Set<ChildProcess>();

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of the group have ended.
  }
}

async function targetOf({ ready, dataDir }: RealServer, address: Address): Promise<object> {
  switch (address) {
    case '/mcp':
      return { url: ready.mcp };
    case '/v2/':
      return { url: ready.mcp_v2 };
    case '/v1/mcp':
      return { url: ready.mcp_v1 };
    case 'stdio': {
      const args = ['stdio', '--server', 'commerce', '--data', dataDir];
      return { command: process.execPath, args: [await cliPath(), ...args] };
    }
    case 'connect':
      return connectCommand(ready.mcp, dataDir, ['--per-day', '1000']);
  }
}

function watch(program: string, child: ChildProcess): RunningClient {
  const begunAt = Date.now();
  const lines: Line[] = [];
  const waiting: (() => void)[] = [];
  let errors = '';
  const timer = setTimeout(() => endGroup(child), HANG_MS);
  running.add(child);
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  if (child.stdout === null) throw new Error('the program has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Libraries of the clients also write lines of their own.
    if (line.startsWith('{"step"')) lines.push(JSON.parse(line));
    timer.refresh();
    wake();
  });
  let isOver = false;
  const ended = new Promise<ClientRun>((done) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      endGroup(child);
      running.delete(child);
      isOver = true;
      wake();
      done({ program, lines, errors, code, seconds: (Date.now() - begunAt) / 1_000 });
    });
  });
  const resumed = () => lines.find((line) => line.step === 'resume');
  const isAt = (point: 'ready' | 'begun'): boolean =>
    isOver || resumed() !== undefined || lines.some(({ step }) => step === point);
  return {
    ended,
    reached: async (point) => {
      while (!isAt(point)) await new Promise<void>((done) => waiting.push(done));
    },
    go: () => void child.stdin?.write('go\n'),
    allowMoreTime: () => void timer.refresh(),
    resumed,
  };
}
