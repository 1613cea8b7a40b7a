// Enterprise audits of a target in another process: engine and texts on disk, real probes over HTTP,
// all categories. RUNS, WARM; RECORD: a file to which the calls of the first audit go.
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { importTypeScript } from '../../scripts/lib/typescript-module.mjs';
import { answer } from '../lib/cpu.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { recording } from './recording.mjs';
import { startTarget } from './target.mjs';

const { RUNS = '1', WARM = '1', RECORD = '' } = process.env;
const AUDIT_MS_MAX = 240_000;
const PRICE = '25000000';

const { createEngine } = await fromDist('runtime/engine/engine.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { systemRandom } = await fromDist('process/server/system.js');
const { openEngineStore } = await fromDist('store/engine/engine-store.js');
const { openBlobStore } = await fromDist('store/common/blob-store.js');
const { defineAudit } = await fromDist('actors/audit/audit.js');
const { AuditIndex } = await fromDist('actors/audit/audit-index.js');
const { prepareAudit } = await fromDist('actors/audit/audit-order.js');
const { createControlCheck } = await fromDist('actors/audit/session/control-check.js');
const { createNonces } = await fromDist('actors/audit/session/nonces.js');
const { PROBES, PROBE_SET_VERSION } = await fromDist('actors/audit/probes/probes.js');
const { createReportAnchors } = await fromDist('actors/audit/report-log.js');
const { consentTextFor } = await fromDist('domain/audit/consent.js');
const { AuditRequest } = await fromDist('domain/audit/request.js');
const { createAuditTargets } = await fromDist('providers/target/audit-targets.js');
const { createMemoryPaymentChain } = await importTypeScript(
  'test/support/chain-memory/memory-chain.ts',
);

const folder = scratch(`audit-${process.pid}`);
const store = openEngineStore({ path: `${folder.path}/actors` });
const blobs = openBlobStore({ path: `${folder.path}/texts` });
const clock = systemClock();
const tape = recording(createAuditTargets({ allowInternal: true, commands: [] }));
const targets = RECORD === '' ? createAuditTargets({ allowInternal: true, commands: [] }) : tape;
const deps = await open();

const target = await startTarget();
let audits = 0;
const seen = [];
for (let run = 0; run < Number(WARM) + Number(RUNS); run += 1) {
  const one = await audit();
  if (run >= Number(WARM)) seen.push(one);
}
await target.stop();
if (RECORD !== '') writeFileSync(RECORD, JSON.stringify(tape.calls));
const mean = (key) => seen.reduce((sum, one) => sum + one[key], 0) / seen.length;
answer({
  cpuUs: mean('cpuUs'),
  wallUs: mean('wallUs'),
  probes: mean('probes'),
  requests: mean('requests'),
});
await deps.engine.close();
await store.close();
// Stores of texts end with the process.
process.exit(0);

async function audit() {
  audits += 1;
  const jobId = `job-${audits}`;
  const address = { kind: 'mcp_http', url: target.url };
  const agreed = { plan: 'enterprise', probeSetVersion: PROBE_SET_VERSION, allowWrites: false };
  const { nonce } = deps.nonces.issue({ target: address, ...agreed });
  await target.serve(consentTextFor(nonce));
  const request = AuditRequest.parse({ target: target.url, mode: 'active', consent: { nonce } });
  const cpu = process.cpuUsage();
  const began = performance.now();
  const offer = { plan: 'enterprise', priceMicroUsd: PRICE };
  const by = { principal: { kind: 'local', id: `bench-${audits}` }, paymentId: `pay-${audits}` };
  const { kind, input } = await prepareAudit(deps, request, offer, by);
  await deps.engine.create(kind, jobId, { ...input, jobId });
  const isOver = ({ status }) => status !== 'active';
  const { context } = await deps.engine.waitFor(jobId, isOver, { timeoutMs: AUDIT_MS_MAX });
  const { user, system } = process.cpuUsage(cpu);
  if (context.outcome !== 'complete') throw new Error(`${context.outcome}: ${context.reason}`);
  const probes = context.runs.length;
  const { requests } = context;
  return { cpuUs: user + system, wallUs: (performance.now() - began) * 1000, probes, requests };
}

async function open() {
  const control = createControlCheck({ targets, clock });
  const shared = { targets, probes: PROBES, control, blobs, clock };
  const log = { find: () => [{}], evidence: { findAnchorOf: () => undefined } };
  const anchorReason = () => 'no contract';
  const anchors = createReportAnchors({ log, anchorNow: undefined, anchorReason, clock });
  const { trust } = createMemoryPaymentChain();
  const definitions = [defineAudit({ ...shared, trust, anchors })];
  const engine = await createEngine({ store, clock, definitions });
  const mac = (text) => createHmac('sha256', 'key').update(text).digest('hex');
  const nonces = createNonces({ mac, random: systemRandom, clock });
  const index = await AuditIndex.start(engine);
  const rest = { engine, index, nonces, random: systemRandom };
  return { ...shared, ...rest, probeSetVersion: PROBE_SET_VERSION };
}
