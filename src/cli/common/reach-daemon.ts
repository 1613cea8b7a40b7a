import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { isListening, localAddress } from '../../process/server/data-lock.ts';
import { packageRoot } from '../../process/server/package-root.ts';
import { toStartupError } from '../../process/server/startup-error.ts';
import { openToken } from '../../process/server/token-file.ts';
import type { ReachedDaemon } from '../../process/stdio/stdio-client.ts';
import { spawn } from '../../system/child.ts';

/** Time limit for a daemon's local socket to answer after its start, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** Maximum characters of a failing daemon's output to keep. */
const OUTPUT_CHARS_MAX = 16_384;
/** Prefix of the last line of `stoa serve`, before the error code. */
const ERROR_PREFIX = 'stoa: ';

/**
 * Finds the daemon of a data directory, and starts one if none answers. A daemon started here stops
 * when its last local client has disconnected and no work is due.
 *
 * @throws {AppError} the daemon's own error if it fails to start; `DATA_DIR_UNUSABLE`
 */
export async function reachDaemon(dataDir: string): Promise<ReachedDaemon> {
  let started: StartedDaemon | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const address = localAddress(dataDir);
    if (!(await isListening(address))) {
      started = startDaemon(dataDir);
      await waitForDaemon(address, started.failure);
    }
    return { address, token: openToken(dataDir).token, ...started };
  } catch (thrown) {
    started?.stopListening();
    throw toStartupError(thrown, dataDir);
  }
}

type StartedDaemon = Required<Pick<ReachedDaemon, 'failure' | 'stopListening'>>;

function startDaemon(dataDir: string): StartedDaemon {
  const cli = join(packageRoot(), 'dist/cli.js');
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--until-idle', '--port', '0', '--json', '--data', dataDir],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child.unref();
  // The daemon outlives the process that reads its errors.
  return { failure: awaitFailure(child), stopListening: () => void child.stderr?.destroy() };
}

/** Resolves with the error when the daemon exits, except if another daemon was already running. */
function awaitFailure(child: ChildProcess): Promise<AppError> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-OUTPUT_CHARS_MAX);
  });
  return new Promise((done) => {
    child.once('error', (cause) => done(new AppError('INTERNAL', { message: cause.message })));
    child.once('close', (code, signal) => {
      const failure = parseFailure(words, `exit code ${code ?? signal}`);
      if (failure.code !== 'DATA_DIR_BUSY') done(failure);
    });
  });
}

function parseFailure(words: string, end: string): AppError {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const last = lines.findLast((line) => line.startsWith(ERROR_PREFIX)) ?? '';
  const [code = '', ...rest] = last.slice(ERROR_PREFIX.length).split(': ');
  if (code !== 'INTERNAL' && Object.hasOwn(ERRORS, code)) {
    return new AppError(code as ErrorCode, { message: rest.join(': ') });
  }
  // An error without its own code is printed with a stack.
  const line = lines.find((one) => one.includes('Error')) ?? lines[0];
  const why = line === undefined ? end : `${end}: ${line}`;
  return new AppError('INTERNAL', { message: `The daemon exited before it was ready (${why}).` });
}

async function waitForDaemon(address: string, failure: Promise<AppError>): Promise<void> {
  let failed: AppError | undefined;
  void failure.then((error) => {
    failed = error;
  });
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    if (await isListening(address)) return;
    if (failed !== undefined) throw failed;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  const message = `The daemon did not answer within ${START_TIMEOUT_MS / 1000} s after its start.`;
  throw new AppError('INTERNAL', { message });
}
