import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DeadLetterLine } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';
import { ConfirmDialog } from '../../journal/confirm.tsx';
import { formatEvent } from '../../journal/format.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { announce } from '../../shell/announcer.tsx';
import { consoleUrl } from '../../shell/router.ts';

/** Events that the actor failed to process, with a retry button if the operator allows it. */
export function DeadLetters({
  letters,
  withActor = false,
}: {
  readonly letters: readonly DeadLetterLine[];
  /** Names the actor of each letter. */
  readonly withActor?: boolean;
}): JSX.Element {
  const connection = useConnection();
  const [asked, setAsked] = useState<DeadLetterLine | null>(null);
  const mayRetry = connection.hello.value?.actions.includes('retry') === true;
  return (
    <>
      <ul class="lines">
        {letters.map((letter) => (
          <li key={letter.deadLetterId} class="line is-wrapped">
            <code>{formatEvent(letter.event)}</code>
            {withActor ? (
              <a class="mono" href={consoleUrl(['actor', letter.actorId])}>
                {letter.actorId}
              </a>
            ) : null}
            <span class="line-end">
              <RelativeTime at={letter.at} />
            </span>
            <span class="dead-reason">
              <TruncatedText text={letter.reason} />
            </span>
            {mayRetry ? (
              <button type="button" class="button is-small" onClick={() => setAsked(letter)}>
                Retry …
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {asked === null ? null : (
        <ConfirmDialog
          title="Retry this event?"
          confirmLabel="Retry"
          run={async () => {
            await connection.act({ name: 'retry', deadLetterId: asked.deadLetterId });
            announce('Event delivered again');
          }}
          close={() => setAsked(null)}
        >
          <p>
            Delivers the unchanged event <code>{formatEvent(asked.event)}</code> to{' '}
            <bdi>{asked.actorId}</bdi> again. Its journal records that it was retried from a
            console. A stuck actor continues if it accepts the event.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
