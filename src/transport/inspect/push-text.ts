import type { Push } from '../../domain/inspect/wire.ts';

/** Serialised texts of frames and rows that are still referenced. */
const WRITTEN = new WeakMap<object, string>();

/**
 * Serialises a push. Consoles that follow the same topic receive the same frame or rows object, so
 * it is serialised only once.
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
