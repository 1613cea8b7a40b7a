import type { Service } from '../../../domain/hosting/records.ts';
import { isSuspendedByCrashes } from '../../../domain/hosting/suspension.ts';
import { serviceMachine, version } from '../../../machines/hosting/service/service.ts';
import { define } from '../../../runtime/engine/define.ts';
import type { Definition, Migration } from '../../../runtime/engine/types.ts';
import { KEEP } from './effects.ts';

/** Actor kind of services. */
export const serviceKind = { kind: 'service', machine: serviceMachine } as const;

/** Creates the actor definition of services, which have no effects. */
export function defineService(): Definition {
  return define({
    ...serviceKind,
    version,
    effects: {},
    migrations: [serviceFromVersion1, serviceFromVersion2],
    keep: KEEP,
  });
}

/** Migrates a service from version 1, which did not track disk usage. */
export const serviceFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, ...rows }) => {
    const context = { ...snapshot.context, isDiskHigh: false };
    return { snapshot: { ...snapshot, context }, ...rows };
  },
};

/**
 * Migrates a service from version 2, which did not record the request of the current deploy. A
 * service suspended by crashes can be deployed again.
 */
export const serviceFromVersion2: Migration = {
  from: 2,
  migrate: ({ snapshot, ...rows }) => {
    const context = { ...snapshot.context, currentAsk: null, isYielding: false };
    // Every version stored the record of the service.
    const service = snapshot.context['service'] as Service;
    const isOut = snapshot.value === 'suspended' && isSuspendedByCrashes(service);
    const value = isOut ? 'active' : snapshot.value;
    return { snapshot: { ...snapshot, context, value }, ...rows };
  },
};
