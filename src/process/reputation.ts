import type { Payments } from '../actors/payments.ts';
import type { ControlLabels } from '../domain/ports/controls.ts';
import type { Delegations } from '../domain/ports/delegations.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { Passports } from '../domain/ports/passports.ts';
import type { ProofLog } from '../domain/ports/proof-log.ts';
import type { ReputationOf } from '../domain/ports/reputation.ts';
import type { NodePaymentChain } from '../providers/chain/payment-chain.ts';
import { systemClock } from '../runtime/clock.ts';
import type { RuntimeClock } from '../runtime/ports.ts';
import { createChallenger } from '../tools/challenge.ts';
import { trustCheckService } from '../tools/parts/trust-check.ts';
import type { TrustToolDeps } from '../tools/parts/trust-subject.ts';
import { createToolService } from '../tools/service.ts';
import type { FrontRoute } from '../transport/front-route.ts';
import { eventRoutes } from '../transport/routes/events/event-routes.ts';
import { serviceRoutes } from '../transport/routes/services/service-routes.ts';
import { VERSION } from '../version.ts';
import { systemRandom } from './system.ts';

/** What reputation is told from, and how it is sold. */
export interface ReputationParts {
  readonly chain: NodePaymentChain;
  readonly payments: Payments;
  readonly events: EventLog;
  readonly proofs: ProofLog;
  readonly passports: Passports;
  readonly delegations: Delegations;
  readonly reputationOf: ReputationOf;
  readonly labels: ControlLabels;
  readonly clock: RuntimeClock;
  readonly limitLocal: boolean;
  readonly baseUrl: () => Promise<string>;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** The public feed, the tools of trust, and what is sold over plain HTTP. */
export interface OpenReputation {
  readonly tools: TrustToolDeps;
  readonly routes: readonly FrontRoute[];
}

/** Opens the reads of the feed, and what is sold that stands on it. */
export function openReputation(parts: ReputationParts): OpenReputation {
  const { chain, payments, events, proofs, passports, delegations, reputationOf, clock } = parts;
  const trust = { chain: chain.trust, passports, delegations, reputationOf, events, proofs };
  const tools: TrustToolDeps = { trust, clock };
  const services = createToolService({
    server: 'commerce',
    title: 'Stoa services',
    version: VERSION,
    instructions: 'Sold over plain HTTP.',
    tools: [trustCheckService(tools)],
    paid: { payments, challenger: createChallenger({ chain, clock, random: systemRandom }) },
    onFault: (error, name) => parts.notice(`${name}: ${error.message}`),
  });
  const routes = [
    ...eventRoutes({ events, clock: systemClock() }),
    ...serviceRoutes({
      services,
      labels: parts.labels,
      clock: systemClock(),
      limitsLocalCallers: parts.limitLocal,
      baseUrl: parts.baseUrl,
    }),
  ];
  return { tools, routes };
}
