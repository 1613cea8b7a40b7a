import { expect, test } from 'vitest';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { ArbitrationState } from '../../../src/domain/arbitration/result.ts';
import { verifyTranscript } from '../../../src/domain/verification/panel-transcript.ts';
import type { EngineStore } from '../../../src/runtime/engine/ports.ts';
import { arbitrationWorld } from '../../support/arbitration-world.ts';
import { readPanel } from '../../support/read-panel.ts';

const LATE = { deliveredAtS: 3_000, fulfilByS: 2_000 };
const claims = [{ fact: 'delivered_in_time', value: 'false' }];
const BUYER = { evidence: [{ text: 'Too late.', claims }], is_last: true };
const PROVIDER = { evidence: [{ text: 'It was ready.' }], is_last: true };

interface Kill {
  readonly after: number;
  readonly isWritten: boolean;
}

/** Hands in, dies after so many commits, hands in the same again, and runs to the end. */
async function play(kill?: Kill) {
  let commits = 0;
  const wrapStore = (store: EngineStore): EngineStore =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') commits += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const made = await arbitrationWorld({ job: LATE, wrapStore });
  const { world } = made;
  await made.begin();
  commits = 0;
  if (kill?.isWritten === true) world.crashAfterNextCommit(kill.after);
  if (kill?.isWritten === false) world.crashBeforeNextCommit(kill.after);
  const handIn = async () => {
    await made.give('buyer', BUYER, 'first');
    await made.give('provider', PROVIDER, 'second');
  };
  await Promise.race([
    handIn().catch(() => undefined),
    world.clock.advance(2_000).then(() => world.clock.advance(2_000)),
  ]);
  await world.clock.advance(1_000);
  const lived = commits;
  if (kill !== undefined) {
    await made.restart();
    await world.clock.advance(0);
    // A party that got no answer sends the same signed request again.
    await handIn().catch((thrown: { readonly code?: string }) => {
      if (thrown.code !== 'EVIDENCE_LATE') throw thrown;
    });
  }
  await world.clock.advance(30_000);
  const { result } = ArbitrationState.parse(await readPanel(made.deps(), 'job_1'));
  const transcript = await readTranscript(made.deps(), 'job_1');
  const told = await made.told();
  await world.end();
  return { lived, result, transcript, told };
}

test('killed before and after every commit, the verdict is the same and is applied once', async () => {
  const whole = await play();
  expect(whole.result?.winner?.option_id).toBe('overturned');
  expect(whole.told.job).toMatchObject([{ type: 'DISPUTE.DECIDED', upheld: 'buyer' }]);
  expect(whole.lived).toBeGreaterThan(5);
  for (let after = 0; after < whole.lived; after += 1) {
    for (const isWritten of [false, true]) {
      const killed = await play({ after, isWritten });
      const at = `${after} ${isWritten}`;
      expect(killed.result?.winner, at).toEqual(whole.result?.winner);
      expect(killed.result?.payload?.votes, at).toEqual(whole.result?.payload?.votes);
      expect(
        killed.result?.file?.items.map(({ evidence_id: id }) => id),
        at,
      ).toEqual(['C1', 'R1']);
      // The root of the evidence has its times in it, and so has the hash of what is signed.
      const verdictHash = `0x${killed.result?.statement?.payload_hash}`;
      expect(killed.told.job, at).toEqual([{ ...whole.told.job[0], verdictHash }]);
      expect(killed.told.payment, at).toEqual([{ type: 'WORK.DONE' }]);
      expect(verifyTranscript(killed.transcript), at).toMatchObject({ isValid: true });
    }
  }
});
