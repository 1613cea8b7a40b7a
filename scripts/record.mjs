// Asks the real upstreams for what the fixtures of the tests stand for, keeps the answers under
// test/fixtures/recorded, and prints where their shape is no longer that of the fixture.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeDrift } from './lib/shape-drift.mjs';
import { importTypeScript } from './lib/typescript-module.mjs';

const FIXTURES = 'test/fixtures/upstreams';
const RECORDED = 'test/fixtures/recorded';
const ANSWER_MS = 30_000;
const BYTES_MAX = 5_000_000;
const { UPSTREAMS } = await importTypeScript('src/providers/data/upstreams.ts');

const only = process.argv.slice(2);
const known = readdirSync(FIXTURES).filter((id) => UPSTREAMS[id] !== undefined);
const wrong = only.filter((id) => !known.includes(id));
if (wrong.length > 0) {
  process.stderr.write(`No fixtures for ${wrong.join(', ')}; there are ${known.join(', ')}.\n`);
  process.exit(2);
}

const asked = only.length === 0 ? known : only;
const rows = (await Promise.all(asked.map(recordAll))).flat();
const kept = rows.filter(({ fault }) => fault === undefined);
process.stdout.write(`${kept.length} of ${rows.length} answers recorded.\n`);
for (const { id, name, fault, drift = [] } of rows) {
  const says = fault ?? (drift.length === 0 ? 'same shape' : drift.join('; '));
  process.stdout.write(`  ${id.padEnd(18)} ${name.padEnd(40)} ${says}\n`);
}
process.exitCode = kept.length === rows.length ? 0 : 1;

/** One after the other, at the pace of the upstream. */
async function recordAll(id) {
  const done = [];
  for (const name of readdirSync(join(FIXTURES, id))) {
    done.push(await recordOne(id, name));
    await new Promise((resolve) => setTimeout(resolve, UPSTREAMS[id].intervalMs));
  }
  return done;
}

async function recordOne(id, name) {
  const fixture = JSON.parse(readFileSync(join(FIXTURES, id, name), 'utf8'));
  const url = `${UPSTREAMS[id].baseUrl}${fixture.path}`;
  const contact = process.env.STOA_OPERATOR_EMAIL;
  if (UPSTREAMS[id].needsContact && contact === undefined) {
    return { id, name, fault: 'set STOA_OPERATOR_EMAIL' };
  }
  try {
    const headers = { 'user-agent': `stoa/record (+${contact ?? 'no contact'})` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(url, { headers, signal });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.byteLength > BYTES_MAX) return { id, name, fault: 'over 5 MB, not kept' };
    if (response.status !== fixture.status) {
      return { id, name, fault: `HTTP ${response.status}, the fixture has ${fixture.status}` };
    }
    const body = bodyOf(bytes);
    keep(id, name, { url, status: response.status, body, bytes, path: fixture.path });
    return { id, name, drift: shapeDrift(fixture.body, body) };
  } catch (thrown) {
    return { id, name, fault: thrown.cause?.code ?? thrown.name };
  }
}

function bodyOf(bytes) {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function keep(id, name, { url, status, body, bytes, path }) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const date = new Date().toISOString().slice(0, 10);
  const origin = { kind: 'recorded', from: url, date, sha256 };
  mkdirSync(join(RECORDED, id), { recursive: true });
  const text = JSON.stringify({ origin, path, status, body }, undefined, 2);
  writeFileSync(join(RECORDED, id, name), `${text}\n`);
}
