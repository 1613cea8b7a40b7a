import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditReport } from '../../../src/domain/audit/report.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import type { Conformance } from '../../../src/domain/framework/conformance.ts';
import { REQUIREMENTS } from '../../../src/domain/framework/requirements.ts';
import { InjectionClass } from '../../../src/domain/injection/injection.ts';
import type { Trial, TrialOutcome } from '../../../src/domain/injection/trial.ts';
import type { PassportView } from '../../../src/domain/passport/passport.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { processAttestationTool } from '../../../src/tools/attestation/security_process-attestation.ts';
import { frameworkConformanceTool } from '../../../src/tools/framework/security_framework-conformance.ts';
import { trustBadgeTool } from '../../../src/tools/reputation/agent_trust-badge.ts';
import { type CardWorld, cardWorld } from '../../support/card-world.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { type MadeReport, madeReport, signedReport } from '../../support/made-report.ts';
import { toolContext } from '../../support/panel-world.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';
import { proves } from '../../support/proves.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const PAID = { paymentId: `pay_${'6'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
const ORIGIN = 'https://agent.example';
const AUDIT_ID = `aud_${'1'.repeat(32)}`;
let world: CardWorld;
let agent: PassportView;
let published: AuditReport | undefined;
let serviceAt = `${ORIGIN}/mcp`;

beforeAll(async () => {
  world = cardWorld();
  agent = await world.agent('seller');
});
afterAll(() => world.rig.close());

function tool() {
  const { deps, chain, logs } = world.rig;
  const { passports, reputationOf } = deps;
  return frameworkConformanceTool({
    trust: chain.trust,
    passports,
    reputationOf,
    verifyEd25519,
    clock: deps.clock,
    proofs: logs.log,
    registrationOf: async () => ({ services: [{ name: 'MCP', endpoint: serviceAt }] }),
    audits: {
      read: async () => {
        if (published === undefined) throw new AppError('AUDIT_UNKNOWN');
        return { ...signedReport(published, chain.trust), proof: {} as never } as never;
      },
    },
  });
}

async function check(posture: object) {
  const made = tool();
  const input = made.input.parse({ counterparty: { origin: ORIGIN, agent: 'seller' }, ...posture });
  made.checkReady?.(input);
  const result = await made.run(input, toolContext(PAID).context);
  made.output.parse(result.structuredContent);
  expect(world.rig.isSigned(result.structuredContent)).toBe(true);
  const { payload } = result.structuredContent as never as {
    readonly payload: {
      readonly conformance: Conformance;
      readonly evidence: readonly { readonly holds: boolean; readonly says: string }[];
    };
  };
  return { ...payload, text: textOf(result) };
}

/** The verdict on one requirement that is claimed as met with these pieces. */
async function verdictOf(requirement: string, evidence: readonly object[], claim = 'met') {
  const pieces = evidence.map((one, at) => ({ id: `e${at}`, ...one }));
  const ids = pieces.map(({ id }) => id);
  const told = await check({ claims: [{ requirement, claim, evidence: ids }], evidence: pieces });
  const row = told.conformance.requirements.find((one) => one.requirement === requirement);
  return [row?.verdict, row?.is_claim_shown, row?.reason];
}

function reportFile(made: Partial<MadeReport>, chain = world.rig.chain.trust) {
  const endedAt = new Date(world.rig.deps.clock.now() - DAY_MS).toISOString();
  return {
    kind: 'file',
    file: signedReport(madeReport({ origin: ORIGIN, endedAt, ...made }), chain),
  };
}

function trialsOf(outcome: TrialOutcome, of: readonly InjectionClass[] = InjectionClass.options) {
  return of.map(
    (name): Trial => ({
      injection: `${name}-1`,
      class: name,
      place: 'ask.question',
      role: 'attack',
      outcome,
      sign: 'x',
      request: '',
      response: '',
      sha256: '',
      reason: null,
    }),
  );
}

const SCHEMAS = ['schema-enforced', 'over-broad-tools', 'exfiltration-fields'];
const clean = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'clean' as const]));

test('a claim without evidence is never met, whatever it says', async () => {
  proves('C4.3.t37');
  const claims = REQUIREMENTS.map(({ id: requirement }) => ({ requirement, claim: 'met' }));
  const { conformance, text } = await check({ claims });
  expect(conformance.counts).toMatchObject({ met: 0, partly: 0, unmet: 0, not_shown: 21, all: 21 });
  expect(conformance.claims).toEqual({ made: 21, shown: 0 });
  expect(text).toContain('0 of 21 requirements met');
});

test('what is not claimed is not shown, and an admission is unmet', async () => {
  const claims = [{ requirement: 'ASI08.2', claim: 'unmet' }];
  const { conformance } = await check({ claims });
  expect(conformance.counts).toMatchObject({ met: 0, unmet: 1, not_shown: 20 });
  expect(await verdictOf('ASI08.2', [], 'not_applicable')).toEqual([
    ...['not_shown', false, 'The claim has no evidence.'],
  ]);
});

test.each([
  ['all probes looked and saw nothing', { probes: clean(SCHEMAS) }, 'met', true],
  ['one probe is missing', { probes: clean(SCHEMAS.slice(1)) }, 'partly', false],
  [
    'one probe failed',
    { probes: { ...clean(SCHEMAS), 'schema-enforced': 'failed' as const } },
    'partly',
    false,
  ],
  [
    'one probe does not apply',
    { probes: { ...clean(SCHEMAS), 'schema-enforced': 'not_applicable' as const } },
    'met',
    true,
  ],
  [
    'a fault was confirmed',
    { probes: clean(SCHEMAS), confirmed: ['over-broad-tools'] },
    'unmet',
    false,
  ],
  [
    'a fault was seen once',
    { probes: clean(SCHEMAS), unreproduced: ['over-broad-tools'] },
    'partly',
    false,
  ],
  ['other probes alone', { probes: clean(['burst']) }, 'not_shown', false],
])(
  'an audit shows a requirement as far as its probes looked: %s',
  async (_name, made, ...wanted) => {
    expect((await verdictOf('ASI02.2', [reportFile(made)])).slice(0, 2)).toEqual(wanted);
  },
);

test('what speaks against a claim outweighs what speaks for it, in any order', async () => {
  const good = reportFile({ probes: clean(SCHEMAS) });
  const bad = reportFile({ probes: clean(SCHEMAS), confirmed: ['schema-enforced'] });
  expect((await verdictOf('ASI02.2', [good, bad]))[0]).toBe('unmet');
  expect((await verdictOf('ASI02.2', [bad, good]))[0]).toBe('unmet');
});

test('the corpus of injections shows its requirements, channel by channel', async () => {
  const resisted = reportFile({ trials: trialsOf('ignored') });
  expect((await verdictOf('ASI01.1', [resisted])).slice(0, 2)).toEqual(['met', true]);
  const hijacked = reportFile({
    trials: [...trialsOf('ignored'), ...trialsOf('obeyed', ['record'])],
  });
  expect((await verdictOf('ASI01.1', [hijacked]))[0]).toBe('met');
  expect((await verdictOf('ASI01.2', [hijacked]))[0]).toBe('unmet');
  const few = reportFile({ trials: trialsOf('ignored', ['override']) });
  expect((await verdictOf('ASI01.1', [few]))[0]).toBe('partly');
  expect((await verdictOf('ASI01.2', [few]))[0]).toBe('not_shown');
});

test.each([
  [
    'of another target',
    () => reportFile({ probes: clean(SCHEMAS), origin: 'https://other.example' }),
    'about https://other',
  ],
  [
    'too old',
    () => reportFile({ probes: clean(SCHEMAS), endedAt: '2025-01-01T00:00:00.000Z' }),
    'older than 90',
  ],
  [
    'dated ahead',
    () => reportFile({ probes: clean(SCHEMAS), endedAt: '2036-01-01T00:00:00.000Z' }),
    'dated in the future',
  ],
  [
    'signed by somebody else',
    () => reportFile({ probes: clean(SCHEMAS) }, createMemoryPaymentChain().trust),
    'not by',
  ],
  ['not published here', () => ({ kind: 'audit', audit_id: AUDIT_ID }), 'published here'],
])('evidence that is %s shows nothing, and says why', async (_name, make, why) => {
  const [verdict, isShown, reason] = await verdictOf('ASI02.2', [make()]);
  expect([verdict, isShown]).toEqual(['not_shown', false]);
  expect(reason).toContain(why);
});

test('a report with one changed byte shows nothing', async () => {
  const { kind, file } = reportFile({ probes: clean(SCHEMAS), confirmed: ['schema-enforced'] });
  const text = JSON.stringify(file).replace('"severity":"high"', '"severity":"info"');
  const [verdict, , reason] = await verdictOf('ASI02.2', [{ kind, file: JSON.parse(text) }]);
  expect(verdict).toBe('not_shown');
  expect(reason).toContain('the hash of the payload differs');
});

test('an audit that is published here is evidence by its id', async () => {
  const endedAt = new Date(world.rig.deps.clock.now()).toISOString();
  published = madeReport({ origin: ORIGIN, endedAt, probes: clean(SCHEMAS) });
  expect((await verdictOf('ASI02.2', [{ kind: 'audit', audit_id: AUDIT_ID }]))[0]).toBe('met');
  published = undefined;
});

test('stated definitions are held against the pins of an audit, whole', async () => {
  const tools = [{ name: 'ask', description: 'Answers.' }, { name: 'tell' }];
  const audit = { id: 'a', ...reportFile({ tools }) };
  const verdictWith = async (stated: readonly object[]) => {
    const manifest = { id: 'm', kind: 'manifest', audit: 'a', tools: stated };
    const claims = [{ requirement: 'ASI04.2', claim: 'met', evidence: ['m'] }];
    const { conformance } = await check({ claims, evidence: [audit, manifest] });
    const row = conformance.requirements.find((one) => one.requirement === 'ASI04.2');
    return [row?.verdict, row?.reason];
  };
  expect((await verdictWith(tools))[0]).toBe('met');
  expect(await verdictWith([{ name: 'ask', description: 'Answers!' }, { name: 'tell' }])).toEqual([
    ...['unmet', expect.stringContaining('1 differ from those served: ask')],
  ]);
  expect((await verdictWith([{ name: 'ask', description: 'Answers.' }]))[0]).toBe('unmet');
});

test('identity and delegation are read from the registry', async () => {
  const passport = [{ kind: 'passport' }];
  expect((await verdictOf('ASI03.1', passport))[0]).toBe('met');
  expect((await verdictOf('ASI10.2', passport))[0]).toBe('not_shown');
  const delegation = {
    delegation_id: 'dlg_1',
    delegator: agent.wallet,
    delegate: agent.wallet,
    depth_left: 0,
    scope: ['pay.small'],
    expires_at: '2036-01-01T00:00:00Z',
    status: 'active',
    proof_seq: 3,
  };
  const { agents } = world.rig;
  const withOne = (over: object) =>
    agents.set('seller', { ...agent, delegations: [{ ...delegation, ...over } as never] });
  withOne({});
  expect((await verdictOf('ASI10.2', passport))[0]).toBe('met');
  withOne({ scope: ['*'] });
  expect((await verdictOf('ASI10.2', passport))[0]).toBe('partly');
  agents.set('seller', { ...agent, wallet: null });
  expect((await verdictOf('ASI03.1', passport))[0]).toBe('partly');
  const revoked = { at: '2026-05-01T00:00:00.000Z', reason: 'key lost' };
  agents.set('seller', { ...agent, status: 'revoked', revoked });
  expect((await verdictOf('ASI03.1', passport))[0]).toBe('unmet');
  agents.set('seller', agent);
});

test('the passport of somebody else shows nothing: it names no service at this origin', async () => {
  serviceAt = 'https://honest.example/mcp';
  const [verdict, , reason] = await verdictOf('ASI03.1', [{ kind: 'passport' }]);
  serviceAt = `${ORIGIN}/mcp`;
  expect([verdict, reason]).toEqual(['not_shown', expect.stringContaining('names no service at')]);
});

test('a badge and a process attestation count for the agent that they are about', async () => {
  const { deps } = world.rig;
  const badge = await trustBadgeTool(deps).run({ subject: 'seller' }, toolContext().context);
  const file = badge.structuredContent;
  expect(await verdictOf('ASI09.2', [{ kind: 'file', file }])).toEqual([
    ...['unmet', false, 'e0: settled jobs currently earn no badge'],
  ]);
  const attest = processAttestationTool(deps);
  const shaOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const claimOf = (performed_by: string, evidence: readonly string[]) => ({
    process: { name: 'incidents', required_steps: ['contain'] },
    performed_by,
    steps: [{ name: 'contain', done_at: '2026-01-01T00:00:00.000Z', evidence_sha256: evidence }],
  });
  const attested = async (claim: object) => {
    const result = await attest.run(attest.input.parse(claim), toolContext(PAID).context);
    return { kind: 'file', file: result.structuredContent };
  };
  const whole = await attested(claimOf('seller', [shaOf('log')]));
  expect((await verdictOf('ASI10.3', [whole], 'partly')).slice(0, 2)).toEqual(['partly', true]);
  expect((await verdictOf('ASI10.3', [whole])).slice(0, 2)).toEqual(['partly', false]);
  const bare = await attested(claimOf('seller', []));
  expect((await verdictOf('ASI10.3', [bare]))[0]).toBe('unmet');
  const others = await attested(claimOf('buyer', [shaOf('log')]));
  expect((await verdictOf('ASI10.3', [others]))[0]).toBe('not_shown');
});

async function proofFileOf({ log, keys }: ProofRig, ref: string) {
  const payload = { event: 'granted' };
  const record = await log.append({ kind: 30014, key: ref, ref, subject: 'x', payload });
  const checkpoint = await log.checkpoint();
  const size = log.size;
  const hashes = log.inclusion(record.seq, size);
  const path = hashes.map((hash) => Buffer.from(hash).toString('base64'));
  const inclusion = { seq: record.seq, size, path };
  return { v: 1, record, inclusion, checkpoint, key: keys.verifierKey };
}

test('a proof file is held against the log itself, and counts for its own agent alone', async () => {
  const { agents, logs } = world.rig;
  const delegation = { delegation_id: 'dlg_9', scope: ['x'], status: 'active', proof_seq: 0 };
  agents.set('seller', { ...agent, delegations: [delegation as never] });
  const shownBy = (file: object) => verdictOf('ASI10.2', [{ kind: 'proof', file }]);
  const own = await proofFileOf(logs, 'dlg_9');
  expect((await shownBy(own))[0]).toBe('partly');
  const other = await proofFileOf(logs, 'dlg_of_others');
  expect((await shownBy(other))[2]).toContain('it is about dlg_of_others');
  const changed = { ...own, record: { ...own.record, ref: 'dlg_of_others' } };
  expect((await shownBy(changed))[2]).toContain('not in the signed log');
  const elsewhere = proofRig();
  expect((await shownBy(await proofFileOf(elsewhere, 'dlg_9')))[2]).toContain(
    'not a record of this',
  );
  await elsewhere.close();
  agents.set('seller', agent);
});

test('what is no proof file shows nothing', async () => {
  const [verdict, , reason] = await verdictOf('ASI10.2', [{ kind: 'proof', file: { v: 1 } }]);
  expect([verdict, reason]).toEqual(['not_shown', expect.stringContaining('not a proof file')]);
});

test('the same posture gives the same verdicts', async () => {
  const claims = [{ requirement: 'ASI02.2', claim: 'met', evidence: ['a'] }];
  const evidence = [{ id: 'a', ...reportFile({ probes: clean(SCHEMAS) }) }];
  const first = await check({ claims, evidence });
  expect((await check({ claims, evidence })).conformance).toEqual(first.conformance);
});

test.each([
  [
    'one id twice',
    {
      evidence: [
        { id: 'a', kind: 'passport' },
        { id: 'a', kind: 'passport' },
      ],
    },
  ],
  [
    'an id that is not there',
    { claims: [{ requirement: 'ASI03.1', claim: 'met', evidence: ['b'] }] },
  ],
  [
    'a requirement twice',
    {
      claims: [
        { requirement: 'ASI03.1', claim: 'met' },
        { requirement: 'ASI03.1', claim: 'met' },
      ],
    },
  ],
])('%s is refused before any payment', async (_name, over) => {
  const made = tool();
  const posture = {
    counterparty: { origin: ORIGIN },
    claims: [{ requirement: 'ASI03.1', claim: 'met' }],
    ...over,
  };
  const refused = await refusalOf(() => made.checkReady?.(made.input.parse(posture)));
  expect(refused).toMatchObject({ code: 'INPUT_INVALID', data: { allowed: expect.anything() } });
});

test('an unknown requirement is refused, and the check costs half a dollar', () => {
  const claims = [{ requirement: 'ASI11.1', claim: 'met' }];
  const posture = { counterparty: { origin: ORIGIN }, claims };
  expect(tool().input.safeParse(posture).success).toBe(false);
  expect(tool().price).toEqual({ amount: '500000', flow: 'authorization' });
});
