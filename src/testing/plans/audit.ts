import type { AuditInput, FindingRef, RunRef } from '../../domain/audit/order.ts';
import type {
  AuditContext,
  ProbeInput,
  ReconRef,
  ReplayInput,
} from '../../machines/audit/audit-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { OpenEffect, PathPlan } from '../path.ts';

const AT = 1_700_000_000_000;
const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };
const sha = (digit: string): string => digit.repeat(64);

/** An audit of two probes for two seats. The last probe is active. */
export const auditInput: AuditInput = {
  jobId: 'job_path',
  paymentId: 'pay_path',
  auditId: `aud_${'a'.repeat(32)}`,
  plan: 'framework',
  target: { kind: 'mcp_http', url: 'https://target.example/mcp' },
  origin: 'https://target.example',
  pinnedAddress: '192.0.2.7',
  mode: 'active',
  consent: { nonce: 'nonce' },
  categories: ['ASI01', 'ASI02'],
  probeSetVersion: 1,
  probes: [
    { probeId: 'texts', version: 1, category: 'ASI01', mode: 'passive', requestsMax: 3 },
    { probeId: 'calls', version: 1, category: 'ASI02', mode: 'active', requestsMax: 10 },
  ],
  requestsMax: 60,
  deadlineMs: 100_000,
  priceMicroUsd: '5000000',
  seed: 'seed',
};

const givenConsent = (kind: 'nonce' | 'passive') => ({
  state: 'given',
  at: AT,
  record: { kind, ref: null, provenAt: AT, expiresAt: null },
});
const recon: ReconRef = { sha: sha('b'), whole: sha('c'), tools: 2, access: 'open' };

/** Path plan of an audit, with at most one replay per finding. */
export const auditPlan: PathPlan = {
  inputs: {
    active: auditInput,
    passive: { ...auditInput, mode: 'passive', consent: {} },
    poor: { ...auditInput, requestsMax: 9 },
    spent: { ...auditInput, requestsMax: 5 },
  },
  events: { KILL: [{ by: 'a file at its origin' }] },
  effects: {
    consent: {
      done: [
        givenConsent('nonce'),
        { state: 'refused', reason: 'It serves something else.', at: AT },
      ],
      error: [internalError],
    },
    recon: {
      done: [
        { state: 'seen', recon, requests: 4 },
        { state: 'down', reason: 'no answer', requests: 4 },
      ],
      error: [internalError],
    },
    probe: { done: probeOutcomes, error: [internalError] },
    look: {
      done: [
        { state: 'same', requests: 3 },
        { state: 'down', reason: 'no answer', requests: 3 },
        { state: 'withdrawn', reason: 'It serves something else.', requests: 1 },
        {
          state: 'changed',
          recon: { ...recon, whole: sha('d') },
          finding: { ...createFinding('definitions'), category: 'ASI04', status: 'confirmed' },
          requests: 6,
        },
      ],
      error: [internalError],
    },
    replay: { done: replayOutcomes, error: [internalError] },
    seal: {
      done: [
        {
          reportSha: sha('e'),
          root: sha('f'),
          confirmed: { critical: 0, high: 0, medium: 0, low: 0, info: 0 },
        },
      ],
      error: [{ name: 'AppError', code: 'STORE_FULL', message: 'no room' }],
    },
    sign: { done: [{ signedSha: sha('9') }], error: [internalError] },
    anchor: {
      done: [
        { status: 'anchored', reason: null },
        { status: 'not_configured', reason: 'no contract' },
      ],
      error: [internalError],
    },
  },
  facets: selectFacts,
};

/** Selects the facts that affect how an audit continues. */
function selectFacts(context: AuditContext): unknown {
  const { next, seat, findings, replayed, changes, outcome, detached, runs, skipped } = context;
  const completed = runs.filter((run) =>
    ['clean', 'found', 'partial'].includes(run.outcome),
  ).length;
  const unreproduced = findings.filter(({ status }) => status === 'unreproduced').length;
  const isAnyConfirmed = findings.some(({ status }) => status === 'confirmed');
  const counts = [
    runs.length,
    completed,
    skipped.length,
    unreproduced,
    replayed.length,
    isAnyConfirmed,
  ];
  return [next, seat, Math.min(changes, 1), outcome, detached, counts];
}

function probeOutcomes({ input }: OpenEffect): readonly unknown[] {
  const { probeId } = input as ProbeInput;
  const run = (outcome: RunRef['outcome']): RunRef => ({
    probeId,
    outcome,
    requests: 2,
    sha: sha('7'),
    reason: outcome === 'failed' ? 'it hangs' : null,
  });
  return [
    { run: run('clean'), findings: [], isDown: false },
    { run: run('found'), findings: [createFinding(probeId)], isDown: false },
    { run: run('partial'), findings: [], isDown: false },
    { run: run('failed'), findings: [], isDown: false },
    { run: run('failed'), findings: [], isDown: true },
  ];
}

function replayOutcomes({ input }: OpenEffect): readonly unknown[] {
  const { finding: seen } = input as ReplayInput;
  return [
    { finding: { ...seen, status: 'confirmed' }, requests: 2 },
    { finding: { ...seen, status: 'refuted' }, requests: 2 },
    { finding: { ...seen, status: 'inconclusive' }, requests: 2 },
    { finding: seen, requests: 2, isDown: true },
  ];
}

function createFinding(probeId: string): FindingRef {
  return {
    findingId: `finding-${probeId}`,
    category: 'ASI02',
    probeId,
    severity: 'high',
    status: 'unreproduced',
    sha: sha('8'),
  };
}
