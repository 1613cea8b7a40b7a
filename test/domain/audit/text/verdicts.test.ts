import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ConsentProof,
  createConsentNonce,
  isConsentValid,
  isNonceOf,
} from '../../../../src/domain/audit/consent.ts';
import {
  isNumeric,
  listTextSlots,
  sampleArguments,
  setAtPath,
} from '../../../../src/domain/audit/probe/arguments.ts';
import { comparePins, computePins } from '../../../../src/domain/audit/probe/pins.ts';
import {
  type Finding,
  FindingStatus,
  type ProbeRun,
  RunOutcome,
  Severity,
} from '../../../../src/domain/audit/records.ts';
import { computeVerdicts } from '../../../../src/domain/audit/verdict.ts';

const run = (more: Partial<ProbeRun>): ProbeRun => ({
  probeId: 'p',
  probeVersion: 1,
  category: 'ASI05',
  mode: 'active',
  outcome: 'clean',
  reason: null,
  requests: 1,
  subjects: [],
  findings: [],
  ...more,
});
const finding = (more: Partial<Finding>): Finding => ({
  findingId: 'f',
  category: 'ASI05',
  probeId: 'p',
  probeVersion: 1,
  title: 't',
  severity: 'high',
  status: 'confirmed',
  evidence: { request: '', responseExcerpt: '', sha256: '' },
  control: null,
  reproducedBy: null,
  replay: null,
  remediation: '',
  ...more,
});
const verdict = (runs: readonly ProbeRun[], findings: readonly Finding[] = []) =>
  computeVerdicts(runs, findings).find(({ category }) => category === 'ASI05')?.verdict;

test('a category in which no probe looked is not assessed, and never passes', () => {
  expect(verdict([])).toBe('not_assessed');
  for (const outcome of ['not_applicable', 'blocked', 'failed'] as const) {
    expect(verdict([run({ outcome, reason: 'r' })])).toBe('not_assessed');
  }
  expect(computeVerdicts([], [])).toHaveLength(10);
});

test('pass, partial and fail', () => {
  expect(verdict([run({})])).toBe('pass');
  expect(verdict([run({}), run({ probeId: 'q', outcome: 'not_applicable' })])).toBe('pass');
  expect(verdict([run({}), run({ probeId: 'q', outcome: 'blocked' })])).toBe('partial');
  expect(verdict([run({})], [finding({ status: 'indicator' })])).toBe('partial');
  expect(verdict([run({})], [finding({ severity: 'low' })])).toBe('partial');
  for (const status of ['refuted', 'inconclusive', 'unreproduced'] as const) {
    expect(verdict([run({ outcome: 'found' })], [finding({ status })])).toBe('partial');
  }
  expect(verdict([run({ outcome: 'partial', reason: 'r' })])).toBe('partial');
  expect(verdict([run({})], [finding({})])).toBe('fail');
});

test('a category passes only where all of its probes ran and were clean, whatever the others were', () => {
  const finds = fc.record({
    status: fc.constantFrom(...FindingStatus.options),
    severity: fc.constantFrom(...Severity.options),
    category: fc.constantFrom('ASI05' as const, 'ASI06' as const),
  });
  const ran = fc.record({
    outcome: fc.constantFrom(...RunOutcome.options),
    category: fc.constantFrom('ASI05' as const, 'ASI06' as const),
    reason: fc.constantFrom(null, 'r'),
  });
  fc.assert(
    fc.property(
      fc.array(ran, { maxLength: 8 }),
      fc.array(finds, { maxLength: 5 }),
      (rows, seen) => {
        const runs = rows.map((row, at) => run({ probeId: `p${at}`, ...row }));
        const told = computeVerdicts(
          runs,
          seen.map((one) => finding(one)),
        );
        for (const category of ['ASI05', 'ASI06'] as const) {
          const own = runs.filter((one) => one.category === category);
          const is = told.find((one) => one.category === category);
          const isWhole = ({ outcome, reason }: ProbeRun) =>
            outcome === 'not_applicable' || (outcome === 'clean' && reason === null);
          const isClean = own.every(isWhole);
          const isLooked = own.some(({ outcome }) => outcome === 'clean');
          const isUnseen = !seen.some((one) => one.category === category);
          expect(is?.verdict === 'pass').toBe(isClean && isLooked && isUnseen);
          const unlooked = own.filter(({ outcome }) => !['clean', 'found'].includes(outcome));
          expect(is?.probesSkipped.map(({ reason }) => reason !== '')).toEqual(
            unlooked.map(() => true),
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('a pin covers the whole definition, not its description alone', () => {
  const told = (tool: Record<string, unknown>) =>
    computePins({
      tools: [{ name: 'a', description: 'd', ...tool }],
      prompts: [],
      resources: [],
      templates: [],
      card: null,
      greeting: null,
    });
  const first = told({});
  expect(comparePins(first, told({}))).toEqual([]);
  for (const more of [{ annotations: {} }, { inputSchema: { type: 'object' } }, { title: 'T' }]) {
    expect(comparePins(first, told(more))).toEqual([{ name: 'a', change: 'changed' }]);
  }
});

test('arguments fit nested schemas, and a place deep inside is written', () => {
  const schema = {
    type: 'object',
    properties: {
      query: {
        type: 'object',
        properties: {
          path: { type: 'string', maxLength: 5 },
          count: { type: 'integer', minimum: 3 },
        },
        required: ['path', 'count'],
      },
      note: { type: 'string' },
    },
    required: ['query'],
  };
  expect(sampleArguments(schema, 'canary')).toEqual({ query: { path: 'canar', count: 3 } });
  expect(listTextSlots(schema).map(({ path }) => path.join('.'))).toEqual(['query.path', 'note']);
  expect(setAtPath({}, ['query', 'path'], 'x')).toEqual({ query: { path: 'x' } });
  expect(isNumeric({ type: ['integer', 'null'] })).toBe(true);
});

test('a proof of control expires, and is bound to origin, address and probe set', () => {
  const nonce = createConsentNonce({ bytes: (length) => new Uint8Array(length).fill(7) }, 3);
  expect(isNonceOf(nonce, 3)).toBe(true);
  expect(isNonceOf(nonce, 4)).toBe(false);
  const proof: ConsentProof = {
    kind: 'nonce',
    origin: 'https://a.example',
    connectedAddress: '192.0.2.1',
    probeSetVersion: 3,
    subject: '',
    evidenceSha256: '',
    provenAt: 100,
    expiresAt: 200,
  };
  const asked = {
    origin: 'https://a.example',
    connectedAddress: '192.0.2.1',
    probeSetVersion: 3,
    now: 150,
  };
  expect(isConsentValid(proof, asked)).toBe(true);
  for (const other of [
    { origin: 'https://b.example' },
    { connectedAddress: '192.0.2.2' },
    { probeSetVersion: 4 },
    { now: 200 },
    { now: 99 },
  ]) {
    expect(isConsentValid(proof, { ...asked, ...other }), JSON.stringify(other)).toBe(false);
  }
});
