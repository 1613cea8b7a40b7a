import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import { identityCardTool } from '../../../src/tools/passport/security_identity-card-verify.ts';
import { trustBadgeTool } from '../../../src/tools/reputation/agent_trust-badge.ts';
import { type CardWorld, cardWorld } from '../../support/card-world.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const PAID = { paymentId: `pay_${'6'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
let world: CardWorld;
beforeAll(() => {
  world = cardWorld();
});
afterAll(() => world.rig.close());

interface Told {
  readonly verdict: string;
  readonly checks: readonly { readonly check: string; readonly result: string }[];
  readonly badge: {
    readonly verdict: string;
    readonly source: string;
    readonly checks: Told['checks'];
  };
}

async function verify(input: object) {
  const tool = identityCardTool(world.rig.deps);
  const parsed = tool.input.parse(input);
  tool.checkReady?.(parsed);
  const result = await tool.run(parsed, toolContext(PAID).context);
  tool.output.parse(result.structuredContent);
  expect(world.rig.isSigned(result.structuredContent)).toBe(true);
  const { payload } = result.structuredContent as never as { readonly payload: Told };
  return { payload, text: textOf(result) };
}

function failed({ checks }: Pick<Told, 'checks'>): readonly string[] {
  return checks.filter(({ result }) => result === 'fail').map(({ check }) => check);
}

test('a card as it was given is valid, with the registry beside it', async () => {
  proves('C4.3.t33');
  const agent = await world.agent('honest');
  const { payload, text } = await verify({ card: world.card(agent) });
  expect(payload).toMatchObject({
    verdict: 'valid',
    agent_id: agent.agent_id,
    registry: { owner: agent.owner, wallet: agent.wallet },
    badge: { verdict: 'valid', source: 'card', now: { badge: 'none', score: 0 } },
  });
  expect(failed(payload)).toEqual([]);
  expect(text).toContain('Card of honest: valid.');
});

test.each([
  ['name', { name: 'somebody-else' }, ['hash', 'signed_hash', 'signature', 'registry']],
  ['wallet', { wallet: `0x${'1'.repeat(40)}` }, ['hash', 'signed_hash', 'signature', 'wallet']],
  ['a member beside', { operator_id: 'x' }, ['hash', 'signed_hash', 'signature']],
  ['a new member', { verified: true }, ['hash', 'signed_hash', 'signature']],
  ['its hash', { passport_hash: '0'.repeat(64) }, ['hash']],
])('a card whose %s was changed is altered', async (_name, change, checks) => {
  const agent = await world.agent(`altered-${checks.length}-${Object.keys(change)[0]?.[0]}`);
  const { payload } = await verify({ card: { ...world.card(agent), ...change } });
  expect(payload.verdict).toBe('altered');
  expect(failed(payload)).toEqual(checks);
});

test('a card whose hash was made new for what was changed is altered: the signature is not', async () => {
  const agent = await world.agent('rehashed');
  const other = world.card({ ...agent, operator_id: 'x' });
  const { signature } = world.card(agent);
  const { payload } = await verify({ card: { ...other, signature } });
  expect([payload.verdict, failed(payload)]).toEqual(['altered', ['signed_hash', 'signature']]);
});

test('a card that somebody else signed well is of the wrong issuer', async () => {
  const agent = await world.agent('foreign');
  const { trust: chain } = createMemoryPaymentChain({ treasuryKey: `0x${'7'.repeat(64)}` });
  const { payload } = await verify({ card: world.card(agent, { chain }) });
  expect([payload.verdict, failed(payload)]).toEqual(['wrong_issuer', ['issuer']]);
});

test('an agent that the registry does not have is unknown, and one of another registry, too', async () => {
  const { rig } = world;
  const ghost = rig.register('ghost', {
    erc8004: { ...(await world.agent('near')).erc8004, id: '999999' },
    agent_id: `${rig.chain.trust.identity.agentRegistry}:999999`,
  });
  const unknown = await verify({ card: world.card(ghost) });
  expect([unknown.payload.verdict, failed(unknown.payload)]).toEqual(['unknown', ['registry']]);
  const registry = `eip155:1:0x${'2'.repeat(40)}`;
  const agent = await world.agent('elsewhere');
  const moved = {
    ...agent,
    agent_id: `${registry}:${agent.erc8004.id}`,
    erc8004: { ...agent.erc8004, agent_registry: registry },
  };
  const other = await verify({ card: world.card(moved) });
  expect([other.payload.verdict, failed(other.payload)]).toEqual(['unknown', ['registry']]);
});

test('a card of a revoked passport is revoked, however well it is signed, and so is its badge', async () => {
  const agent = await world.agent('stolen');
  const card = world.card(agent);
  const revoked = { at: '2026-05-01T00:00:00.000Z', reason: 'key lost' };
  world.rig.agents.set('stolen', { ...agent, status: 'revoked', revoked });
  const { payload, text } = await verify({ card });
  expect([payload.verdict, failed(payload)]).toEqual(['revoked', ['revocation']]);
  expect(payload.badge.verdict).toBe('revoked');
  expect(text).toContain('key lost');
});

test('a card is expired when it is too old, or the registry has another wallet since', async () => {
  const agent = await world.agent('aged');
  const issuedAt = world.rig.deps.clock.now() - 31 * DAY_MS;
  const old = await verify({ card: world.card(agent, { issuedAt }) });
  expect([old.payload.verdict, failed(old.payload)]).toEqual(['expired', ['age']]);
  const patient = await verify({ card: world.card(agent, { issuedAt }), max_age_days: 60 });
  expect(patient.payload.verdict).toBe('valid');
  const card = world.card(agent);
  await world.rig.chain.trust.identity.transfer(agent.erc8004.id, String(agent.wallet));
  const moved = await verify({ card });
  expect([moved.payload.verdict, failed(moved.payload)]).toEqual(['expired', ['owner', 'wallet']]);
});

test('a badge is told valid, expired, revoked, altered, of another agent or of another issuer', async () => {
  const agent = await world.agent('badged');
  const other = await world.agent('other');
  const card = world.card(agent);
  const badgeOf = async (subject: string) => {
    const tool = trustBadgeTool(world.rig.deps);
    const { structuredContent } = await tool.run({ subject }, toolContext().context);
    return structuredContent as Record<string, Record<string, unknown>>;
  };
  const good = await badgeOf('badged');
  expect((await verify({ card, badge: good })).payload.badge).toMatchObject({
    source: 'statement',
    verdict: 'valid',
  });
  const verdictFor = async (badge: object) => {
    const { payload } = await verify({ card, badge });
    expect(payload.verdict).toBe('valid');
    return [payload.badge.verdict, failed(payload.badge)];
  };
  const gilded = { ...good, payload: { ...good['payload'], badge: 'gold' } };
  expect(await verdictFor(gilded)).toEqual(['altered', ['badge_signature']]);
  expect(await verdictFor(await badgeOf('other'))).toEqual(['unknown', ['badge_subject']]);
  expect(other.agent_id).not.toBe(agent.agent_id);
  const { trust } = world.rig.chain;
  const signed = (payload: object, chain = trust) => ({
    payload,
    statement: chain.signStatement({
      kind: 'trust_badge',
      issuedAt: world.rig.deps.clock.now(),
      payload: JSON.parse(JSON.stringify(payload)),
    }),
  });
  const { trust: foreign } = createMemoryPaymentChain({ treasuryKey: `0x${'8'.repeat(64)}` });
  const stated = { ...good['payload'] };
  expect(await verdictFor(signed(stated, foreign))).toEqual(['wrong_issuer', ['badge_issuer']]);
  const past = { ...stated, valid_until: '2026-01-02T00:00:00.000Z' };
  expect(await verdictFor(signed(past))).toEqual(['expired', ['badge_age']]);
  const lost = { ...stated, badge: 'silver' };
  expect(await verdictFor(signed(lost))).toEqual(['revoked', ['badge_earned']]);
  const shown = await verify({ card: world.card(agent, { badge: 'gold' }) });
  expect(shown.payload.badge.verdict).toBe('revoked');
});

test('what is no card is refused with what is wanted, and a long one before any payment', async () => {
  const tool = identityCardTool(world.rig.deps);
  expect(tool.input.safeParse({ card: { name: 'x' } }).success).toBe(false);
  const agent = await world.agent('long');
  const card = { ...world.card(agent), extra: 'x'.repeat(200_001) };
  const refused = await refusalOf(() => tool.checkReady?.(tool.input.parse({ card })));
  expect(refused).toMatchObject({ code: 'INPUT_INVALID' });
  expect([tool.price, tool.annotations.readOnlyHint]).toEqual([
    { amount: '50000', flow: 'authorization' },
    true,
  ]);
});
