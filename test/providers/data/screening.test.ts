import { expect, test } from 'vitest';
import {
  consolidatedScreening,
  LISTS_KEPT_MS,
} from '../../../src/providers/data/sanctions/screening.ts';
import { realClock } from '../../support/real-clock.ts';
import { readingRig } from '../../support/upstreams/reading-rig.ts';

const PATH = '/static/consolidated_screening_list/consolidated.json';

async function opened() {
  const rig = await readingRig();
  let later = 0;
  const clock = { ...realClock, now: () => realClock.now() + later };
  // A reader keeps small answers for a while of its own: each reading here has a new one.
  const screening = consolidatedScreening({
    reader: { read: (request, parse) => rig.reader().read(request, parse) },
    clock,
  });
  const wait = (ms: number) => {
    later += ms;
  };
  return { rig, screening, wait };
}

test('a hit names party, list, program, the name that fits and how well', async () => {
  const { screening } = await opened();
  const found = await screening.screen(['Sea of Nothing Lines Ltd']);
  expect(found).toMatchObject({
    ok: true,
    value: {
      hits: [
        {
          party: {
            ...{ id: 'a1', kind: 'Entity', programs: ['SDGT', 'IFSR'], countries: ['XX'] },
            list: 'Specially Designated Nationals (SDN) - Treasury Department',
          },
          ...{ matched: 'SEA OF NOTHING LINES', match: { score: 1, method: 'exact' } },
        },
      ],
    },
  });
});

test('no hit names every list with how many are on it', async () => {
  const { screening } = await opened();
  const found = await screening.screen(['Equinor ASA']);
  expect(found.ok && found.value).toEqual({
    hits: [],
    lists: [
      { list: 'Specially Designated Nationals (SDN) - Treasury Department', parties: 2 },
      { list: 'Entity List (EL) - Bureau of Industry and Security', parties: 1 },
    ],
  });
});

test('the lists are read once for all who come, and kept', async () => {
  const { rig, screening } = await opened();
  const all = await Promise.all(['One', 'Two', 'Three'].map((name) => screening.screen([name])));
  const again = await screening.screen(['Four']);
  expect(all.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(again.ok && again.source.from_cache).toBe(true);
  expect(rig.server.hits).toEqual([`sanctions ${PATH}`]);
});

test('lists older than twelve hours are not searched: without new ones there is no answer', async () => {
  const { rig, screening, wait } = await opened();
  expect((await screening.screen(['Equinor'])).ok).toBe(true);
  rig.server.answer('sanctions', PATH, { results: [] });
  wait(LISTS_KEPT_MS - 60_000);
  expect((await screening.screen(['Equinor'])).ok).toBe(true);
  wait(120_000);
  const late = await screening.screen(['Equinor']);
  expect(late.ok ? undefined : late.fault.code).toBe('upstream_bad_payload');
});

test.each([
  ['an empty list', { results: [] }],
  ['a party without a list', { results: [{ id: 'x', name: 'Somebody' }] }],
  ['no list at all', { total: 0 }],
])('%s is a fault, never a clean answer', async (_, body) => {
  const { rig, screening } = await opened();
  rig.server.answer('sanctions', PATH, body);
  const found = await screening.screen(['Made Up Shipping']);
  expect(found.ok ? undefined : found.fault).toMatchObject({
    ...{ upstream: 'sanctions', code: 'upstream_bad_payload', retryable: true },
  });
});
