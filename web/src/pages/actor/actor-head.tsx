import type { JSX } from 'preact';
import type { ActorFrame, ActorPoint } from '../../../../src/domain/inspect/wire.ts';
import type { ActorModel } from '../../journal/actor-model.ts';
import { formatPreciseTime } from '../../journal/format.ts';
import { innermostStates } from '../../journal/states.ts';
import { RelativeTime } from '../../parts/times.tsx';
import { announce } from '../../shell/announcer.tsx';
import { consoleUrl } from '../../shell/router.ts';

interface ActorHeadProps {
  readonly model: ActorModel;
  readonly frame: ActorFrame;
  /** The displayed state: the newest or an older one. */
  readonly point: ActorPoint;
}

/** Identity and current state of an actor. */
export function ActorHead({ model, frame, point }: ActorHeadProps): JSX.Element {
  const isThen = model.travel.at.value !== null;
  return (
    <header class="actor-head">
      <p class="crumbs">
        <a href={consoleUrl(['actors'])}>Actors</a> /{' '}
        <a href={consoleUrl(['machines', point.kind])}>{point.kind}</a>
      </p>
      <div class="actor-name">
        <h1>
          <bdi>{frame.id}</bdi>
        </h1>
        <CopyButton text={frame.id} what="the id" />
        <span class={`state-pill is-${point.status}`}>{point.status}</span>
        {isThen ? (
          <span class="tag is-then">
            as of row {point.seq}, {formatPreciseTime(point.at)}
          </span>
        ) : null}
      </div>
      <dl class="facts">
        <Fact name="State">
          <strong class="actor-state">{innermostStates(point.activeIds).join(', ')}</strong>
        </Fact>
        <Fact name="Created">
          <RelativeTime at={frame.createdAt} />
        </Fact>
        <Fact name="Updated">
          <RelativeTime at={frame.at} />
        </Fact>
        <Fact name="Row">{point.seq.toLocaleString('en')}</Fact>
        <Fact name="Machine version">{point.version}</Fact>
        <Fact name="Queued events">{frame.mailbox}</Fact>
        {point.tags.length === 0 ? null : (
          <Fact name="Tags">
            {point.tags.map((tag) => (
              <span key={tag} class="tag">
                {tag}
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </header>
  );
}

/** A button that copies a text and announces the result. */
export function CopyButton({
  text,
  what,
  words = 'Copy',
}: {
  readonly text: string;
  readonly what: string;
  readonly words?: string;
}): JSX.Element {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied ${what}`);
    } catch {
      announce(`The browser blocked copying ${what}`);
    }
  };
  return (
    <button type="button" class="button is-small is-quiet" onClick={() => void copy()}>
      {words}
      <span class="visually-hidden">: {what}</span>
    </button>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: JSX.Element | JSX.Element[] | string | number;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
