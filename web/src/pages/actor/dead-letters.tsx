import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ReadResults } from '../../../../src/domain/inspect/wire.ts';
import { errorMessage } from '../../connection/request-error.ts';
import { useConnection, useTopic } from '../../connection/use-connection.ts';
import { EmptyState, ErrorState, Loading } from '../../parts/notice.tsx';
import { PageLinks } from '../../reads/page-links.tsx';
import { DeadLetters } from './actor-dead-letters.tsx';
import './actor.css';

type Page = ReadResults['dead_letters'];

/** All events that actors failed to process, oldest first, with a retry. */
export function DeadLettersPage(): JSX.Element {
  const connection = useConnection();
  const [cursor, setCursor] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [page, setPage] = useState<Page | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  // A row of the journal announces each new letter, and each retry.
  useTopic(
    { name: 'feed' },
    {
      rows: (rows) => {
        const isNews = rows.some(
          ({ entry, cause }) => entry === 'poison' || cause['by'] === 'retry',
        );
        if (isNews) setRound((before) => before + 1);
      },
    },
  );
  useEffect(() => {
    let isNewest = true;
    connection.read({ name: 'dead_letters', ...(cursor === null ? {} : { cursor }) }).then(
      (read) => isNewest && setPage(read),
      (thrown: unknown) => isNewest && setFault(errorMessage(thrown)),
    );
    return () => {
      isNewest = false;
    };
  }, [connection, cursor, round]);
  return (
    <>
      <div class="page-head">
        <h1>Dead letters</h1>
        <p class="muted">Events and effects that failed for good. A retry delivers them again.</p>
      </div>
      {fault === null ? (
        <Letters page={page} isFirst={cursor === null} go={setCursor} />
      ) : (
        <ErrorState title="The dead letters could not be loaded" words={fault} />
      )}
    </>
  );
}

function Letters(props: {
  readonly page: Page | null;
  readonly isFirst: boolean;
  go(cursor: string | null): void;
}): JSX.Element {
  const { page, isFirst, go } = props;
  if (page === null) return <Loading what="the dead letters" />;
  if (page.rows.length === 0 && isFirst) return <EmptyState title="No dead letters" />;
  return (
    <section aria-label="Dead letters">
      <DeadLetters letters={page.rows} withActor={true} />
      <PageLinks
        next={page.cursor ?? null}
        isFirst={isFirst}
        go={go}
        words={{ first: 'Oldest', next: 'Newer' }}
      />
    </section>
  );
}
