import { onTestFinished } from 'vitest';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import type { LlmPort } from '../../src/domain/llm/llm.ts';
import type { ToolService } from '../../src/domain/tool/tool.ts';
import { createEgress } from '../../src/providers/net/egress.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { createChallenger } from '../../src/tools/payment/challenge.ts';
import { commerceJobs, commerceTools } from '../../src/tools/service/catalog.ts';
import { createToolService } from '../../src/tools/service/service.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { memoryBlobs } from './debate.ts';
import { startFront, systemRandom } from './front-rig.ts';
import { httpLoopback, type Loopback } from './loopback.ts';
import { memoryPaymentIds } from './memory-payment-ids.ts';
import { createPayer, type Payer } from './payer.ts';
import { realClock } from './real-clock.ts';

/** The commerce server as callers meet it: every tool of the catalog behind the real front. */
export interface ServedCommerce {
  readonly baseUrl: string;
  readonly service: ToolService;
  readonly chain: MemoryPaymentChain;
  readonly payer: Payer;
  /** A site with `/here` (200) and nothing else, which the egress client may ask. */
  readonly site: Loopback;
}

const NO_MODELS: LlmPort = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  maxCost: () => null,
};

/** Serves the commerce tools on a free port, with a payer of 50 dollars; ends with the test. */
export async function serveCommerce(): Promise<ServedCommerce> {
  const payer = createPayer();
  const clock = realClock;
  const random = systemRandom;
  const blobs = memoryBlobs();
  const chain = createMemoryPaymentChain({ balances: { [payer.address]: '50000000' } });
  const site = await httpLoopback((request, response) => {
    response.statusCode = request.url === '/here' ? 200 : 404;
    response.end();
  });
  const egress = createEgress({ clock, userAgent: 'stoa-test', allowHosts: [site.host] });
  const engine = await createEngine({
    store: memoryStore(),
    clock,
    definitions: [definePayment({ chain }), ...definePanels({ llm: NO_MODELS, blobs })],
  });
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '0.0.1',
    instructions: 'Call ops_link-integrity.',
    tools: commerceTools({
      engine,
      blobs,
      clock,
      random,
      egress,
      llm: NO_MODELS,
      trust: chain.trust,
    }),
    paid: {
      payments: new PaymentFlow({ engine, chain, blobs, ids: memoryPaymentIds(), clock, random }),
      challenger: createChallenger({ chain, clock, random }),
    },
    jobs: commerceJobs({ engine, blobs }),
  });
  const { front, baseUrl } = await startFront('node', { commerce: service });
  onTestFinished(async () => {
    await front.close();
    await engine.close();
    await egress.close();
    await site.close();
  });
  return { baseUrl, service, chain, payer, site };
}
