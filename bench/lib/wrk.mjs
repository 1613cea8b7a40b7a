// wrk as the load: one thread, keep-alive connections, bounded in time.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PROTOCOL_VERSION } from './proc.mjs';

/** No leg loads a server for longer than this. */
export const LEG_SECONDS_MAX = 10;
const CONNECTIONS_MAX = 256;
const script = (name) => fileURLToPath(new URL(`../wrk/${name}`, import.meta.url));

/** Ends the program with the reason when wrk is not installed. */
export function requireWrk() {
  if (spawnSync('wrk', ['--version']).error === undefined) return;
  process.stderr.write('The front bench needs wrk. On Debian: apt-get install -y wrk\n');
  process.exit(2);
}

/**
 * Loads `url` with one kind of MCP request.
 *
 * @returns Requests, microseconds taken, wrong answers, latency percentiles in microseconds.
 */
export function load({ work, sessionId, ...leg }) {
  return run(leg, 'mcp.lua', { WORK: work, SID: sessionId, VER: PROTOCOL_VERSION });
}

/** Loads `url` with reads of the addresses in a file, one path a line; answers as `load` does. */
export function loadReads({ pathsFile, ...leg }) {
  return run(leg, 'get.lua', { PATHS: pathsFile });
}

function run({ url, seconds, connections }, name, env) {
  const duration = Math.min(LEG_SECONDS_MAX, Math.max(1, Math.round(seconds)));
  const parallel = Math.min(CONNECTIONS_MAX, connections);
  const timing = ['-t1', `-c${parallel}`, `-d${duration}s`, '--timeout', '8s'];
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', [...timing, '-s', script(name), url], {
      env: { ...process.env, ...env },
    });
    let out = '';
    const overdue = setTimeout(() => child.kill('SIGKILL'), (duration + 15) * 1000);
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      out += chunk;
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(overdue);
      const found = /JSON(\{.*\})/.exec(out);
      if (found === null) reject(new Error(`wrk: ${out}`));
      else resolve(JSON.parse(found[1]));
    });
  });
}
