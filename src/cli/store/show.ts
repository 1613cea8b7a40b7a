import type { SyncEngineStore } from '../../runtime/engine/ports.ts';
import type { DeadLetter, EffectRow, JournalEntry, TimerRow } from '../../runtime/engine/types.ts';
import { lastKnownActor } from '../../runtime/journal/replay.ts';
import type { Input } from '../common/usage.ts';
import type { STORE } from '../usage/store.ts';
import { parseCount, readStore, unknownActor } from './read-store.ts';

/** Dead letters that are searched for those of the actor. */
const LETTERS_MAX = 10_000;

/** An actor as its rows tell, without its machine. */
interface StoredView {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly seq: number;
  readonly at: string;
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly timers: readonly TimerRow[];
  readonly effects: readonly EffectRow[];
  readonly deadLetters: readonly DeadLetter[];
  readonly journal: readonly JournalEntry[];
}

/** `stoa store show`: shows an actor after a row, with its journal. */
export async function show(asked: Input<typeof STORE.storeShow>): Promise<number> {
  const { folder, id, at, rows, json } = asked;
  const seq = at === undefined ? Number.MAX_SAFE_INTEGER : parseCount('at', at, 2 ** 48);
  const rowsMax = parseCount('rows', rows, LETTERS_MAX);
  const view = await readStore(folder, (store) => viewOf(store, { folder, id, seq, rowsMax }));
  process.stdout.write(json ? `${JSON.stringify(view)}\n` : format(view));
  return 0;
}

function viewOf(
  store: SyncEngineStore,
  { folder, id, seq, rowsMax }: { folder: string; id: string; seq: number; rowsMax: number },
): StoredView {
  const stored = store.loadAt(id, seq);
  if (stored === undefined) throw unknownActor(folder, id);
  const { kind, version } = stored.snapshot;
  const known = lastKnownActor(stored);
  const { value, context, output, error, status } = known.snapshot;
  const isNewest = seq === Number.MAX_SAFE_INTEGER;
  return {
    id,
    kind,
    version: stored.tail.at(-1)?.version ?? version,
    seq: known.seq,
    at: new Date(known.at).toISOString(),
    status: known.stuck ? 'stuck' : status,
    value,
    context,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    // Attempts of running effects are in their own rows, which are those of now.
    timers: isNewest ? stored.timers : [...known.timers.values()],
    effects: isNewest ? stored.effects : [...known.effects.values()],
    deadLetters: store.deadLetters(undefined, LETTERS_MAX).rows.filter((one) => one.actorId === id),
    journal: store.readJournal(id, Math.max(1, known.seq - rowsMax + 1), rowsMax),
  };
}

function format(view: StoredView): string {
  const { id, kind, version, seq, at, status, value, context, output, error } = view;
  const lines = [
    `${id}  ${kind} version ${version}  ${status}  row ${seq}  ${at}`,
    `state    ${JSON.stringify(value)}`,
    `context  ${JSON.stringify(context)}`,
    ...(output === undefined ? [] : [`output   ${JSON.stringify(output)}`]),
    ...(error === undefined ? [] : [`error    ${JSON.stringify(error)}`]),
    ...view.timers.map(({ timerId, due }) => `timer    ${timerId}, ${new Date(due).toISOString()}`),
    ...view.effects.map(({ src, attempt, waiting }) => {
      return `effect   ${src}, ${waiting ? 'waits for its result' : `attempt ${attempt}`}`;
    }),
    ...view.deadLetters.map(({ deadLetterId, event, reason }) => {
      return `letter   ${deadLetterId}  ${event.type}  ${reason.replaceAll(/\s+/g, ' ')}`;
    }),
    'journal',
    ...view.journal.map(formatEntry),
  ];
  return `${lines.join('\n')}\n`;
}

function formatEntry({ seq, at, entry, event, cause, value }: JournalEntry): string {
  const mark = entry === 'event' ? '' : ` (${entry})`;
  const time = new Date(at).toISOString();
  return `  ${seq}  ${time}  ${event.type}${mark}  by ${cause.by}  ${JSON.stringify(value)}`;
}
