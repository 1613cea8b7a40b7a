import { zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContractWorld, contractWorld, type Deployed } from '../support/contract-world.ts';

let world: ContractWorld;
let reputation: Deployed;
let validation: Deployed;
let anchor: Deployed;
let owner: PrivateKeyAccount;
const AGENT = 0n;

beforeAll(async () => {
  world = await contractWorld();
  const identity = await world.deploy('AgentIdentity');
  owner = await world.account();
  await identity.send(owner, 'register', '', []);
  reputation = await world.deploy('AgentReputation', identity.address);
  validation = await world.deploy('AgentValidation', identity.address);
  anchor = await world.deploy('ProofAnchor');
}, 60_000);
afterAll(() => world.close());

async function give(client: PrivateKeyAccount, value: bigint, decimals = 0, tag = '') {
  const rest = [tag, '', 'https://a.example', '', zeroHash] as const;
  await reputation.send(client, 'giveFeedback', AGENT, value, decimals, ...rest);
}

describe('AgentReputation', () => {
  test('nobody of the agent’s own side gives feedback', async () => {
    await expect(give(owner, 100n)).rejects.toThrow('SelfFeedback');
  });

  test('a summary counts the clients that are named, and needs some', async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    await give(one, 80n);
    await give(two, 905n, 1);
    await give(three, -100n);
    const summary = (...named: PrivateKeyAccount[]) =>
      reputation.read(
        'getSummary',
        AGENT,
        named.map(({ address }) => address),
        '',
        '',
      );
    expect(await summary(one, two)).toEqual([2n, 852n, 1]);
    expect(await summary(one, two, three)).toEqual([3n, 235n, 1]);
    await expect(summary()).rejects.toThrow('ClientAddressesRequired');
  });

  test('revoked feedback no longer counts, and is shown only to those who ask for it', async () => {
    const client = await world.account();
    await give(client, 10n, 0, 'speed');
    await give(client, 30n, 0, 'speed');
    await reputation.send(client, 'revokeFeedback', AGENT, 1n);
    await expect(reputation.send(client, 'revokeFeedback', AGENT, 1n)).rejects.toThrow(
      'AlreadyRevoked',
    );
    const named = [client.address];
    expect(await reputation.read('getSummary', AGENT, named, 'speed', '')).toEqual([1n, 30n, 0]);
    const [, indexes] = await reputation.read<unknown[]>(
      'readAllFeedback',
      AGENT,
      named,
      '',
      '',
      false,
    );
    expect(indexes).toEqual([2n]);
    const [, all] = await reputation.read<unknown[]>('readAllFeedback', AGENT, named, '', '', true);
    expect(all).toEqual([1n, 2n]);
    await expect(reputation.read('readFeedback', AGENT, client.address, 3n)).rejects.toThrow(
      'FeedbackUnknown',
    );
  });

  test('responses are counted by who gave them', async () => {
    const client = await world.account();
    await give(client, 1n);
    const respond = (from: PrivateKeyAccount) =>
      reputation.send(from, 'appendResponse', AGENT, client.address, 1n, 'ipfs://x', zeroHash);
    await respond(owner);
    await respond(owner);
    await respond(client);
    const count = (...named: string[]) =>
      reputation.read('getResponseCount', AGENT, client.address, 1n, named);
    expect(await count()).toBe(3n);
    expect(await count(owner.address)).toBe(2n);
  });

  test('values beyond the bounds are refused', async () => {
    const client = await world.account();
    await expect(give(client, 10n ** 38n + 1n)).rejects.toThrow('ValueTooLarge');
    await expect(give(client, 1n, 19)).rejects.toThrow('TooManyDecimals');
  });
});

describe('AgentValidation', () => {
  const hash = `0x${'ab'.repeat(32)}` as const;

  test('the agent’s side asks, the validator alone answers, the last answer stands', async () => {
    const validator = await world.account();
    const ask = ['validationRequest', validator.address, AGENT, 'ipfs://q', hash] as const;
    await expect(validation.send(validator, ...ask)).rejects.toThrow('NotAuthorized');
    await validation.send(owner, ...ask);
    await expect(validation.send(owner, ...ask)).rejects.toThrow('RequestKnown');
    const answer = (from: PrivateKeyAccount, score: number) =>
      validation.send(from, 'validationResponse', hash, score, '', zeroHash, 'audit');
    await expect(answer(owner, 50)).rejects.toThrow('NotTheValidator');
    await expect(answer(validator, 101)).rejects.toThrow('ResponseTooLarge');
    await answer(validator, 40);
    await answer(validator, 90);
    expect(await validation.read('getSummary', AGENT, [], 'audit')).toEqual([1n, 90]);
    expect(await validation.read('getSummary', AGENT, [owner.address], '')).toEqual([0n, 0]);
    expect(await validation.read('getAgentValidations', AGENT)).toEqual([hash]);
    const [who] = await validation.read<unknown[]>('getValidationStatus', hash);
    expect(who).toBe(validator.address);
  });
});

describe('ProofAnchor', () => {
  const root = (byte: string) => `0x${byte.repeat(32)}`;

  test('a log only grows, and never has two roots for one size', async () => {
    const log = await world.account();
    await anchor.send(log, 'anchor', 10n, root('0a'));
    await anchor.send(log, 'anchor', 10n, root('0a'));
    await expect(anchor.send(log, 'anchor', 10n, root('0b'))).rejects.toThrow('NotLarger');
    await expect(anchor.send(log, 'anchor', 9n, root('0b'))).rejects.toThrow('NotLarger');
    await anchor.send(log, 'anchor', 11n, root('0c'));
    expect(await anchor.read('latestSize', log.address)).toBe(11n);
    expect(await anchor.read('rootAt', log.address, 10n)).toBe(root('0a'));
  });

  test('logs of two accounts know nothing of each other', async () => {
    const [one, two] = [await world.account(), await world.account()];
    await anchor.send(one, 'anchor', 5n, root('01'));
    await anchor.send(two, 'anchor', 3n, root('02'));
    expect(await anchor.read('latestSize', one.address)).toBe(5n);
    expect(await anchor.read('rootAt', two.address, 5n)).toBe(root('00'));
  });
});
