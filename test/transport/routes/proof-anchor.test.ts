import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProofFile, verifyProofFile } from '../../../src/domain/verification/proof-file.ts';
import { webVerifyEd25519 } from '../../../src/domain/verification/web-ed25519.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { operatorRoutes } from '../../../src/transport/proof/operator-routes.ts';
import { proofRoutes } from '../../../src/transport/proof/proof-routes.ts';
import { type FrontRig, startFront, TOKEN } from '../../support/front-rig.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';
import { realClock } from '../../support/real-clock.ts';

const ref = (n: number): string => `set_${n.toString(16).padStart(64, '0')}`;
let rig: ProofRig;
let front: FrontRig;
const acts: string[] = [];

beforeAll(async () => {
  rig = proofRig();
  const { log, keys } = rig;
  const act = (name: string) => async (): Promise<object> => {
    acts.push(name);
    return { done: name };
  };
  front = await startFront('node', {
    routes: [
      ...proofRoutes({
        log,
        verifierKey: keys.verifierKey,
        clock: realClock,
        isComing: async () => false,
        anchorReason: () => 'not yet',
      }),
      ...operatorRoutes({ anchor: act('anchor'), rotateKey: act('rotate'), erase: act('erase') }),
    ],
  });
  for (let n = 0; n < 9; n += 1) {
    await log.append({ kind: 30020, key: ref(n), ref: ref(n), subject: 's', payload: { n } });
    if (n === 2 || n === 5) await log.checkpoint();
  }
  await log.checkpoint();
});
afterAll(async () => {
  await front.front.close();
  await rig.close();
});

async function read<Told>(path: string): Promise<Told> {
  return (await (await fetch(`${front.baseUrl}/v1/proofs/${path}`)).json()) as Told;
}

function anchorAt(size: number): Promise<void> {
  return rig.log.evidence.storeAnchor({
    size,
    root: Buffer.from(rig.log.root(size)).toString('hex'),
    block: size,
    chain_id: 1,
    transaction: `0x${'1'.repeat(64)}`,
    contract: `0x${'2'.repeat(40)}`,
    account: `0x${'3'.repeat(40)}`,
    seen_at: '2026-01-01T00:00:00.000Z',
  });
}

const check = (value: unknown) => verifyProofFile(value, { verify: verifyEd25519 });

test('a settlement is internal until an anchor covers it, then anchored', async () => {
  expect(await read(`settlement/${ref(4)}`)).toMatchObject({
    proof_tier: 'internal',
    anchor: null,
    anchor_reason: 'not yet',
  });
  await anchorAt(3);
  expect(await read(`settlement/${ref(2)}`)).toMatchObject({
    proof_tier: 'anchored',
    anchor: { size: 3, consistency: { from: 3, to: 9 } },
  });
  expect(await read(`settlement/${ref(3)}`)).toMatchObject({ proof_tier: 'internal' });
  await anchorAt(6);
  expect(await read(`settlement/${ref(3)}`)).toMatchObject({ anchor: { size: 6 } });
  expect(await read(`settlement/${ref(2)}`)).toMatchObject({ anchor: { size: 3 } });
});

test('a proof file is tied to its anchor, on whichever side of the checkpoint it is', async () => {
  const before = await read<ProofFile>('4.json');
  expect(before).toMatchObject({ inclusion: { size: 9 }, anchor: { size: 6 } });
  expect(await check(before)).toMatchObject({ isValid: true, anchor: { size: 6 } });
  expect(await verifyProofFile(before, { verify: webVerifyEd25519 })).toMatchObject({
    isValid: true,
  });
  // The newest cosigned checkpoint is older than the anchor.
  await rig.log.evidence.storeCosignature(3, 'w', '— w AAAAAAAA\n');
  const after = await read<ProofFile>('0.json');
  expect(after).toMatchObject({ inclusion: { size: 3 }, anchor: { size: 3 } });
  await rig.log.evidence.dropAnchors(0);
  await anchorAt(6);
  const ahead = await read<ProofFile>('0.json');
  expect(ahead.anchor).toMatchObject({ size: 6, consistency: { from: 3, to: 6 } });
  expect(await check(ahead)).toMatchObject({ isValid: true });
});

test('an anchor that is not of this log, or does not reach the record, is found', async () => {
  const file = await read<ProofFile>('4.json');
  const { anchor } = file;
  if (anchor === undefined) throw new Error('it is anchored');
  const { consistency } = anchor;
  const changed: readonly [object, string][] = [
    [{ root: 'f'.repeat(64) }, 'does not belong to this log'],
    [{ size: 4 }, 'does not cover'],
    [{ size: 5 }, 'other sizes'],
    [{ consistency: { ...consistency, from: 5 } }, 'other sizes'],
    [
      { consistency: { ...consistency, path: consistency.path.slice(1) } },
      'does not belong to this log',
    ],
    [{ consistency: { ...consistency, path: ['AAAA'] } }, 'not a list of hashes'],
    [{ contract: 'nowhere' }, 'not a proof file'],
  ];
  for (const [change, reason] of changed) {
    expect(await check({ ...file, anchor: { ...anchor, ...change } }), reason).toMatchObject({
      isValid: false,
      reason: expect.stringContaining(reason),
    });
  }
});

test('a witness that is asked for must have cosigned', async () => {
  const file = await read<ProofFile>('4.json');
  const witnesses = [rig.keys.verifierKey, 'nobody'];
  for (const witness of witnesses) {
    const verdict = await verifyProofFile(file, { verify: verifyEd25519, witnesses: [witness] });
    expect(verdict).toMatchObject({ isValid: false, reason: expect.stringContaining('witness') });
  }
});

test('only the operator anchors, rotates and erases, with a body that fits', async () => {
  const post = (name: string, body: string, token = TOKEN) =>
    fetch(`${front.baseUrl}/operator/proofs/${name}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
  for (const name of ['anchor', 'rotate-key', 'erase']) {
    expect((await post(name, '{}', 'guess')).status, name).toBe(401);
    expect((await post(name, '{"more":1}')).status, name).toBe(422);
    expect((await post(name, 'nothing')).status, name).toBe(422);
    expect((await post(name, `"${'x'.repeat(5_000)}"`)).status, name).toBe(413);
  }
  expect(acts).toEqual([]);
  expect(await (await post('anchor', '{}')).json()).toEqual({ done: 'anchor' });
  expect((await post('erase', '{"subject":"0x1"}')).status).toBe(200);
  expect(acts).toEqual(['anchor', 'erase']);
});
