import type { MoneyRun } from './money-run.ts';

const URI = 'data:,agent';

/** An agent that is registered, described and handed over. */
export async function playPassport(run: MoneyRun): Promise<void> {
  const { truth, buyer } = run.world;
  const order = { token: 'passport', uri: 'data:,', metadata: {} };
  const registered = await run.play((life) => life.trust.identity.register(order));
  if (!run.expectState('register', registered, 'done')) return;
  // One that is set already is set again where a node is behind, which changes nothing.
  const described = await run.playOnce((life) => life.trust.identity.setUri('0', URI));
  run.expectState('describe', described, 'done');
  const handed = await run.play((life) => life.trust.identity.transfer('0', buyer.address));
  run.expectState('hand over', handed, 'done');
  const agent = await truth.trust.identity.read('0');
  run.expect(agent?.uri === URI, `described as ${agent?.uri}`);
  run.expect(agent?.owner === buyer.address.toLowerCase(), `owned by ${agent?.owner}`);
  run.expect((await truth.trust.identity.read('1')) === undefined, 'two agents');
}

/** Two roots of a log, one after the other. */
export async function playAnchors(run: MoneyRun): Promise<void> {
  const { anchor } = run.world.truth.trust;
  for (const size of [1, 2]) {
    const root = `0x${size.toString(16).padStart(64, '0')}`;
    const outcome = await run.play((life) => life.trust.anchor.anchor(size, root));
    run.expectState('anchor', outcome, 'done');
    run.expect((await anchor.latest())?.root === root, 'not anchored');
  }
}
