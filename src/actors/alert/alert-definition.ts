import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import { alertMachine, version } from '../../machines/alert/alert.ts';
import type { AlertReadInput, AlertReading } from '../../machines/alert/alert-context.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { readSubject } from './reading.ts';

/** Actor kind of alerts. */
export const alertKind = { kind: 'alert', machine: alertMachine } as const;

/** An alert runs for months, so its journal keeps only recent rows. */
const KEEP = { rows: 500, ageMs: 7 * DAY_MS } as const;
const READ_MS = 12 * SECOND_MS;
/** Maximum number of concurrent readings per venue. */
const READ_CONCURRENCY = 16;

/** Creates the alert actor with the reading effect that its timers trigger. */
export function defineAlertActor(
  sources: Pick<Services, 'events' | 'feeds' | 'markets' | 'prices'>,
): Definition {
  const read: Effect<AlertReadInput, AlertReading> = {
    // A failed reading is a result too; the next timer retries it.
    attempts: 1,
    timeoutMs: READ_MS,
    limit: {
      max: READ_CONCURRENCY,
      key: ({ subject }) => ('venue' in subject ? subject.venue : subject.kind),
    },
    run: (look, { now, signal }) => readSubject(sources, look, { now, signal }),
  };
  return define({
    kind: alertKind.kind,
    version,
    machine: alertMachine,
    effects: { read },
    keep: KEEP,
  });
}
