import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActorRow, PanelLine } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';

/** Most panels per read: the server's limit. */
const LINES_PER_READ = 100;

/**
 * Loads the question and decision of the listed panels, by id.
 *
 * @param reloadKeyOf - Returns a key of a row; a changed key reloads its line. Default: the status.
 */
export function usePanelLines(
  rows: readonly ActorRow[],
  reloadKeyOf: (row: ActorRow) => string = statusOf,
): ReadonlyMap<string, PanelLine> {
  const connection = useConnection();
  const [lines, setLines] = useState<ReadonlyMap<string, PanelLine>>(new Map());
  const asked = useRef(new Map<string, string>());
  useEffect(() => {
    const wanted = rows.filter((row) => asked.current.get(row.id) !== reloadKeyOf(row));
    const next = wanted.slice(0, LINES_PER_READ);
    if (next.length === 0) return;
    for (const row of next) asked.current.set(row.id, reloadKeyOf(row));
    connection.read({ name: 'panels', actorIds: next.map(({ id }) => id) }).then(
      ({ panels }) => {
        setLines(
          (before) => new Map([...before, ...panels.map((line) => [line.id, line] as const)]),
        );
      },
      // The list stays unchanged; the next frame retries.
      () => {
        for (const { id } of next) asked.current.delete(id);
      },
    );
  }, [connection, rows, lines, reloadKeyOf]);
  return lines;
}

function statusOf({ status }: ActorRow): string {
  return status;
}
