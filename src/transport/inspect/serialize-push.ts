import type { Push } from '../../domain/inspect/wire.ts';

/** Serialised texts of frames and rows that are still referenced. */
const SERIALIZED = new WeakMap<object, string>();

/**
 * Serialises a push. Consoles that follow the same topic receive the same frame or rows object, so
 * it is serialised only once.
 */
export function serializePush(push: Push): string {
  const { sub, kind } = push;
  switch (kind) {
    case 'frame':
      return `{"sub":${sub},"kind":"frame","frame":${serializeOnce(push.frame)}}`;
    case 'rows':
      return (
        `{"sub":${sub},"kind":"rows","rows":${serializeOnce(push.rows)},` +
        `"nextSeq":${push.nextSeq}}`
      );
    case 'shown':
    case 'ended':
      return JSON.stringify(push);
  }
}

function serializeOnce(value: object): string {
  const known = SERIALIZED.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  SERIALIZED.set(value, text);
  return text;
}
