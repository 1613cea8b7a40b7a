import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AppError } from '../../domain/common/error.ts';
import { spawn } from '../../system/child.ts';

/** The fields of the ready line that the tour uses. */
export interface TourReady {
  readonly base_url: string;
  readonly mcp_v1: string;
  readonly hosting_mcp: string;
  readonly token_file: string;
  readonly pid: number;
  readonly http_engine: string;
  readonly chain: { readonly id: number; readonly token: string; readonly rpc_url: string };
}

/** A server that the tour started. */
export interface TourServer {
  readonly ready: TourReady;
  /** Kills the server with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Shuts the server down gracefully. */
  stop(): Promise<void>;
}

/** Time limit for the start, in milliseconds. */
const START_TIMEOUT_MS = 120_000;

/** Starts `stoa serve` on a data directory and waits until it is ready. */
export async function startServer(cli: string, dataDir: string): Promise<TourServer> {
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--json', '--port', '0', '--data', dataDir],
    // The server stops when this channel closes, however the tour exits.
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  const ready = await waitForReadyLine(child);
  const stopWith = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { ready, kill: () => stopWith('SIGKILL'), stop: () => stopWith('SIGTERM') };
}

function waitForReadyLine(child: ChildProcess): Promise<TourReady> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new AppError('INTERNAL', { message: 'The server did not start in time.' }));
    }, START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(new AppError('INTERNAL', { message: `The server stopped with exit code ${code}.` }));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      done(JSON.parse(line) as TourReady);
    });
  });
}
