import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActorRow, PanelLine } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';

/** Panels that are asked for at once: as many as the server tells. */
const AT_ONCE = 100;

/**
 * What the listed panels ask and have decided, by id.
 *
 * @param placeOf - A line is read again when this has changed; the status unless set.
 */
export function usePanelLines(
  rows: readonly ActorRow[],
  placeOf: (row: ActorRow) => string = statusOf,
): ReadonlyMap<string, PanelLine> {
  const connection = useConnection();
  const [lines, setLines] = useState<ReadonlyMap<string, PanelLine>>(new Map());
  const asked = useRef(new Map<string, string>());
  useEffect(() => {
    const wanted = rows.filter((row) => asked.current.get(row.id) !== placeOf(row));
    const next = wanted.slice(0, AT_ONCE);
    if (next.length === 0) return;
    for (const row of next) asked.current.set(row.id, placeOf(row));
    connection.read({ name: 'panels', actorIds: next.map(({ id }) => id) }).then(
      (answer) => {
        const { panels } = answer as unknown as { readonly panels: readonly PanelLine[] };
        setLines(
          (before) => new Map([...before, ...panels.map((line) => [line.id, line] as const)]),
        );
      },
      // The list stays as it is; the next frame asks again.
      () => {
        for (const { id } of next) asked.current.delete(id);
      },
    );
  }, [connection, rows, lines, placeOf]);
  return lines;
}

function statusOf({ status }: ActorRow): string {
  return status;
}
