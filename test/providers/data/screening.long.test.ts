import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import type { UpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import {
  CONSOLIDATED,
  EUROPEAN_UNION,
  OFAC,
  UNITED_KINGDOM,
  UNITED_NATIONS,
} from '../../../src/providers/screening/lists.ts';
import {
  createListScreening,
  LISTS_CACHE_MS,
  type ListFile,
} from '../../../src/providers/screening/screening.ts';
import { realClock } from '../../support/real-clock.ts';
import { readingRig } from '../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../support/upstreams/upstream-server.ts';

const PATH = '/static/consolidated_screening_list/consolidated.json';

async function opened(file: ListFile = CONSOLIDATED) {
  const rig = await readingRig();
  let later = 0;
  const clock = { ...realClock, now: () => realClock.now() + later };
  // A reader keeps small answers for a while of its own: each reading here has a new one.
  const reader: UpstreamReader = {
    read: (request, parse) => rig.reader().read(request, parse),
  };
  const screening = createListScreening({ reader, clock, serialize: pLimit(1) }, file);
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
            id: 'a1',
            kind: 'Entity',
            programs: ['SDGT', 'IFSR'],
            countries: ['XX'],
            list: 'Specially Designated Nationals (SDN) - Treasury Department',
          },
          matched: 'SEA OF NOTHING LINES',
          match: { score: 1, method: 'exact' },
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
  wait(LISTS_CACHE_MS - 60_000);
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
    upstream: 'sanctions',
    code: 'upstream_bad_payload',
    retryable: true,
  });
});

const FILES: Readonly<Record<string, ListFile>> = {
  ofac: OFAC,
  unsanctions: UNITED_NATIONS,
  eusanctions: EUROPEAN_UNION,
  uksanctions: UNITED_KINGDOM,
};

const XML_LISTS: readonly (readonly [string, string, object])[] = [
  [
    'unsanctions',
    'Phantom Freight House',
    {
      id: 'NWe.001',
      kind: 'Entity',
      programs: ['Nowhere'],
      countries: ['Noland'],
      names: [...['IMAGINARY TRADING & FREIGHT', 'ВЫМЫШЛЕННАЯ ТОРГОВЛЯ', 'Phantom Freight House']],
    },
  ],
  [
    'unsanctions',
    'Fictus Senior',
    {
      id: 'NWi.001',
      kind: 'Individual',
      countries: ['Nowhere'],
      names: ['QUIDAM FICTUS NULLUS', 'Fictus the Elder', 'Fictus Senior'],
    },
  ],
  [
    'eusanctions',
    'Vydumannye Metally',
    {
      id: 'EU.0.1',
      kind: 'enterprise',
      programs: ['NWH'],
      countries: ['NOLAND'],
      names: ['Invented Metals Combine', 'Выдуманные Металлы'],
    },
  ],
  ['eusanctions', 'Nemo Nusquam', { id: '7', kind: 'person', countries: ['NOLAND'] }],
  [
    'ofac',
    'Aero Nowhere',
    {
      id: '90036',
      kind: 'Entity',
      programs: ['NOWHERE'],
      countries: ['Noland'],
      names: ['AIRLINES OF NOWHERE', 'AERO-NOWHERE'],
    },
  ],
  [
    'ofac',
    'Verus, Ulli',
    { id: '90100', kind: 'Individual', names: ['Ullus FALSUS', 'Ulli VERUS'] },
  ],
  [
    'uksanctions',
    'Skazochnyi Truboprovod',
    {
      id: 'NWH0001',
      kind: 'Entity',
      countries: ['Noland'],
      names: ['FABLED PIPELINE WORKS', 'Fabled Pipes', 'Сказочный Трубопровод'],
      programs: ['The Nowhere (Sanctions) (EU Exit) Regulations 2020'],
    },
  ],
  [
    'uksanctions',
    'Ficta Simulata',
    {
      id: 'NWH0002',
      kind: 'Individual',
      countries: ['Noland'],
      names: ['Ficta Maria PERSONA', 'Ficta Simulata'],
    },
  ],
];

test.each(XML_LISTS)('of %s %s is found with all names and countries', async (upstream, ...row) => {
  const [asked, party] = row;
  const file = FILES[upstream] ?? CONSOLIDATED;
  const { screening } = await opened(file);
  const found = await screening.screen([asked]);
  if (!found.ok) throw new Error(found.fault.detail);
  expect(found.value.hits.map((hit) => hit.party)).toMatchObject([party]);
  expect(found.value.lists).toEqual([{ list: file.data['list'], parties: 2 }]);
  expect(found.source.upstream).toBe(upstream);
});

type Hurt = readonly [what: string, hurt: (text: string) => string];

/** What happens to every list in XML; `root`, `row` and `name` are the elements of that list. */
function hurts(root: string, row: string, name: RegExp): readonly Hurt[] {
  const deep = `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`;
  return [
    ['is cut off', (text) => text.slice(0, -20)],
    [
      'is cut off after an entry',
      (text) => text.slice(0, text.indexOf(`</${row}>`) + row.length + 3),
    ],
    ['has an entry without a name', (text) => text.replace(name, '')],
    [
      'declares entities',
      (text) => text.replace(`<${root}`, `<!DOCTYPE a [<!ENTITY b "c">]><${root}`),
    ],
    ['is nested deeply', (text) => text.replace(`<${row}>`, `<${row}>${deep}`)],
    ['leaves an entry open', (text) => text.replace(`</${row}>`, '')],
    ['goes on behind its end', (text) => `${text}<${row}></${row}>`],
    ['is another one', (text) => text.replaceAll(root, 'otherList')],
    ['has no entries', () => `<${root}><DateGenerated>20/11/2026</DateGenerated></${root}>`],
    ['is a page', () => '<!doctype html><title>Access denied</title>'],
  ];
}

const OFAC_HURTS: readonly Hurt[] = [
  ...hurts('sdnList', 'sdnEntry', /<(first|last)Name>.*?<\/\1Name>/gi),
  ['lacks an entry that it counts', without(/<sdnEntry>[\s\S]*?<\/sdnEntry>/)],
];

/** The British list states no count: what says that it is whole is its end, its date and its rows. */
const BRITISH_HURTS: readonly Hurt[] = [
  ...hurts('Designations', 'Designation', /<Names>[\s\S]*?<\/Names>[\s\S]*?<\/NonLatinNames>/),
  ['has an entry without an id', without(/<UniqueID>.*?<\/UniqueID>/)],
  ['does not say when it was made', without(/<DateGenerated>.*?<\/DateGenerated>/)],
];

function without(part: RegExp): Hurt[1] {
  return (text) => text.replace(part, '');
}

test.each([
  ...OFAC_HURTS.map(([what, hurt]) => ['ofac', what, hurt] as const),
  ...BRITISH_HURTS.map(([what, hurt]) => ['uksanctions', what, hurt] as const),
])('of %s a list that %s is a fault, never a clean answer', async (upstream, _, hurt) => {
  const file = FILES[upstream] ?? CONSOLIDATED;
  const { rig, screening } = await opened(file);
  const [fixture] = fixturesOf(upstream);
  const text = String(fixture?.body);
  expect(hurt(text)).not.toBe(text);
  rig.server.answer(file.upstream, file.path, hurt(text));
  const found = await screening.screen(['Airlines of Nowhere', 'Fabled Pipeline Works']);
  expect(found.ok ? undefined : found.fault).toMatchObject({
    upstream,
    code: 'upstream_bad_payload',
  });
});

test('lists are taken apart one after the other, and one that fails stops none', async () => {
  const serialize = pLimit(1);
  const order: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    order.push(`begin ${name}`);
    await Promise.resolve();
    order.push(`end ${name}`);
    if (fails) throw new Error(name);
  };
  const all = [serialize(work('a', true)), serialize(work('b', false))];
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
});

test('a list that lies elsewhere is read there, and cited by the address that was asked', async () => {
  const { rig, screening } = await opened(OFAC);
  const [fixture] = fixturesOf('ofac');
  rig.server.answer('ofac', '/signed/elsewhere', fixture?.body);
  rig.server.redirect('ofac', OFAC.path, '/ofac/signed/elsewhere');
  const found = await screening.screen(['Airlines of Nowhere']);
  expect(found.ok && found.source.url.endsWith(`/ofac${OFAC.path}`)).toBe(true);
  expect(rig.server.hits).toContain('ofac /signed/elsewhere');
});
