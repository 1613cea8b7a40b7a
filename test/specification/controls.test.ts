import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as catalog from '../../src/domain/control/control-catalog.ts';
import * as standings from '../../src/domain/control/control-view.ts';
import type { ControlLabels } from '../../src/domain/control/controls.ts';
import {
  buildCounterpartyRisk,
  buildServicesManifest,
} from '../../src/domain/manifest/agent-services.ts';
import type { ManifestFacts } from '../../src/domain/manifest/facts.ts';
import { HTTP_SERVICES } from '../../src/domain/manifest/http-services.ts';
import { buildServerCard } from '../../src/domain/manifest/server-card.ts';
import type { Tool } from '../../src/domain/tool/tool.ts';
import { commerceTools } from '../../src/tools/service/catalog.ts';
import { createListing, gateByControl } from '../../src/tools/service/control-labels.ts';
import { listTool } from '../../src/tools/service/listing.ts';
import { memoryControls } from '../support/controls.ts';
import { claimsIn, claimsInDocument, idle, type Standing } from '../support/protection.ts';
import { proves } from '../support/proves.ts';
import { seeded } from '../support/seeded.ts';

const { CONTROL_IDS, CONTROL_LABELS, CONTROLS, PACK_DATE } = catalog;
const { CONTROL_CATALOG: CONTROL_ROWS } = catalog;
/** Further controls come after those of the specification. */
const SPECIFIED = CONTROL_IDS.slice(0, 17);
const ROUNDS = 60;
const SEED = 47;

// A listing needs nothing of what a tool works with: this answers any question with itself.
const nothing: unknown = new Proxy(() => nothing, {
  get: (_target, key) => {
    if (key === Symbol.iterator) return () => [][Symbol.iterator]();
    return key === Symbol.toPrimitive ? () => '' : nothing;
  },
});
const tools: readonly Tool[] = commerceTools(nothing as never);
/** Every tool of a control, those that are not built yet as well. */
const sold = CONTROL_IDS.flatMap((id) => CONTROL_ROWS[id].tools);
const known = tools.map((tool) => listTool(tool, undefined));
const stand = sold
  .filter((name) => !known.some((tool) => tool.name === name))
  .map((name) => ({ ...listTool(tools[0] as Tool, undefined), name }));

interface Round {
  readonly standing: Standing;
  readonly controls: ReturnType<typeof memoryControls>;
  readonly facts: ManifestFacts;
}

/** Any labels, and any of the tools built: also what no operator could bring about. */
function drawn(chance: () => number): Round {
  const label = () => CONTROL_LABELS[Math.floor(chance() * CONTROL_LABELS.length)] ?? 'OFF';
  const labels = Object.fromEntries(CONTROL_IDS.map((id) => [id, label()])) as Standing['labels'];
  const controls = memoryControls(labels);
  const built = [...known, ...stand.filter(() => chance() < 0.7)];
  const { tools: listed } = createListing(built, controls)();
  const facts: ManifestFacts = {
    origin: 'http://127.0.0.1:8402',
    version: '1.0.0',
    title: 'Stoa commerce',
    tools: listed,
    jobTools: [],
    hostingTools: [],
    httpServices: HTTP_SERVICES,
    mcp: [{ path: '/v1/mcp', protocolVersions: ['2025-11-25'], challenge: 'http_402' }],
    controls: controls.listWithChanges(),
    payment: { network: 'eip155:31337', asset: '0x1', feeBps: 2000 },
    updatedAt: 0,
  };
  return {
    standing: { labels, offered: new Set(listed.map(({ name }) => name)) },
    controls,
    facts,
  };
}

function rounds(check: (round: Round) => void): void {
  const chance = seeded(SEED);
  for (let round = 0; round < ROUNDS; round += 1) check(drawn(chance));
}

function refusals(labels: ControlLabels): readonly string[] {
  return sold.flatMap((name) => {
    const tool = { ...(tools[0] as Tool), name, ready: () => undefined };
    try {
      gateByControl(tool, labels).checkReady?.({});
      return [];
    } catch (thrown) {
      return [(thrown as Error).message];
    }
  });
}

test('under any labels no manifest, card, listing or refusal sells what does not act', () => {
  proves('C8.s2', 'C2.t12');
  rounds(({ standing, controls, facts }) => {
    const documents = [
      buildServicesManifest(facts),
      buildServerCard(facts),
      buildCounterpartyRisk(facts),
      facts.tools.map(({ name, title, description, _meta }) => [name, title, description, _meta]),
      refusals(controls),
    ];
    expect(documents.flatMap((one) => claimsInDocument(one, standing))).toEqual([]);
  });
});

test('under any labels a tool is listed exactly while its control is LIVE', () => {
  rounds(({ controls, facts }) => {
    for (const { name } of facts.tools) {
      const id = standings.findControlOfTool(name);
      expect(id === undefined || controls.labelOf(id) === 'LIVE', name).toBe(true);
    }
    expect(refusals(controls)).toHaveLength(
      sold.filter(
        (name) => controls.labelOf(standings.findControlOfTool(name) ?? 'trust-badge') !== 'LIVE',
      ).length,
    );
  });
});

test('under any labels every manifest tells all controls and all limits', () => {
  proves('C8.s3');
  rounds(({ facts }) => {
    for (const told of [
      buildServicesManifest(facts),
      buildServerCard(facts),
      buildCounterpartyRisk(facts),
    ]) {
      const text = JSON.stringify(told);
      for (const limit of standings.CONTROL_LIMITS) expect(text).toContain(limit);
      for (const id of CONTROL_IDS) expect(text).toContain(`"id":"${id}"`);
    }
  });
});

test('two-leg escrow is in no listing of services', () => {
  rounds(({ facts }) => {
    const { services } = buildServicesManifest(facts) as { services: unknown };
    expect(JSON.stringify(services)).not.toMatch(/two-leg|success fee/i);
  });
});

test('no tool text, document or page of ours sells what is declared SHADOW or OFF', () => {
  const offered = new Set(sold);
  const standing: Standing = { labels: CONTROLS, offered };
  expect(idle(standing).filter((id) => SPECIFIED.includes(id))).toEqual([
    'two-leg-escrow',
    'sealed-bid-negotiation',
    'evidence-bundle',
  ]);
  const texts = [
    ...tools.map(({ name, title, description }) => [name, `${title}. ${description}`] as const),
    ...files('docs', /\.md$/),
    ...files('web/src', /\.tsx?$/),
    ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'].map(named),
  ];
  const claims = texts.flatMap(([name, text]) =>
    claimsIn(text, standing).map((claim) => `${name}: ${claim}`),
  );
  expect(claims).toEqual([]);
});

test('a text that sells a control that does not act is caught, in each form', () => {
  const labels = { ...CONTROLS, 'payer-binding': 'SHADOW', 'trust-badge': 'OFF' } as const;
  const standing: Standing = { labels, offered: new Set(sold) };
  const selling = [
    'Payer binding protects you from strangers.',
    'With agent_trust-badge your money is safe.',
    'Sealed bids prevent that anyone sees your price.',
    `Here: ${CONTROL_ROWS['payer-binding'].does}`,
  ];
  for (const text of selling) expect(claimsIn(text, standing), text).not.toEqual([]);
  const entries = [
    { id: 'payer-binding', label: 'LIVE' },
    { id: 'payer-binding', label: 'SHADOW', acts: true },
    { id: 'fee-disclosure', label: 'LIVE', acts: false },
  ];
  for (const entry of entries) expect(claimsInDocument([entry], standing)).toHaveLength(1);
  const honest = 'Payer binding is SHADOW: it protects nobody. The release window is 72 hours.';
  expect(claimsIn(honest, standing)).toEqual([]);
});

test('the catalog is that of the specification: labels, date, and what is read free', () => {
  proves('C8.s1.c3', 'C8.s1.c6', 'C8.s1.c7', 'C8.s1.c8', 'C8.s1.c9', 'C8.s1.c11', 'C8.t3.c2');
  proves('C8.s1.c15', 'C8.s1.c17');
  expect(PACK_DATE).toBe('2026-09-19');
  const of = (label: string) => SPECIFIED.filter((id) => CONTROLS[id] === label);
  expect(of('OFF')).toEqual(['two-leg-escrow']);
  expect(of('SHADOW')).toEqual(['sealed-bid-negotiation', 'evidence-bundle']);
  expect(of('LIVE')).toHaveLength(14);
  const free = (['passport-read', 'settlement-proof-read'] as const).map(
    (id) => CONTROL_ROWS[id].price,
  );
  expect(free).toEqual(['free', 'free']);
  expect(CONTROL_ROWS['payer-binding'].limit).toMatch(/blocks nothing/);
  expect(CONTROL_ROWS['witness-scoring'].price).toBe('elsewhere');
  expect(CONTROL_ROWS['evidence-bundle'].records).toMatch(/logs the tier of every completion/);
});

test('docs/controls.md is what the catalog says', async () => {
  const { controlsPage } = (await import('../../scripts/lib/controls-page.mjs' as string)) as {
    controlsPage: (...of: unknown[]) => string;
  };
  const page = controlsPage(catalog, standings);
  await expect(page).toMatchFileSnapshot('../../docs/controls.md');
  for (const limit of standings.CONTROL_LIMITS) expect(page).toContain(limit);
});

function files(folder: string, end: RegExp): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => end.test(name))
    .map((name) => named(`${folder}/${name}`));
}

function named(path: string): readonly [string, string] {
  return [path, readFileSync(path, 'utf8')];
}
