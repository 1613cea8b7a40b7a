// @ts-check
import { openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * The watchdog thread. It checks a counter that the main thread increments; if it stalls, the main
 * thread is blocked. The watchdog reports that on standard error itself and asks the main thread
 * through the inspector what it runs. It kills the process when the main thread has used up its
 * processor time.
 *
 * @typedef {object} WatchdogData
 * @property {Int32Array} beats - The counter.
 * @property {number} checkIntervalMs
 * @property {number} blockedMs - Stall duration that is reported.
 * @property {number} saidAfterMs - Stall duration that is written to standard error.
 * @property {number} endAfterCpuMs - Processor time of a stall after which the process is killed.
 * @property {string} [endFile] - File that records why the process was killed.
 * @property {string} runningSymbol - Key of the function that describes the running work.
 *
 * @typedef {import('node:inspector').Debugger.EvaluateOnCallFrameReturnType} Evaluated
 *
 * @typedef {object} Stall
 * @property {number} forMs
 * @property {number} cpuFromMs
 * @property {boolean} isAsked
 * @property {boolean} isSaid
 * @property {string} found
 */

/** Maximum stack frames reported of the blocked thread, innermost first. */
const FRAMES_MAX = 6;
/** Milliseconds of a processor tick on Linux. */
const TICK_MS = 10;
const STAT_BYTES = 1024;

/** @type {WatchdogData} */
const data = workerData;
const { beats, checkIntervalMs, blockedMs, saidAfterMs, endAfterCpuMs, endFile } = data;

let beat = -1;
/** @type {Stall | undefined} */
let stall;
let checkedAt = performance.now();
const readCpuMs = createCpuReader();

setInterval(check, checkIntervalMs);

function check() {
  const now = performance.now();
  // A process that was stopped as a whole, for example by a suspended computer, was not blocked.
  const passedMs = Math.min(now - checkedAt, 2 * checkIntervalMs);
  checkedAt = now;
  const next = Atomics.load(beats, 0);
  if (next !== beat || stall === undefined) {
    beat = next;
    if (stall?.isAsked) reportStall(stall);
    stall = { forMs: 0, cpuFromMs: readCpuMs(), isAsked: false, isSaid: false, found: '' };
    return;
  }
  stall.forMs += passedMs;
  if (stall.forMs >= blockedMs && !stall.isAsked) askForCause(stall);
  if (stall.forMs >= saidAfterMs && !stall.isSaid) writeStall(stall);
  const usedMs = readCpuMs() - stall.cpuFromMs;
  if (usedMs >= endAfterCpuMs && stall.forMs >= blockedMs) killProcess(stall, usedMs);
}

/** @param {Stall} current */
function askForCause(current) {
  current.isAsked = true;
  askMainThread((found) => {
    current.found = found;
  });
}

/** @param {Stall} current */
function writeStall(current) {
  current.isSaid = true;
  const time = formatSeconds(current.forMs);
  writeLine(`the event loop has been blocked for ${time}: ${describeCause(current)}`);
}

/** @param {Stall} current */
function describeCause({ found }) {
  return found || 'what it runs could not be determined';
}

/** @param {Stall} current */
function reportStall(current) {
  const cpuMs = readCpuMs() - current.cpuFromMs;
  parentPort?.postMessage({ blockedMs: current.forMs, cpuMs, found: describeCause(current) });
}

/**
 * @param {Stall} current
 * @param {number} usedMs
 */
function killProcess(current, usedMs) {
  const time = `${formatSeconds(usedMs)} of processor time`;
  const why = `the event loop was blocked for ${time}: ${describeCause(current)}`;
  writeEnd(why);
  writeLine(`killing the process: ${why}`);
  process.kill(process.pid, 'SIGKILL');
}

/** @param {(found: string) => void} onFound */
function askMainThread(onFound) {
  try {
    const session = new Session();
    session.connectToMainThread();
    session.once('Debugger.paused', ({ params: { callFrames } }) => {
      const callFrameId = callFrames[0]?.callFrameId ?? '';
      const expression = `globalThis[globalThis.Symbol.for('${data.runningSymbol}')]()`;
      const at = { callFrameId, expression, returnByValue: true, silent: true };
      /** @type {(fault: Error | null, answer: Partial<Evaluated>) => void} */
      const onAnswer = (_fault, answer) => {
        const text = answer?.result?.type === 'string' ? answer.result.value : '';
        session.post('Debugger.resume', () => session.disconnect());
        onFound([text, formatFrames(callFrames)].filter(Boolean).join('; '));
      };
      session.post('Debugger.evaluateOnCallFrame', at, onAnswer);
    });
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  } catch (thrown) {
    onFound(`what it runs could not be determined: ${/** @type {Error} */ (thrown).message}`);
  }
}

/** @param {readonly import('node:inspector').Debugger.CallFrame[]} frames */
function formatFrames(frames) {
  const shown = frames.slice(0, FRAMES_MAX).map(({ functionName, url, location }) => {
    const file = url.split('/').slice(-2).join('/');
    return `${functionName || 'anonymous'} (${file}:${location.lineNumber + 1})`;
  });
  return `in ${shown.join(' < ')}`;
}

/** Returns a function that reads the processor time of the main thread, in milliseconds. */
function createCpuReader() {
  try {
    // Kept open: it must be readable when no descriptor is left.
    const file = openSync(`/proc/self/task/${process.pid}/stat`, 'r');
    const bytes = Buffer.alloc(STAT_BYTES);
    return () => {
      const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, STAT_BYTES, 0));
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    };
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
  }
}

/** @param {string} text */
function writeLine(text) {
  try {
    writeSync(2, `stoa: ${text.replaceAll('\n', ' ')}\n`);
  } catch {
    // Nobody reads standard error: the watchdog continues.
  }
}

/** @param {string} why */
function writeEnd(why) {
  try {
    const text = JSON.stringify({ at: Date.now(), why });
    if (endFile !== undefined) writeFileSync(endFile, text, { mode: 0o600 });
  } catch {
    // The disk is full: the watchdog continues.
  }
}

/** @param {number} ms */
function formatSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
