import { createHmac } from 'node:crypto';
import { defineAudit } from '../../../src/actors/audit/audit.ts';
import { AuditIndex } from '../../../src/actors/audit/audit-index.ts';
import type { PassportHolders } from '../../../src/actors/audit/passport-holders.ts';
import { PROBE_SET_VERSION } from '../../../src/actors/audit/probes/probes.ts';
import { createPublishedAudits } from '../../../src/actors/audit/published-audits.ts';
import { createReportAnchors, type ReportLogDeps } from '../../../src/actors/audit/report-log.ts';
import { createControlCheck } from '../../../src/actors/audit/session/control-check.ts';
import { createNonces } from '../../../src/actors/audit/session/nonces.ts';
import type { Probe } from '../../../src/actors/audit/session/probe.ts';
import type { PublishedAudits } from '../../../src/domain/audit/published-audits.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import type { ProofAnchor } from '../../../src/domain/proof/proof-log.ts';
import type { ToolCall, ToolOutcome, ToolService } from '../../../src/domain/tool/tool.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { commerceJobs, commerceTools } from '../../../src/tools/service/catalog.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import type { Death } from '../mortal.ts';
import { type PaymentWorld, type Process, paymentWorld } from '../payment-world.ts';
import { FAKE_PROBES } from './fake-probes.ts';
import { type FakeTarget, fakeTarget } from './fake-target.ts';

const NO_MODELS: LlmPort = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  maxCost: () => null,
};

/** A server that sells audits of a target in memory, and everything that outlives it. */
export interface AuditWorld extends PaymentWorld {
  readonly fake: FakeTarget;
  /** The secret of the last order with proof of control. */
  nonce: string;
  /** Who holds which passport; there is no registry at first. */
  holders: PassportHolders | undefined;
  /** The anchor of the log that has every report; none at first, and no contract for one. */
  anchor: ProofAnchor | undefined;
  readonly life: (death?: Death) => Promise<AuditLife>;
}

/** One life of that server. */
export interface AuditLife extends Process {
  readonly service: ToolService;
  readonly desk: PublishedAudits;
  call(name: string, args: object, more?: Partial<ToolCall>): Promise<ToolOutcome>;
  /** Calls, pays what is asked, and calls again; `undefined` where the life ended before. */
  buy(name: string, args: object): Promise<ToolOutcome>;
  /** Orders with the proof of control: asks for a nonce, serves it, and buys. */
  buyActive(name: string, args?: object): Promise<ToolOutcome>;
  /** Reads a job until it has ended. */
  ended(jobId: string): Promise<AuditState>;
}

/** Address of the target. */
export const TARGET = 'https://target.example/mcp';

/** Makes a world; the payer has 500 dollars. */
export async function auditWorld(probes: readonly Probe[] = FAKE_PROBES): Promise<AuditWorld> {
  const fake = fakeTarget();
  const { targets } = fake;
  const random = seededRandom();
  const log = (): ReportLogDeps => ({
    log: {
      find: () => [{ seq: 0 } as never],
      evidence: { findAnchorOf: () => world.anchor } as never,
    },
    anchorNow: world.anchor === undefined ? undefined : async () => undefined,
    anchorReason: () => 'This chain has no anchor contract.',
    clock: world.clock,
  });
  const shared = () => {
    const { clock, blobs } = world;
    return { targets, probes, blobs, clock, control: createControlCheck({ targets, clock }) };
  };
  const base = await paymentWorld('500000000', () => [
    defineAudit({
      ...shared(),
      trust: world.chain.trust,
      anchors: createReportAnchors(log()),
    }),
  ]);
  const world: AuditWorld = {
    ...base,
    fake,
    nonce: '',
    holders: undefined,
    anchor: undefined,
    life: async (death) => {
      const process = await base.start(death);
      const index = await AuditIndex.start(process.engine);
      const nonces = createNonces({ mac, random, clock: base.clock });
      const { holders } = world;
      const known = holders === undefined ? {} : { holders };
      const parts = { ...shared(), ...known, engine: process.engine, index, nonces, random };
      const service = serviceOf(world, process, { ...parts, probeSetVersion: PROBE_SET_VERSION });
      const desk = createPublishedAudits({ ...parts, proofs: log() });
      return lifeOf(world, process, { service, desk });
    },
  };
  return world;
}

function mac(text: string): string {
  return createHmac('sha256', 'key').update(text).digest('hex');
}

/** Chance that is the same in every world, and gives nothing twice. */
function seededRandom() {
  let drawn = 0;
  return {
    bytes: (length: number) => {
      drawn += 1;
      const text = createHmac('sha256', 'seed').update(String(drawn)).digest();
      return new Uint8Array(text.subarray(0, length));
    },
  };
}

type Auditing = NonNullable<Parameters<typeof commerceTools>[0]['auditing']>;

function serviceOf(world: AuditWorld, process: Process, auditing: Auditing): ToolService {
  const { engine, payments } = process;
  const { blobs, clock } = world;
  const egress = { fetch: () => Promise.reject(new Error('no way out')) };
  const { trust } = world.chain;
  const deps = { engine, blobs, clock, egress, trust, llm: NO_MODELS, random: auditing.random };
  return createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: '',
    tools: commerceTools({ ...deps, auditing }),
    paid: { payments, challenger: createChallenger(world) },
    jobs: commerceJobs(deps),
  });
}

function lifeOf(
  world: AuditWorld,
  process: Process,
  { service, desk }: Pick<AuditLife, 'service' | 'desk'>,
): AuditLife {
  const call: AuditLife['call'] = (name, args, more = {}) =>
    untilDeath(
      world,
      process,
      service.call({
        name,
        arguments: args,
        payments: [],
        resourceUrl: `mcp://tool/${name}`,
        principal: { kind: 'local', id: 'test' },
        signal: new AbortController().signal,
        ...more,
      }),
    );
  const buy: AuditLife['buy'] = async (name, args) => {
    const asked = await call(name, args);
    if (asked.kind !== 'payment_required') return asked;
    const [offer] = asked.required.accepts;
    return call(name, args, { payments: [{ carrier: 'meta', value: await world.sign(offer) }] });
  };
  return {
    ...process,
    service,
    desk,
    call,
    buy,
    buyActive: async (name, args = {}) => {
      const given = { target: TARGET, ...args };
      const refused = contentOf(await call(name, given));
      world.nonce = prove(world, refused);
      return buy(name, { ...given, consent: { nonce: world.nonce } });
    },
    ended: async (jobId) => {
      for (let tries = 0; tries < 200; tries += 1) {
        const told = await call('get_result', { job_id: jobId, wait_s: 20 });
        const state = AuditState.parse(contentOf(told));
        if (state.status !== 'working') return state;
      }
      throw new Error('the audit does not end');
    },
  };
}

/** Serves what an unproven order asks for, and gives the nonce to order with. */
export function prove({ fake }: AuditWorld, refused: Record<string, unknown>): string {
  const { nonce, serve_text } = refused['data'] as { nonce: string; serve_text: string };
  fake.served = serve_text;
  return nonce;
}

/** Structured content of an answer. */
export function contentOf(outcome: ToolOutcome): Record<string, unknown> {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return { ...outcome.result.structuredContent };
}

/** Text of an answer. */
export function textOf(outcome: ToolOutcome): string {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  const [first] = outcome.result.content;
  return first?.type === 'text' ? first.text : '';
}

/** Job ids of all audits of an engine. */
export async function auditJobsOf(engine: ActorEngine): Promise<readonly string[]> {
  return (await engine.list({ kind: 'audit' })).rows.map(({ id }) => id);
}

async function untilDeath<T>(
  world: PaymentWorld,
  { life }: Process,
  promise: Promise<T>,
): Promise<T> {
  const dead = life.over.then(() => {
    throw new Error('the process died');
  });
  return world.drive(Promise.race([promise, dead]));
}
