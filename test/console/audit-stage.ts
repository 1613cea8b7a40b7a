import { createHmac } from 'node:crypto';
import { defineAudit } from '../../src/actors/audit/audit.ts';
import { AuditIndex } from '../../src/actors/audit/audit-index.ts';
import { prepareAudit } from '../../src/actors/audit/audit-order.ts';
import { PROBE_SET_VERSION } from '../../src/actors/audit/probes/probes.ts';
import { createPublishedAudits } from '../../src/actors/audit/published-audits.ts';
import { createReportAnchors, type ReportLogDeps } from '../../src/actors/audit/report-log.ts';
import { createControlCheck } from '../../src/actors/audit/session/control-check.ts';
import { createProbe } from '../../src/actors/audit/session/create-probe.ts';
import { createNonces } from '../../src/actors/audit/session/nonces.ts';
import type { Probe } from '../../src/actors/audit/session/probe.ts';
import { consentTextFor } from '../../src/domain/audit/consent.ts';
import { createEvidence } from '../../src/domain/audit/evidence.ts';
import { AuditInput } from '../../src/domain/audit/order.ts';
import type { AsiCategory } from '../../src/domain/audit/records.ts';
import { AuditRequest, parseTarget } from '../../src/domain/audit/request.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { auditRoutes } from '../../src/transport/audit/audit-routes.ts';
import { FAKE_PROBES } from '../support/audits/fake-probes.ts';
import { type FakeTarget, fakeTarget } from '../support/audits/fake-target.ts';
import type { ConsoleHost } from '../support/browser-test.ts';
import { createMemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import { systemRandom } from '../support/front-rig.ts';
import { realClock } from '../support/real-clock.ts';
import { INJECTIONS } from './injections.ts';
import { openStage } from './stage.ts';

/** A console over real audits of a target in memory, and their reports. */
export interface AuditStage extends ConsoleHost {
  readonly engine: ActorEngine;
  readonly fake: FakeTarget;
  /**
   * Orders an audit with the proof of control.
   *
   * @param jobId - Also the name of the host that is audited.
   * @returns Its public name.
   */
  audit(jobId: string, request?: object): Promise<string>;
}

/** Findings of one probe. */
const TEXTS_A_PROBE = 20;
const HOSTILE: readonly AsiCategory[] = ['ASI03', 'ASI04', 'ASI07', 'ASI10'];

/** Opens one. Some of its probes find nothing but texts that want to be more than text. */
export async function openAuditStage(): Promise<AuditStage> {
  const fake = fakeTarget();
  const { targets } = fake;
  const probes = [...FAKE_PROBES, ...HOSTILE.map(hostileProbe)];
  const control = createControlCheck({ targets, clock: realClock });
  const { trust } = createMemoryPaymentChain();
  const proofs: ReportLogDeps = {
    log: {
      find: () => [{ seq: 0 } as never],
      evidence: { findAnchorOf: () => undefined } as never,
    },
    anchorNow: undefined,
    anchorReason: () => 'This chain has no anchor contract.',
    clock: realClock,
  };
  const anchors = createReportAnchors(proofs);
  const parts = { targets, probes, control, clock: realClock };
  let index: AuditIndex | undefined;
  const { engine, served, end } = await openStage({
    own: ({ blobs }) => [defineAudit({ ...parts, blobs, trust, anchors })],
    routes: async ({ engine: running, blobs }) => {
      index = await AuditIndex.start(running);
      const audits = createPublishedAudits({ engine: running, blobs, index, targets, proofs });
      return auditRoutes({ audits, clock: realClock, version: '0.0.0' });
    },
  });
  if (index === undefined) throw new Error('routes are made before the stage is open');
  const mac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex');
  const nonces = createNonces({ mac, random: systemRandom, clock: realClock });
  const probeSetVersion = PROBE_SET_VERSION;
  const orders = { ...parts, index, nonces, random: systemRandom };
  return {
    engine,
    fake,
    served,
    end,
    audit: async (jobId, request = {}) => {
      // An origin takes one audit at a time.
      const target = `https://${jobId}.example/mcp`;
      const given = AuditRequest.parse({ target, ...request });
      const agreed = { probeSetVersion, allowWrites: given.allow_writes };
      const scope = { target: parseTarget(given), plan: 'framework', ...agreed } as const;
      const { nonce } = nonces.issue(scope);
      fake.served = consentTextFor(nonce);
      const order = await prepareAudit(
        { ...orders, probeSetVersion },
        given.mode === 'active' ? { ...given, consent: { nonce } } : given,
        { plan: 'framework', priceMicroUsd: '5000000' },
        { principal: { kind: 'local', id: 'test' }, paymentId: `pay_${jobId}`, payer: '0x1' },
      );
      await engine.create(order.kind, jobId, { ...order.input, jobId });
      return AuditInput.shape.auditId.parse(order.input['auditId']);
    },
  };
}

/** A probe whose titles, tools, evidence and remedies are what a hostile target could choose. */
function hostileProbe(category: AsiCategory, place: number): Probe {
  const texts = INJECTIONS.slice(place * TEXTS_A_PROBE, (place + 1) * TEXTS_A_PROBE);
  return createProbe({
    probeId: `hostile-${place + 1}`,
    version: 1,
    category,
    mode: 'active',
    title: 'Hostile texts',
    requestsMax: 4,
    totalMs: 10_000,
    look: async () => ({
      outcome: 'looked',
      subjects: [...texts],
      findings: texts.map((text) => ({
        title: text,
        tool: text,
        severity: 'medium',
        status: 'unreproduced',
        evidence: createEvidence(text, text),
        control: createEvidence(text, text),
        remediation: text,
      })),
    }),
  });
}
