// A hosted program that runs the programs it is sent, and answers with what they printed.
import { spawn } from 'node:child_process';
import { fstatSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { createServer } from 'node:http';

const RUN_MS = 1_200;
const SAID_BYTES_MAX = 2 ** 21;
const FILE_BYTES = 2 ** 20;
// What it was started with, before it opens anything itself.
const left = readdirSync('/proc/self/fd').map(Number).flatMap(readOpenFile);

/** Runs a text as a program, ends all that it has begun, and gives what it printed. */
function run(text) {
  return new Promise((done) => {
    const said = [];
    let bytes = 0;
    const child = spawn(process.execPath, ['--input-type=module', '-'], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const late = setTimeout(() => end(child), RUN_MS);
    child.stdout.on('data', (piece) => {
      bytes += piece.length;
      if (bytes < SAID_BYTES_MAX) said.push(piece);
    });
    child.stdin.on('error', () => undefined).end(text);
    child.on('error', () => undefined).on('exit', () => end(child));
    child.on('close', () => {
      clearTimeout(late);
      done(Buffer.concat(said));
    });
  });
}

function end(child) {
  try {
    // With a user of its own: everything of that user, but for this process.
    process.kill(process.env.HAS_OWN_USER === 'yes' ? -1 : -child.pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

function readOpenFile(fd) {
  try {
    if (fd < 3 || !fstatSync(fd).isFile()) return [];
    const into = Buffer.alloc(FILE_BYTES);
    const length = readSync(fd, into, 0, FILE_BYTES, 0);
    return [`${readlinkSync(`/proc/self/fd/${fd}`)}\n${into.toString('latin1', 0, length)}`];
  } catch {
    return [];
  }
}

async function serve(asked, answer) {
  const pieces = [];
  for await (const piece of asked) pieces.push(piece);
  const text = Buffer.concat(pieces);
  answer.end(text.length === 0 ? JSON.stringify({ pid: process.pid, left }) : await run(text));
}

createServer((asked, answer) => {
  serve(asked, answer).catch((thrown) => answer.destroy(thrown));
}).listen(Number(process.env.PORT), '127.0.0.1');
