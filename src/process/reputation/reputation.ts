import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import type { EventLog } from '../../domain/event/event-log.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ReadReputation } from '../../domain/reputation/reputation.ts';
import type { NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { createChallenger } from '../../tools/payment/challenge.ts';
import { trustCheckService } from '../../tools/reputation/trust-check.ts';
import type { TrustToolDeps } from '../../tools/reputation/trust-subject.ts';
import { createToolService } from '../../tools/service/service.ts';
import { eventRoutes } from '../../transport/event/event-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { serviceRoutes } from '../../transport/manifest/service-routes.ts';
import { VERSION } from '../../version.ts';
import { systemRandom } from '../server/system.ts';

/** The dependencies of reputation. */
export interface ReputationDeps {
  readonly chain: NodePaymentChain;
  readonly payments: PaymentFlow;
  readonly events: EventLog;
  readonly proofs: ProofLog;
  readonly passports: Passports;
  readonly delegations: Delegations;
  readonly reputationOf: ReadReputation;
  readonly labels: ControlLabels;
  readonly clock: RuntimeClock;
  readonly limitLocal: boolean;
  readonly baseUrl: () => Promise<string>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The public event feed, the trust tools, and the paid HTTP services. */
export interface OpenReputation {
  readonly tools: TrustToolDeps;
  readonly routes: readonly FrontRoute[];
}

/** Creates the routes of the event feed and the paid services that use it. */
export function openReputation(parts: ReputationDeps): OpenReputation {
  const { chain, payments, events, proofs, passports, delegations, reputationOf, clock } = parts;
  const trust = { chain: chain.trust, passports, delegations, reputationOf, events, proofs };
  const tools: TrustToolDeps = { trust, clock };
  const services = createToolService({
    server: 'commerce',
    title: 'Stoa services',
    version: VERSION,
    instructions: 'Paid services over HTTP.',
    tools: [trustCheckService(tools)],
    paid: { payments, challenger: createChallenger({ chain, clock, random: systemRandom }) },
    onInternalError: (error, name) => parts.notice(`${name}: ${error.message}`),
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
