import { systemClock } from '../../runtime/timer/clock.ts';
import { openChain } from '../chain/open-chain.ts';
import { openDataSources } from '../data/data-sources.ts';
import { openModels } from '../llm/models.ts';
import { openEgress } from '../net/egress.ts';
import { rejectForeignKey } from '../proof/proofs.ts';
import { openTelemetry, type Running } from '../telemetry/telemetry.ts';
import { openEnvironment } from './environment.ts';
import { UNMONITORED } from './process-monitor.ts';
import { PublicOrigin } from './public-origin.ts';
import type { ServerServices } from './services.ts';
import { openStores } from './stores.ts';
import { systemRandom } from './system.ts';

/** The services that exist before the first port opens. */
export type InitialServices = Pick<
  ServerServices,
  'closers' | 'config' | 'lock' | 'notice' | 'overrides' | 'shutdown' | 'token'
>;

const loadTestControl = () => import('../test-control/test-control-server.ts');

/** Opens what actors use of the outside: chain, stores, models, telemetry and data sources. */
export async function openPorts(initial: InitialServices) {
  const { closers, config, notice, overrides } = initial;
  const environment = await openEnvironment(config, loadTestControl);
  const { clock } = environment;
  const own = await openChain({ ...initial, clock });
  const store = environment.stores(openStores(config, clock, closers));
  await rejectForeignKey(store.proofs);
  const llm = environment.llm(await openModels(config, systemClock(), notice));
  const chain = environment.chain(own);
  const origin = new PublicOrigin(config.publicUrl);
  const running: Running = { isClosing: false };
  const telemetry = await openTelemetry({
    ...initial,
    chain,
    clock,
    running,
    store: { ...store, proofs: store.proofs.log },
    stalls: (overrides.watch ?? UNMONITORED).stalls,
  });
  closers.add(telemetry.close);
  const ports = {
    ...initial,
    chain,
    clock,
    environment,
    llm,
    origin,
    running,
    store,
    telemetry,
    random: systemRandom,
    blobs: store.blobs,
    events: store.trust.events,
    proofs: store.proofs.log,
    trust: chain.trust,
    baseUrl: origin.known,
    origins: origin.own,
  };
  const egress = openEgress(ports);
  return { ...ports, egress, ...openDataSources({ ...ports, egress }) };
}
