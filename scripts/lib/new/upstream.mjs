import { toTitle } from './names.mjs';

const LIST = 'src/providers/data/upstreams.ts';

/** An outside source of data. */
export const upstream = {
  what: 'upstream',
  about: 'an outside source of data: address, limits and probe',
  form: 'letters in lower case',
  example: 'openmeteo',
  pattern: /^[a-z]{2,20}$/,
  plan: (plan, name) => {
    plan.addLine(LIST, {
      list: 'UPSTREAMS',
      key: name,
      entry: `  ${name}: {
    baseUrl: 'https://api.${name}.example',
    probe: '/',
    intervalMs: 1_000,
    concurrency: 1,
    keptMs: 60_000,
    needsContact: false,
    license: '${toTitle(name)} API terms',
  }`,
    });
    plan.create(`test/fixtures/upstreams/${name}/probe.json`, probeFixture());
    plan.left.push(`${LIST}: address, rate, license and probe of ${name}`);
    plan.left.push(`npm run record ${name}: its fixtures from the upstream itself`);
  },
};

/** A fixture that answers the probe of a new upstream until the real one is recorded. */
export function probeFixture() {
  const origin = { kind: 'synthetic', from: 'npm run new', date: new Date().toJSON().slice(0, 10) };
  return `${JSON.stringify({ origin, path: '/', status: 200, body: {} }, null, 2)}\n`;
}
