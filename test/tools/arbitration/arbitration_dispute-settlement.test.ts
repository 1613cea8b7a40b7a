import { afterEach, describe, expect, test } from 'vitest';
import { CaseIndex } from '../../../src/actors/arbitration/case-index.ts';
import { ArbitrationRequest } from '../../../src/domain/arbitration/request.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { SignedRequest } from '../../../src/domain/wallet/wallet-auth.ts';
import { arbitrationTool } from '../../../src/tools/arbitration/arbitration_dispute-settlement.ts';
import { getResultTool } from '../../../src/tools/job/get_result.ts';
import { arbitrationWorld, WALLETS } from '../../support/arbitration-world.ts';
import { toolContext } from '../../support/panel-world.ts';
import { scriptedLlm } from '../../support/scripted-llm.ts';

type World = Awaited<ReturnType<typeof arbitrationWorld>>;
const worlds: World[] = [];
afterEach(async () => {
  for (const { world } of worlds.splice(0)) await world.end();
});

/** Both tools over an arbitration that has begun; `signed` notes what a wallet was proven for. */
async function tools(families: readonly string[] = []) {
  const made = await arbitrationWorld();
  worlds.push(made);
  await made.begin();
  const { engine, clock } = made.world;
  const signed: string[] = [];
  const deps = {
    engine,
    clock,
    blobs: made.blobs,
    arbitrations: made.desk(),
    index: await CaseIndex.start(engine),
    llm: scriptedLlm({ families: [...families], say: () => 'hang' }),
    random: { bytes: (length: number) => new Uint8Array(length).fill(7) },
    wallets: {
      prove: async ({ method, path, body, header }: SignedRequest) => {
        if (header !== 'good') throw new AppError('WALLET_FORGED');
        const text = Buffer.from(body).toString('utf8');
        signed.push(`${method} ${path}`);
        return { wallet: WALLETS.buyer, key: `buyer:${text}` };
      },
    },
  };
  const read = (more: object) => {
    const tool = getResultTool({ ...deps, arbitrating: deps });
    const input = tool.input.parse({ job_id: 'board_1', wait_s: 0, ...more });
    return tool.run(input, toolContext().context);
  };
  return { made, read, signed, tool: arbitrationTool(deps as never) };
}

test('the challenge names the arbiter, who would judge, and the price of 5.00', async () => {
  const rules = (await tools()).tool;
  const arbiter = 'panel of the operator of this service';
  const asked = ArbitrationRequest.parse({ job_id: 'board_1' });
  expect(rules.price).toEqual({ amount: '5000000', flow: 'upfront' });
  expect(rules.checkReady?.(asked)).toEqual({
    mode: 'rules_only',
    families: 1,
    seats: 3,
    arbiter,
    reads_texts: false,
    filed_by: expect.stringContaining('buyer or the provider of the job'),
  });
  const { tool } = await tools(['gpt', 'claude']);
  expect(tool.checkReady?.({ ...asked, seats: 5 })).toMatchObject({
    mode: 'llm',
    families: 2,
    seats: 5,
  });
});

describe('evidence by get_result', () => {
  const evidence = (body: object, header = 'good') => ({
    evidence: { body: JSON.stringify(body), stoa_wallet: header },
  });

  test('is what the wallet signed for the plain address, and is taken', async () => {
    const { made, read, signed } = await tools();
    const result = await read(evidence({ evidence: [{ text: 'It is late.' }] }));
    expect(signed).toEqual(['POST /a2a/jobs/board_1/evidence']);
    expect(result.structuredContent).toMatchObject({ your_side: 'claimant' });
    expect((await made.context()).case.rows).toHaveLength(1);
  });

  test.each([
    ['another wallet’s signature', evidence({ is_last: true }, 'bad'), 'WALLET_FORGED'],
    ['a body that does not fit', evidence({ verdict: 'overturned' }), 'INPUT_INVALID'],
    ['no JSON', { evidence: { body: '{{', stoa_wallet: 'good' } }, 'INPUT_INVALID'],
    ['a cancel beside it', { ...evidence({ is_last: true }), cancel: true }, 'INPUT_INVALID'],
    ['another job', { ...evidence({ is_last: true }), job_id: 'board_9' }, 'DISPUTE_UNKNOWN'],
  ])('with %s changes nothing', async (_name, given, code) => {
    const { made, read } = await tools();
    const before = (await made.context()).case;
    await expect(read(given)).rejects.toMatchObject({ code });
    expect((await made.context()).case).toEqual(before);
  });
});
