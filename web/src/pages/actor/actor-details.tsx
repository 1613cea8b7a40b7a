import type { ComponentChildren, JSX } from 'preact';
import type {
  ActorFrame,
  ActorPoint,
  EffectLine,
  PossibleEvent,
  TimerLine,
} from '../../../../src/domain/inspect/wire.ts';
import type { ActorModel } from '../../journal/actor-model.ts';
import { formatCause, formatDueTime } from '../../journal/format.ts';
import { ValueTree } from '../../journal/value-tree.tsx';
import { currentTime, formatDateTime } from '../../parts/times.tsx';
import { DeadLetters } from './actor-dead-letters.tsx';

interface ActorDetailsProps {
  readonly model: ActorModel;
  readonly frame: ActorFrame;
  readonly point: ActorPoint;
}

/** Possible events, pending timers and effects, and context at the displayed row. */
export function ActorDetails({ model, frame, point }: ActorDetailsProps): JSX.Element {
  const isThen = model.travel.at.value !== null;
  return (
    <div class="details">
      <Section id="possible" title="Possible now" count={point.possible.length}>
        <PossibleList possible={point.possible} />
      </Section>
      <Section id="timers" title="Timers" count={point.timers.length}>
        <TimerList timers={point.timers} thenAt={isThen ? point.at : null} />
      </Section>
      <Section id="effects" title="Running effects" count={point.effects.length}>
        <EffectList effects={point.effects} />
      </Section>
      {frame.deadLetters.length === 0 ? null : (
        <Section id="dead-letters" title="Dead letters" count={frame.deadLetters.length}>
          <DeadLetters letters={frame.deadLetters} />
        </Section>
      )}
      <Section id="row" title={`Row ${point.seq}`}>
        <RowDetails point={point} />
      </Section>
      <Section id="context" title="Context">
        <ValueTree key={point.id} value={point.context} />
      </Section>
      {point.output === null || point.output === undefined ? null : (
        <Section id="output" title="Output">
          <ValueTree value={point.output} />
        </Section>
      )}
    </div>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}

function Section({ id, title, count, children }: SectionProps): JSX.Element {
  return (
    <section class="detail" aria-labelledby={`${id}-title`} data-section={id}>
      <h2 id={`${id}-title`}>
        {title}
        {count === undefined ? null : <span class="quiet"> {count}</span>}
      </h2>
      {count === 0 ? <p class="quiet">None.</p> : children}
    </section>
  );
}

function PossibleList({ possible }: { readonly possible: readonly PossibleEvent[] }): JSX.Element {
  return (
    <ul class="lines">
      {possible.map((one) => (
        <li key={one.transitionId} class="line" data-possible={one.transitionId}>
          <code class={`trigger is-${one.trigger}`}>{one.label}</code>
          {one.guard === null ? null : <span class="guard">if {one.guard}</span>}
          <span class="line-end">
            {one.targetIds.length === 0 ? 'stays' : `→ ${one.targetIds.join(', ')}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function TimerList({
  timers,
  thenAt,
}: {
  readonly timers: readonly TimerLine[];
  readonly thenAt: number | null;
}): JSX.Element {
  const now = thenAt ?? currentTime().value;
  return (
    <ul class="lines">
      {timers.map(({ timerId, due, eventType }) => (
        <li key={timerId} class="line">
          <code>{eventType}</code>
          <span class="line-end">
            {formatDueTime(due, now)}
            {thenAt === null ? '' : ' from this row'}
            {' · '}
            <time class="quiet" dateTime={new Date(due).toISOString()}>
              {formatDateTime(due)}
            </time>
          </span>
        </li>
      ))}
    </ul>
  );
}

function EffectList({ effects }: { readonly effects: readonly EffectLine[] }): JSX.Element {
  return (
    <ul class="lines">
      {effects.map(({ src, childId, attempt, waiting }) => (
        <li key={childId} class="line">
          <code>{src}</code>
          <bdi class="quiet effect-child">{childId}</bdi>
          <span class="line-end">
            {waiting
              ? 'waiting for an external answer'
              : attempt === 0
                ? 'starting'
                : `attempt ${attempt}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function RowDetails({ point }: { readonly point: ActorPoint }): JSX.Element {
  const { last } = point;
  if (last === null) return <p class="quiet">The first row: the actor was created.</p>;
  return (
    <dl class="row-details">
      {last.entry === 'event' ? null : (
        <DetailRow name="Kind">
          <span class={`entry is-${last.entry}`}>{last.entry}</span> state unchanged
        </DetailRow>
      )}
      <DetailRow name="Event">
        <ValueTree value={last.event} />
      </DetailRow>
      <DetailRow name="Cause">{formatCause(last.cause)}</DetailRow>
      <DetailRow name="Transitions">
        <CodeList texts={last.transitionIds} none="no transition" />
      </DetailRow>
      <DetailRow name="Exited">
        <CodeList texts={last.leftIds} none="no state" />
      </DetailRow>
    </dl>
  );
}

function DetailRow({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface CodesProps {
  readonly texts: readonly string[];
  /** Text for an empty list. */
  readonly none: string;
}

function CodeList({ texts, none }: CodesProps): JSX.Element {
  if (texts.length === 0) return <span class="quiet">{none}</span>;
  return (
    <>
      {texts.map((text) => (
        <code key={text} class="one-code">
          {text}
        </code>
      ))}
    </>
  );
}
