import { createHmac } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { defineAudit } from '../../../src/actors/audit/audit.ts';
import { AuditIndex } from '../../../src/actors/audit/audit-index.ts';
import { prepareAudit } from '../../../src/actors/audit/audit-order.ts';
import { readAudit } from '../../../src/actors/audit/audit-view.ts';
import { waitForAudit } from '../../../src/actors/audit/audit-wait.ts';
import { INJECTION_PROBES } from '../../../src/actors/audit/injection/injection-probes.ts';
import { PROBE_SET_VERSION, PROBES } from '../../../src/actors/audit/probes/probes.ts';
import { createReportAnchors } from '../../../src/actors/audit/report-log.ts';
import { createControlCheck } from '../../../src/actors/audit/session/control-check.ts';
import { createNonces } from '../../../src/actors/audit/session/nonces.ts';
import { readSignedReport } from '../../../src/actors/audit/signed-report.ts';
import type { AuditTarget, AuditTargets } from '../../../src/domain/audit/audit-target.ts';
import { consentTextFor } from '../../../src/domain/audit/consent.ts';
import type { AuditPlanName } from '../../../src/domain/audit/plans.ts';
import { AuditRequest } from '../../../src/domain/audit/request.ts';
import type { AllowedCommand } from '../../../src/providers/target/audit-settings.ts';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { createMemoryPaymentChain } from '../chain-memory/memory-chain.ts';
import { memoryBlobs } from '../debate.ts';
import { systemRandom } from '../front-rig.ts';
import { realClock } from '../real-clock.ts';
import { startTarget } from '../targets/start-target.ts';
import type { Target } from '../targets/target.ts';

/** What audits of real targets run on: the real probes, an engine in memory, real time. */
export async function desk(
  allowInternal: boolean | readonly string[],
  commands: readonly AllowedCommand[] = [],
) {
  const clock = realClock;
  const blobs = memoryBlobs();
  const { targets, quiet } = countedTargets(createAuditTargets({ allowInternal, commands }));
  const control = createControlCheck({ targets, clock });
  const probes = [...PROBES, ...INJECTION_PROBES];
  const shared = { targets, probes, control, blobs, clock };
  const anchors = createReportAnchors({
    log: { find: () => [{} as never], evidence: { findAnchorOf: () => undefined } as never },
    anchorNow: undefined,
    anchorReason: () => 'no contract',
    clock,
  });
  const { trust } = createMemoryPaymentChain();
  const definitions = [defineAudit({ ...shared, trust, anchors })];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  const mac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex');
  const nonces = createNonces({ mac, random: systemRandom, clock });
  const index = await AuditIndex.start(engine);
  const random = systemRandom;
  const deps = { ...shared, engine, index, nonces, random, probeSetVersion: PROBE_SET_VERSION };
  return { deps, engine, nonces, quiet };
}

/** Targets whose openings are counted: nothing can be sent to one that is not open. */
function countedTargets(inner: AuditTargets) {
  let open = 0;
  const targets: AuditTargets = {
    ...inner,
    open: async (address, how) => {
      open += 1;
      try {
        return closing(await inner.open(address, how));
      } catch (thrown) {
        open -= 1;
        throw thrown;
      }
    },
  };
  const closing = (target: AuditTarget): AuditTarget => {
    const close = target.close.bind(target);
    let isOpen = true;
    target.close = async () => {
      await close();
      if (isOpen) open -= 1;
      isOpen = false;
    };
    return target;
  };
  return { targets, quiet: () => until(() => open === 0) };
}

/** Requests that this process sends to a host, by the time of sending. */
function sentTo(host: string) {
  const methods: string[] = [];
  const note = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    if (request.getHeader('host') === host) methods.push(request.method);
  };
  subscribe('http.client.request.start', note);
  return { methods, end: () => void unsubscribe('http.client.request.start', note) };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('a target stays open');
}

const ORDERER = {
  principal: { kind: 'local', id: 'test' },
  paymentId: 'pay_1',
  payer: '0x1',
} as const;

/** What is audited, and how. */
export interface RealAudit {
  readonly target: Target;
  readonly seed: number;
  readonly fixed?: boolean;
  readonly mode: 'passive' | 'active';
  readonly categories: readonly string[];
  readonly allow_writes?: boolean;
  /** Internal addresses are closed but for the target's own. */
  readonly isStrict?: boolean;
  /** `framework` where nothing is said. */
  readonly plan?: AuditPlanName;
}

/**
 * Orders an audit of a real target on loopback with the real probes, in an engine in memory and by
 * real time. `sent` are the methods of all requests to the target, by the time of sending; `quiet`
 * waits until nothing is open that could send one.
 *
 * @throws what the order throws; then nothing is left running either.
 */
export async function beginRealAudit(audit: RealAudit) {
  const { target: source, seed, fixed = false, isStrict = false, plan = 'framework', ...o } = audit;
  const target = await startTarget(source, { seed, fixed });
  const { host } = new URL(target.url);
  const { deps, engine, nonces, quiet } = await desk(isStrict ? [host] : true);
  const sent = sentTo(host);
  const close = async () => {
    sent.end();
    await engine.close();
    await target.close();
  };
  const offer = { plan, priceMicroUsd: '5000000' } as const;
  const address = { kind: 'mcp_http', url: target.url } as const;
  const allowWrites = o.allow_writes === true;
  const asked = { probeSetVersion: PROBE_SET_VERSION, allowWrites };
  const scope = { target: address, plan: offer.plan, ...asked };
  const { nonce } = nonces.issue(scope);
  target.serveWellKnown('stoa-audit.txt', consentTextFor(nonce));
  const request = AuditRequest.parse({ target: target.url, consent: { nonce }, ...o });
  try {
    const { kind, input } = await prepareAudit(deps, request, offer, ORDERER);
    await engine.create(kind, 'job_1', { ...input, jobId: 'job_1' });
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const wait = (waitMs: number) =>
    waitForAudit(deps, 'job_1', {
      waitMs,
      clock: realClock,
      signal: new AbortController().signal,
    });
  const report = async () => {
    const { signedSha } = (await readAudit(engine, 'job_1')).context;
    return readSignedReport(deps.blobs, signedSha ?? '');
  };
  return { engine, target, wait, report, close, quiet, sent: sent.methods };
}
