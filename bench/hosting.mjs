// From the call that creates a service to its first answer, by phase, beside the same by hand; and the
// memory of the control plane with 100 services.
//   node bench/hosting.mjs [--rounds 5] [--services 40] [--sites 40] [--crons 20]
import { parseArgs } from 'node:util';
import { bringUpByHand } from './hosting/by-hand.mjs';
import { ask, clear, makePlace, startHost } from './hosting/host.mjs';
import { openRows, say } from './lib/output.mjs';
import { memoryKib, sleep } from './lib/proc.mjs';
import { fixed, median, spreadPercent, table } from './lib/stats.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    services: { type: 'string', default: '40' },
    sites: { type: 'string', default: '40' },
    crons: { type: 'string', default: '20' },
  },
});
const LIVE_MS_MAX = 120_000;
const REST_MS = 5_000;
const COMMANDS = { buildCommand: 'true', startCommand: 'exec node server.mjs' };
const PHASES = ['taken', 'built', 'deployed', 'answered', 'whole', 'by hand'];

const place = makePlace();
const source = { repo: place.repository, branch: 'main', autoDeploy: 'no' };
const { rows, add } = openRows('hosting');
const host = await startHost(place);
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const row = { round, ...(await createToLive(`timed-${round}`)) };
    add({ ...row, 'by hand': await bringUpByHand(place.repository, COMMANDS) });
  }
  reportPhases();
  await reportMemory();
} finally {
  await host.stop();
  clear(place);
}

/** @returns Milliseconds of each phase, from the events of the service and the clock here. */
async function createToLive(name) {
  const began = Date.now();
  const made = await host.call('create_web_service', {
    ...source,
    ...COMMANDS,
    name,
    runtime: 'node',
    plan: 'starter',
  });
  await answers(made.service.serviceDetails.url);
  const whole = Date.now();
  const { events } = await host.call('list_events', { serviceId: made.service.id });
  const at = (type) => Date.parse(events.find((event) => event.type === type).timestamp);
  const [building, built] = [at('build_started'), at('build_ended')];
  const available = at('server_available');
  return {
    taken: building - began,
    built: built - building,
    deployed: available - built,
    answered: whole - available,
    whole: whole - began,
  };
}

async function answers(address) {
  const overdue = Date.now() + LIVE_MS_MAX;
  while ((await ask(address)) !== 200) {
    if (Date.now() > overdue) throw new Error(`${address} does not answer`);
    await sleep(5);
  }
}

function reportPhases() {
  const lines = PHASES.map((phase) => {
    const all = rows.map((row) => row[phase]);
    return [phase, fixed(median(all), 0), `${fixed(spreadPercent(all), 0)} %`];
  });
  say(table(['phase', 'ms', 'spread'], lines));
}

async function reportMemory() {
  const before = await atRest();
  const already = rows.length;
  const wanted = Number(values.services) - already;
  for (let n = 0; n < wanted; n += 1) {
    const { service } = await host.call('create_web_service', {
      ...source,
      ...COMMANDS,
      name: `web-${n}`,
      runtime: 'node',
      plan: 'starter',
    });
    await answers(service.serviceDetails.url);
  }
  for (let n = 0; n < Number(values.sites); n += 1) {
    const { service } = await host.call('create_static_site', {
      ...source,
      name: `site-${n}`,
      buildCommand: 'true',
      publishPath: 'site',
    });
    await answers(service.serviceDetails.url);
  }
  for (let n = 0; n < Number(values.crons); n += 1) {
    await host.call('create_cron_job', {
      ...source,
      name: `cron-${n}`,
      runtime: 'node',
      plan: 'starter',
      schedule: '0 0 1 1 *',
      buildCommand: 'true',
      startCommand: 'true',
    });
  }
  const after = await atRest();
  const added = wanted + Number(values.sites) + Number(values.crons);
  const mib = (kib) => fixed(kib / 1024, 0);
  const line = ({ resident, anonymous }) => [mib(resident), mib(anonymous)];
  say(
    table(
      ['control plane', 'resident MiB', 'anonymous MiB'],
      [
        [`${already} services`, ...line(before)],
        [`${already + added} services`, ...line(after)],
        [
          'each, in KiB',
          ...['resident', 'anonymous'].map((k) => each(after[k] - before[k], added)),
        ],
      ],
    ),
  );
  add({ before, after, added });
}

function each(kib, count) {
  return fixed(kib / count, 0);
}

async function atRest() {
  await sleep(REST_MS);
  return memoryKib(host.pid);
}
