import { toJson } from '../../domain/common/json.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';
import { emptyResult, type Lens } from './lenses.ts';
import { createOwnSource } from './posture.ts';

/** Share of lost disputes from which a record is bad. */
const LOST_SHARE = 0.2;

/**
 * Reports the delivery history of the vendor's wallet: settled jobs, disputes, and refunds on this
 * server.
 */
export const delivery: Lens = async ({ wallet }, { reputationOf, clock }) => {
  if (wallet === undefined) {
    return emptyResult('no_data', 'No wallet was given, so there is no record to check.');
  }
  const record = await reputationOf(wallet);
  const source = createOwnSource(`urn:stoa:reputation:${wallet}`, toJson(record), clock.now());
  const searched = [`public events 0 to ${record.as_of.events} of this server`];
  const { settled_jobs: settled, lost_disputes: lost, unfulfilled, refunds } = record;
  if (settled + refunds + unfulfilled + record.disputes === 0) {
    return emptyResult('no_data', 'This wallet has no jobs on this server.', {
      searched,
      sources: [source],
    });
  }
  const bad = lost + unfulfilled;
  const severity = bad === 0 ? 'info' : bad >= settled * LOST_SHARE ? 'high' : 'medium';
  const findings: LensResult['findings'] = [
    {
      rule: 'delivery_record',
      severity,
      cited: [0],
      claim:
        `${settled} jobs settled, ${record.disputes} disputed, ${lost} disputes lost, ` +
        `${unfulfilled} not delivered, ${refunds} refunded; score ${record.score}.`,
    },
  ];
  return {
    status: 'ok',
    note: null,
    findings,
    figures: [],
    searched,
    sources: [source],
    faults: [],
  };
};
