import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DeadLetterLine } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';
import { Confirm } from '../../journal/confirm.tsx';
import { Text } from '../../journal/value-tree.tsx';
import { eventWords } from '../../journal/words.ts';
import { RelativeTime } from '../../parts/times.tsx';
import { announce } from '../../shell/announcer.tsx';

/** Events that the actor could not take; they can be tried again where the operator allows it. */
export function DeadLetters({
  letters,
}: {
  readonly letters: readonly DeadLetterLine[];
}): JSX.Element {
  const connection = useConnection();
  const [asked, setAsked] = useState<DeadLetterLine | null>(null);
  const mayRetry = connection.hello.value?.actions.includes('retry') === true;
  return (
    <>
      <ul class="lines">
        {letters.map((letter) => (
          <li key={letter.deadLetterId} class="line is-wrapped">
            <code>{eventWords(letter.event)}</code>
            <span class="line-end">
              <RelativeTime at={letter.at} />
            </span>
            <span class="dead-reason">
              <Text text={letter.reason} />
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
        <Confirm
          title="Give this event to the actor again?"
          words="Retry it"
          run={async () => {
            await connection.act({ name: 'retry', deadLetterId: asked.deadLetterId });
            announce('The event was given to the actor again');
          }}
          close={() => setAsked(null)}
        >
          <p>
            The event <code>{eventWords(asked.event)}</code> goes to <bdi>{asked.actorId}</bdi> once
            more, as it was. Its journal says that it was retried from a console. A stuck actor goes
            on if the event is taken.
          </p>
        </Confirm>
      )}
    </>
  );
}
