// Child servers, their processor time and memory, and plain MCP requests to them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';

const START_MS_MAX = 20_000;
const ANSWER_MS_MAX = 10_000;
const STOP_MS_MAX = 15_000;
/** The version that every session of the bench speaks. */
export const PROTOCOL_VERSION = '2025-11-25';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/**
 * Starts a server that prints one JSON line with its `url` (ours: `mcp`) and waits for its first MCP
 * answer.
 */
export async function startServer({ name, script, args = [], env = {}, nodeOptions = [] }) {
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ready = JSON.parse(await firstLine(child, name));
    const url = ready.url ?? ready.mcp_v1;
    const answer = await post(url, initializeRequest());
    if (answer.status !== 200) throw new Error(`${name}: initialize answered ${answer.status}`);
    return { child, url, ready, coldMs: performance.now() - began };
  } catch (error) {
    await stopChild(child);
    throw error;
  }
}

/** Starts a script that prints one JSON line when it is ready, and does not ask it anything. */
export async function startScript(name, script, env = {}) {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, ready: JSON.parse(await firstLine(child, name)) };
}

/** A port that nobody listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Runs a script to its end and parses the last line that it printed as JSON. */
export function runScript({ name, script, env = {}, nodeOptions = [], msMax }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeOptions, script], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    const overdue = setTimeout(() => child.kill('SIGKILL'), msMax);
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(overdue);
      const last = out.trim().split('\n').at(-1);
      if (code === 0 && last.startsWith('{')) resolve(JSON.parse(last));
      else reject(new Error(`${name}: ended with ${code ?? signal}`));
    });
  });
}

/** Ends a child by its own handle: SIGTERM, then SIGKILL when it does not go. */
export function stopChild(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    child.once('exit', () => {
      clearTimeout(overdue);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** User and system time of all threads so far, in milliseconds, in steps of 10 ms. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory in KiB. */
export function residentKib(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** Resident memory in KiB: all of it, and what no file stands behind. */
export function memoryKib(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
  return { resident: kib('VmRSS'), anonymous: kib('RssAnon') };
}

/** Opens an MCP session and returns its id, which is empty where a server has none. */
export async function openSession(url) {
  const answer = await post(url, initializeRequest());
  const sessionId = answer.headers['mcp-session-id'] ?? '';
  await post(
    url,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    sessionHeaders(sessionId),
  );
  return sessionId;
}

/** Headers that a client of the session sends with every request. */
export function sessionHeaders(sessionId) {
  return {
    'mcp-protocol-version': PROTOCOL_VERSION,
    ...(sessionId === '' ? {} : { 'mcp-session-id': sessionId }),
  };
}

/** Posts one JSON-RPC message and reads the whole answer. */
export function post(url, message, headers = {}) {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: hostname,
        port,
        path: pathname,
        method: 'POST',
        agent,
        timeout: ANSWER_MS_MAX,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          body += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, body }),
        );
        answer.on('error', reject);
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', reject);
    call.end(JSON.stringify(message));
  });
}

/** Waits. */
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function initializeRequest() {
  return {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'stoa-bench', version: '1' },
    },
  };
}

function firstLine(child, name) {
  return new Promise((resolve, reject) => {
    let text = '';
    const overdue = setTimeout(() => fail('did not start in time'), START_MS_MAX);
    const fail = (why) => {
      clearTimeout(overdue);
      reject(new Error(`${name}: ${why}`));
    };
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${code} before it was ready`));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0) return;
      clearTimeout(overdue);
      resolve(text.slice(0, end));
    });
  });
}
