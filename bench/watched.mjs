// What consoles cost: durable events of an engine unwatched, and watched by 1 and by 20 consoles.
//   node bench/watched.mjs [--consoles 0,1,20] [--offered 1000,0] [--rounds 5] [--seconds 3] [--http uws] [--topics page|all]
// `--offered` names events a second; 0 takes as many as 64 callers get done.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { sleep } from './lib/proc.mjs';
import { fixed, groupBy, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const script = (name) => fileURLToPath(new URL(`./watched/${name}.mjs`, import.meta.url));
const SECONDS_MAX = 10;
const CALLERS = 64;
/** Between two legs: what consoles still get is not the next leg's. */
const REST_MS = 1_000;

const { values } = parseArgs({
  options: {
    consoles: { type: 'string', default: '0,1,20' },
    offered: { type: 'string', default: '1000,0' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    http: { type: 'string', default: 'uws' },
    topics: { type: 'string', default: 'page' },
  },
});
const seconds = Math.min(SECONDS_MAX, Number(values.seconds));

// Of two servers one is never watched: a directory is kept level for a while after its last console.
const quiet = await serve();
const watched = await serve();
const { rows, add } = openRows('watched');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const offered of values.offered.split(',').map(Number)) {
    for (const consoles of values.consoles.split(',').map(Number)) {
      await measure({ round, offered, consoles });
    }
  }
}
quiet.child.disconnect();
watched.child.disconnect();
report();

async function measure({ round, offered, consoles }) {
  const watching = consoles === 0 ? undefined : await watch(consoles);
  const wish = offered === 0 ? { callers: CALLERS } : { perSecond: offered };
  const server = consoles === 0 ? quiet : watched;
  const measured = await asked(server.child, { ...wish, seconds });
  const came = watching === undefined ? undefined : await asked(watching, {});
  watching?.disconnect();
  await sleep(REST_MS);
  if (measured.consoles !== consoles) throw new Error(`${measured.consoles} consoles were there`);
  if (came?.refused > 0) throw new Error('a subscription was refused');
  add({ round, offered, ...measured, ...came });
  say(
    `${round} ${offered} ${consoles}: ${fixed(measured.rate, 0)}/s, ${fixed(measured.cpuUs, 1)} us`,
  );
}

async function serve() {
  const child = fork(script('server'), { env: { ...process.env, HTTP: values.http } });
  return { child, place: await heard(child) };
}

async function watch(consoles) {
  const { port, token, actorId } = watched.place;
  const env = {
    PORT: port,
    TOKEN: token,
    ACTOR: actorId,
    CONSOLES: consoles,
    TOPICS: values.topics,
  };
  const child = fork(script('consoles'), { env: { ...process.env, ...env } });
  await heard(child);
  return child;
}

function asked(child, message) {
  const answer = heard(child);
  child.send(message);
  return answer;
}

function heard(child) {
  return new Promise((resolve, reject) => {
    const over = (code) => reject(new Error(`a process ended with ${code}`));
    child.once('exit', over);
    child.once('message', (message) => {
      child.off('exit', over);
      resolve(message);
    });
  });
}

function report() {
  for (const [offered, of] of groupBy(rows, (row) => row.offered)) {
    say(`\n### ${offered === 0 ? `${CALLERS} callers` : `${offered} events/s offered`}\n`);
    const byCount = groupBy(of, (row) => row.consoles);
    const lines = [...byCount].map(([consoles, legs]) => {
      const all = (key) => legs.map((row) => row[key]);
      return [
        consoles,
        fixed(median(all('rate')), 0),
        `${spreadPercent(all('rate'))} %`,
        fixed(median(all('cpuUs')), 1),
        fixed(median(all('p50Ms')), 2),
        fixed(median(all('p99Ms')), 2),
        fixed(roundRatio(legs, byCount.get(0) ?? [], 'rate'), 2),
        consoles === 0 ? '-' : fixed(median(all('rows')), 0),
      ];
    });
    const head = [
      'consoles',
      'events/s',
      'spread',
      'CPU µs/event',
      'p50 ms',
      'p99 ms',
      'to unwatched',
    ];
    say(table([...head, 'rows sent'], lines));
  }
}
