import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import { alertMachine, version } from '../../machines/alert/alert.ts';
import type { AlertLook, AlertReading } from '../../machines/alert/alert-facts.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';
import { type AlertSources, readSubject } from './reading.ts';

/** Kind of alert actors. */
export const ALERT_KIND = 'alert';

/** An alert reads for months: its journal keeps what people look at. */
const KEEP = { rows: 500, ageMs: 7 * DAY_MS } as const;
const READ_MS = 12 * SECOND_MS;
/** Readings of one venue at once. */
const READS_AT_ONCE = 16;

/** The alert actor: its machine, and the reading that timers ask for. */
export function defineAlertActor(sources: AlertSources): Definition {
  const read: Effect<AlertLook, AlertReading> = {
    // A reading that fails is a reading; the next one is the next try.
    attempts: 1,
    timeoutMs: READ_MS,
    limit: {
      max: READS_AT_ONCE,
      key: ({ subject }) => ('venue' in subject ? subject.venue : subject.kind),
    },
    run: (look, { now, signal }) => readSubject(sources, look, { now, signal }),
  };
  return define({
    kind: ALERT_KIND,
    version,
    machine: alertMachine,
    effects: { read },
    keep: KEEP,
  });
}
