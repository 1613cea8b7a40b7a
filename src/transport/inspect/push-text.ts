import type { Push } from '../../domain/inspect/wire.ts';

/** What was written of frames and rows that are still about. */
const WRITTEN = new WeakMap<object, string>();

/**
 * Writes a push as it goes on the wire. Consoles that follow the same thing are pushed the same
 * frame or the same list of rows: it is written once for all of them.
 */
export function pushText(push: Push): string {
  const { sub, kind } = push;
  switch (kind) {
    case 'frame':
      return `{"sub":${sub},"kind":"frame","frame":${written(push.frame)}}`;
    case 'rows':
      return `{"sub":${sub},"kind":"rows","rows":${written(push.rows)},"nextSeq":${push.nextSeq}}`;
    case 'shown':
    case 'ended':
      return JSON.stringify(push);
  }
}

function written(value: object): string {
  const known = WRITTEN.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  WRITTEN.set(value, text);
  return text;
}
