import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDeepResearchKind } from '../../../src/actors/research/research-kind.ts';
import type { ResearchPorts } from '../../../src/actors/research/research-ports.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { UnnumberedSource } from '../../../src/domain/data/source.ts';
import type { DocumentSearch } from '../../../src/domain/research/document-search.ts';
import type { Death } from '../../support/mortal.ts';
import { reportWorld, stateOf } from '../../support/reports/report-world.ts';
import { scriptedLlm } from '../../support/scripted-llm.ts';

const NAME = 'research_topic-deep-researcher';
const TEXT =
  'Proof of stake works by chance: a validator must lock at least 32 coins to sign a block.';
const Request = z.object({
  topic: z.string(),
  questions: z.array(z.string()),
  urls: z.array(z.string()),
  depth: z.string(),
});

/** One place with one document, in memory; tells when it is asked. */
function place(told: (what: string) => void): DocumentSearch {
  const source: UnnumberedSource = {
    upstream: 'shelf',
    url: 'https://shelf.example/',
    retrieved_at: '2026-01-01T00:00:00Z',
    revalidated_at: null,
    sha256: sha256Hex(TEXT),
    bytes: TEXT.length,
    http_status: 200,
    from_cache: false,
  };
  const url = 'https://shelf.example/stake';
  return {
    id: 'shelf',
    kind: 'page',
    title: 'a shelf',
    missing: [],
    search: async () => {
      told('search');
      return { found: [{ url, title: 'Stake', publishedAt: null, body: null }], faults: [] };
    },
    read: async () => {
      told('read');
      return { ok: true, value: TEXT, source };
    },
  };
}

function script(told: (what: string) => void) {
  return scriptedLlm({
    families: ['gpt'],
    say: () => {
      told('write');
      const cites = [{ passage: 'p1', quote: 'at least 32 coins' }];
      const claims = [{ part: 'q1', text: 'A validator must lock at least 32 coins.', cites }];
      return { text: JSON.stringify({ claims }) };
    },
  });
}

async function survived(deaths: readonly Death[]) {
  const told: string[] = [];
  const tell = (what: string) => void told.push(what);
  const ports: ResearchPorts = {
    searches: [place(tell)],
    llm: script(tell),
    clock: lateClock(),
    pages: { read: () => Promise.reject(new Error('no page is asked for')) },
  };
  const world = await reportWorld(createDeepResearchKind(ports), Request);
  const args = { topic: 'proof of stake', questions: [], urls: [], depth: 'brief', wait_s: 300 };
  const first = await world.life();
  const asked = await first.call(NAME, args);
  if (asked.kind !== 'payment_required') throw new Error('no challenge');
  const value = await world.sign(asked.required.accepts[0]);
  first.life.die();
  const payments = [{ carrier: 'meta' as const, value }];
  for (const death of deaths) {
    const life = await world.life(death);
    await life.call(NAME, args, { payments }).catch(() => undefined);
    life.life.die();
  }
  const last = await world.life();
  const { job_id } = stateOf(await last.call(NAME, args, { payments }));
  const state = await last.ended(job_id);
  await world.clock.advance(5_000);
  const { rows } = await last.engine.list({ kind: 'report' });
  return { state, told, steps: last.life.steps, jobs: rows.length, books: world.books() };
}

/** The time of the world is simulated, and begins long before any deadline. */
function lateClock(): ResearchPorts['clock'] {
  return { now: () => 0, at: () => () => undefined };
}

test('killed before or after any commit, research gives the same brief, and is charged once', {
  timeout: 60_000,
}, async () => {
  const unhurt = await survived([]);
  expect(unhurt.told).toEqual(['search', 'read', 'write']);
  expect(unhurt.state.report?.data).toMatchObject({
    answers: [{ answered: true, claims: [{ text: 'A validator must lock at least 32 coins.' }] }],
    writer: { kind: 'model' },
    checks: { claims_dropped: 0 },
  });
  expect(unhurt.steps).toBeGreaterThan(6);
  const every = process.env['STOA_LONG'] === 'all' ? 1 : 5;
  for (let at = 1; at <= unhurt.steps; at += every) {
    for (const when of ['before', 'after'] as const) {
      const hint = `${when} commit ${at}`;
      const cut = await survived([{ at, when }]);
      expect(cut.state.report?.data, hint).toEqual(unhurt.state.report?.data);
      expect([cut.jobs, cut.books], hint).toEqual([1, { paid: 2_000_000n, refunded: 0n }]);
      // The step that was cut may begin twice; one whose end is on disk never does.
      expect(cut.told.length, hint).toBeLessThanOrEqual(unhurt.told.length + 1);
    }
  }
});
