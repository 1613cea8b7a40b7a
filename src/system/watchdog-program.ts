import { RUNNING_SYMBOL } from './running-work.ts';

/** Maximum stack frames reported of the blocked thread, innermost first. */
const FRAMES_MAX = 6;

/**
 * Source of the watchdog thread. It checks a counter that the main thread increments; if it stalls,
 * the main thread is blocked. The watchdog reports that on standard error itself and asks the main
 * thread through the inspector what it runs. It kills the process when the main thread has used up
 * its processor time.
 */
export const WATCHDOG_PROGRAM = `
const { workerData, parentPort } = require('node:worker_threads');
const { Session } = require('node:inspector');
const fs = require('node:fs');
const { beats, lookEveryMs, blockedMs, saidAfterMs, endAfterCpuMs, endFile } = workerData;

let beat = -1;
let stall;
let lookedAt = performance.now();
const cpuMs = cpuReader();

setInterval(look, lookEveryMs);

function look() {
  const now = performance.now();
  // A process that was stopped as a whole, for example by a suspended computer, was not blocked.
  const passedMs = Math.min(now - lookedAt, 2 * lookEveryMs);
  lookedAt = now;
  const next = Atomics.load(beats, 0);
  if (next !== beat) {
    beat = next;
    if (stall !== undefined && stall.isAsked) over();
    stall = { forMs: 0, cpuFrom: cpuMs(), isAsked: false, isSaid: false, found: '' };
    return;
  }
  stall.forMs += passedMs;
  if (stall.forMs >= blockedMs && !stall.isAsked) ask();
  if (stall.forMs >= saidAfterMs && !stall.isSaid) sayStall();
  const usedMs = cpuMs() - stall.cpuFrom;
  if (usedMs >= endAfterCpuMs && stall.forMs >= blockedMs) end(usedMs);
}

function ask() {
  stall.isAsked = true;
  const mine = stall;
  askMain((found) => {
    mine.found = found;
  });
}

function sayStall() {
  stall.isSaid = true;
  say('the event loop has been blocked for ' + seconds(stall.forMs) + ': ' + foundIn(stall));
}

function foundIn({ found }) {
  return found || 'what it runs could not be determined';
}

function over() {
  const { forMs, cpuFrom } = stall;
  parentPort.postMessage({ blockedMs: forMs, cpuMs: cpuMs() - cpuFrom, found: foundIn(stall) });
}

function end(usedMs) {
  const time = seconds(usedMs) + ' of processor time';
  const why = 'the event loop was blocked for ' + time + ': ' + foundIn(stall);
  write(endFile, JSON.stringify({ at: Date.now(), why }));
  say('killing the process: ' + why);
  process.kill(process.pid, 'SIGKILL');
}

function askMain(tell) {
  try {
    const session = new Session();
    session.connectToMainThread();
    session.once('Debugger.paused', ({ params: { callFrames } }) => {
      const [top] = callFrames;
      const expression = "globalThis[globalThis.Symbol.for('${RUNNING_SYMBOL}')]()";
      const at = { callFrameId: top.callFrameId, expression, returnByValue: true, silent: true };
      session.post('Debugger.evaluateOnCallFrame', at, (_fault, answer) => {
        const text = answer?.result?.type === 'string' ? answer.result.value : '';
        session.post('Debugger.resume', () => session.disconnect());
        tell([text, formatFrames(callFrames)].filter(Boolean).join('; '));
      });
    });
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  } catch (fault) {
    tell('what it runs could not be determined: ' + fault.message);
  }
}

function formatFrames(frames) {
  const shown = frames.slice(0, ${FRAMES_MAX}).map(({ functionName, url, location }) => {
    const file = url.split('/').slice(-2).join('/');
    return (functionName || 'anonymous') + ' (' + file + ':' + (location.lineNumber + 1) + ')';
  });
  return 'in ' + shown.join(' < ');
}

function cpuReader() {
  const ofProcess = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  try {
    // Kept open: it must be readable when no descriptor is left. A tick is 10 ms on Linux.
    const fd = fs.openSync('/proc/self/task/' + process.pid + '/stat', 'r');
    const bytes = Buffer.alloc(1024);
    return () => {
      const text = bytes.toString('latin1', 0, fs.readSync(fd, bytes, 0, 1024, 0));
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
  } catch {
    return ofProcess;
  }
}

function say(text) {
  write(2, 'stoa: ' + text.replaceAll('\\n', ' ') + '\\n');
}

function write(to, text) {
  try {
    if (typeof to === 'number') fs.writeSync(to, text);
    else if (to !== undefined) fs.writeFileSync(to, text, { mode: 0o600 });
  } catch {
    // No reader, or a full disk: the watchdog continues.
  }
}

function seconds(ms) {
  return (ms / 1000).toFixed(1) + ' s';
}
`;
