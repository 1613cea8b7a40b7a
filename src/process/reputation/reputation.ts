import { createSignIn } from '../../actors/wallet/sign-in.ts';
import type { WalletNonces } from '../../domain/wallet/wallet-nonces.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { createChallenger } from '../../tools/payment/challenge.ts';
import { trustCheckService } from '../../tools/reputation/trust-check.ts';
import { createToolService } from '../../tools/service/service.ts';
import { eventRoutes } from '../../transport/event/event-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { serviceRoutes } from '../../transport/manifest/service-routes.ts';
import { VERSION } from '../../version.ts';
import type { ServerServices } from '../server/services.ts';

/** The public event feed, the trust tools, and the paid HTTP services. */
export interface OpenReputation {
  readonly routes: readonly FrontRoute[];
}

/** Creates the routes of the event feed and the paid services that use it. */
export function openReputation(
  services: Pick<
    ServerServices,
    | 'baseUrl'
    | 'chain'
    | 'clock'
    | 'config'
    | 'controls'
    | 'delegations'
    | 'events'
    | 'notice'
    | 'origins'
    | 'passports'
    | 'payments'
    | 'proofs'
    | 'random'
    | 'reputationOf'
    | 'trust'
  >,
  nonces: WalletNonces,
): OpenReputation {
  const { config, events, notice, payments } = services;
  const signIn = createSignIn({ ...services, nonces });
  const sold = createToolService({
    server: 'commerce',
    title: 'Stoa services',
    version: VERSION,
    instructions: 'Paid services over HTTP.',
    protocol: 'http',
    tools: [trustCheckService(services)],
    paid: { payments, challenger: createChallenger(services) },
    signIn,
    onInternalError: (error, name) => notice(`${name}: ${error.message}`),
  });
  const routes = [
    ...eventRoutes({ events, clock: systemClock() }),
    ...serviceRoutes({
      services: sold,
      labels: services.controls,
      clock: systemClock(),
      limitsLocalCallers: config.limitLocal,
      signIn,
      baseUrl: services.baseUrl,
    }),
  ];
  return { routes };
}
