/** What the rows of each key family have besides their key. */
const CONTENTS = {
  journal: 'text',
  feed: 'text',
  snapshots: 'text',
  timers: 'text',
  due: 'nothing',
  effects: 'text',
  crashes: 'text',
  outbox: 'text',
  idempotency: 'text',
  expiry: 'nothing',
  dead: 'text',
  index: 'text',
  ended: 'nothing',
  facets: 'nothing',
  waiting: 'text',
  lanes: 'nothing',
  waitingIds: 'text',
  slots: 'text',
  rates: 'text',
  ratesDue: 'nothing',
  schedules: 'text',
  search: 'nothing',
  systems: 'text',
  marks: 'text',
} as const;

/** Name of a key family of an engine store. */
export type EngineFamily = keyof typeof CONTENTS;

/** Names of all key families. Each row of them has a checksum. */
export const ENGINE_FAMILIES: ReadonlySet<string> = new Set(Object.keys(CONTENTS));

/** Names of the families whose rows are keys without a text. */
export const KEY_ONLY: ReadonlySet<string> = new Set(
  Object.entries(CONTENTS).flatMap(([name, content]) => (content === 'nothing' ? [name] : [])),
);

/** Whether a text without a checksum can be what an older program has written. */
export function isOlderText(text: string, family: string): boolean {
  if (KEY_ONLY.has(family)) return text === '';
  if (family === 'marks') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
