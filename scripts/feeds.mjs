// Asks every curated feed once and prints a table of which are alive: `npm run feeds:check`, after
// a build. STOA_OPERATOR_EMAIL tells publishers whom to write to. Ends with 1 where fewer than 44
// answer, which is what the news scan promises.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from './lib/checkout.mjs';

const PROMISED = 44;
const AT_ONCE = 8;
const DEADLINE_MS = 30_000;

if (!existsSync(join(CHECKOUT, 'dist/cli.js'))) fail('There is no build: npm run build');
const [{ createFeedReader }, { createEgress }, { systemClock }] = await Promise.all(
  ['providers/news/feed-reader', 'providers/net/egress', 'runtime/timer/clock'].map(built),
);
const clock = systemClock();
const contact = process.env['STOA_OPERATOR_EMAIL'] ?? 'no contact configured';
const egress = createEgress({ clock, userAgent: `stoa-feeds-check (+${contact})` });
const reader = createFeedReader({ egress, clock });
// Waits of that clock do not keep the process alive.
const awake = setInterval(() => undefined, 1_000);
const waiting = [...reader.feeds];
const rows = [];
await Promise.all(Array.from({ length: AT_ONCE }, lane));
clearInterval(awake);
await egress.close();
const order = new Map(reader.feeds.map(({ domain }, at) => [domain, at]));
rows.sort((one, other) => order.get(one.domain) - order.get(other.domain));
for (const row of rows) print(row);
const alive = rows.filter(({ state }) => state === 'alive').length;
process.stdout.write(`${alive} of ${rows.length} feeds are alive; ${PROMISED} are promised.\n`);
if (alive < PROMISED) process.exitCode = 1;

async function lane() {
  for (let feed = waiting.shift(); feed !== undefined; feed = waiting.shift()) {
    const reading = await reader.read(feed, clock.now() + DEADLINE_MS);
    rows.push(reading.ok ? aliveRow(feed, reading.value) : deadRow(feed, reading.fault));
  }
}

function aliveRow({ domain, category }, { items }) {
  const times = items.flatMap(({ publishedAt }) => publishedAt ?? []);
  const newest = times.length === 0 ? 'undated' : new Date(Math.max(...times)).toISOString();
  return { domain, category, state: 'alive', says: `${items.length} entries, newest ${newest}` };
}

function deadRow({ domain, category }, { code, detail }) {
  return { domain, category, state: code, says: detail };
}

function print({ domain, category, state, says }) {
  const cells = [domain.padEnd(24), category.padEnd(11), state.padEnd(22), says];
  process.stdout.write(`${cells.join(' ')}\n`);
}

function built(path) {
  return import(pathToFileURL(join(CHECKOUT, 'dist', `${path}.js`)).href);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
