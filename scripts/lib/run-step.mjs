// Runs one command of the checks: output into a log file, its tail at hand, a limit on its time.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';

const TAIL_LINES = 30;
const TAIL_BYTES_MAX = 256 * 1024;
const GRACE_MS = 5_000;

/**
 * Runs `{name, command: [program, ...arguments], out, limitMs, env}` in the checkout.
 *
 * @returns `{isOk, seconds, tail}`; `tail` holds the last lines of what it printed.
 */
export function runStep({ name, command, out, limitMs, env = {} }) {
  const startedAt = Date.now();
  const log = createWriteStream(join(out, `${name.replaceAll(' ', '-')}.log`));
  const [program, ...args] = command;
  // A group of its own, so that what the step leaves behind ends with it.
  const child = spawn(program, args, {
    cwd: CHECKOUT,
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  let kept = '';
  const keep = (chunk) => {
    log.write(chunk);
    kept = (kept + chunk).slice(-TAIL_BYTES_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = stopAfter(child, limitMs, () => keep(`\nstopped after ${limitMs / 1000} s\n`));
  const forward = () => endGroup(child, 'SIGTERM');
  process.once('SIGINT', forward).once('SIGTERM', forward);
  return new Promise((done) => {
    const end = (isOk) => {
      stop();
      process.off('SIGINT', forward).off('SIGTERM', forward);
      log.end();
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      done({ isOk, seconds, tail: kept.trimEnd().split('\n').slice(-TAIL_LINES).join('\n') });
    };
    child.on('error', (cause) => {
      keep(cause.message);
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

function stopAfter(child, limitMs, tell) {
  let hard;
  const soft = setTimeout(() => {
    tell();
    endGroup(child, 'SIGTERM');
    hard = setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MS);
  }, limitMs);
  return () => {
    clearTimeout(soft);
    clearTimeout(hard);
  };
}

function endGroup(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (cause) {
    if (cause.code !== 'ESRCH') throw cause;
  }
}
