import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PanelFrame } from '../../../../src/domain/inspect/wire.ts';
import { useTopic } from '../../connection/use-connection.ts';
import { formatDueTime, formatMicroUsd } from '../../journal/format.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';
import { ErrorState, Loading } from '../../parts/notice.tsx';
import { currentTime, formatDateTime, RelativeTime } from '../../parts/times.tsx';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl } from '../../shell/router.ts';
import { ArbitrationParts } from './arbitration-details.tsx';
import { CouncilParts } from './council-details.tsx';
import { appendLiveText, dropFinished, type LiveText } from './live-text.ts';
import './panel-details.css';
import '../trust/trust.css';
import { PanelDecided, PanelTally } from './panel-result.tsx';
import { PanelSeats, PanelTurns } from './panel-turns.tsx';
import { PhaseList } from './phase-list.tsx';
import './panel.css';

/** Number of characters of the question shown initially. */
const QUESTION_SHOWN = 600;

/** The page of one panel: seats, turns, tally, decision and cost. */
export function PanelPage({ rest }: PageProps): JSX.Element {
  const actorId = rest.join('/');
  const [frame, setFrame] = useState<PanelFrame | null>(null);
  const [speech, setSpeech] = useState<LiveText>(new Map());
  const [fault, setFault] = useState<string | null>(null);
  useTopic(
    { name: 'panel', actorId },
    {
      frame: (next) => {
        setFrame(next);
        setFault(null);
        setSpeech((before) => dropFinished(before, next.seats));
      },
      liveText: (event) => setSpeech((before) => appendLiveText(before, event)),
      ended: ({ code, message }) => setFault(`${message} (${code})`),
    },
  );
  if (frame === null) {
    if (fault === null) return <Loading what={actorId} />;
    return <ErrorState title={`The panel ${actorId} cannot be shown`} words={fault} />;
  }
  return (
    <article class="one-panel" data-panel-status={frame.status}>
      <PanelHead frame={frame} fault={fault} />
      <PhaseList phases={frame.phases} phase={frame.phase} />
      <div class="panel-columns">
        <div class="panel-main">
          <PanelDecided frame={frame} />
          <PanelParts frame={frame} />
          <PanelTurns frame={frame} speech={speech} />
        </div>
        <div class="panel-side">
          <PanelSeats seats={frame.seats} />
          <PanelTally frame={frame} />
          <Cost frame={frame} />
        </div>
      </div>
    </article>
  );
}

function PanelHead({
  frame,
  fault,
}: {
  readonly frame: PanelFrame;
  readonly fault: string | null;
}): JSX.Element {
  return (
    <header class="panel-head">
      <p class="crumbs">
        <a href={consoleUrl(['panels'])}>Panels</a> / {frame.title}
      </p>
      <h1 class="panel-question">
        <TruncatedText text={frame.question} shownChars={QUESTION_SHOWN} />
      </h1>
      <p class="panel-meta">
        <span class={`state-pill is-${frame.status}`}>{frame.status}</span>
        <span>
          started <RelativeTime at={frame.createdAt} />
        </span>
        <Deadline frame={frame} />
        <a href={consoleUrl(['actor', frame.id])}>
          chart and journal of <bdi>{frame.id}</bdi>
        </a>
      </p>
      {fault === null ? null : (
        <p class="reason" role="alert">
          No longer live: {fault}
        </p>
      )}
      <ol class="options" aria-label="Options">
        {frame.options.map((option, index) => (
          <li key={option}>
            <span class="option-number">{index + 1}</span> <TruncatedText text={option} />
          </li>
        ))}
      </ol>
    </header>
  );
}

function Deadline({ frame }: { readonly frame: PanelFrame }): JSX.Element | null {
  const { deadlineAt, status } = frame;
  if (deadlineAt === null || status !== 'active') return null;
  return (
    <span title={formatDateTime(deadlineAt)}>
      deadline {formatDueTime(deadlineAt, currentTime().value)}
    </span>
  );
}

function Cost({ frame: { cost } }: { readonly frame: PanelFrame }): JSX.Element {
  const budget = cost.budgetMicroUsd === null ? null : Number(cost.budgetMicroUsd);
  return (
    <section class="panel-box" aria-labelledby="cost-title">
      <h2 id="cost-title">Cost</h2>
      <p>
        <strong>{formatMicroUsd(cost.microUsd)}</strong>
        {cost.budgetMicroUsd === null ? '' : ` of ${formatMicroUsd(cost.budgetMicroUsd)}`}
      </p>
      {budget === null || budget <= 0 ? null : (
        <meter
          class="cost-meter"
          aria-label="Share of the budget spent"
          min={0}
          max={budget}
          value={Math.min(budget, Number(cost.microUsd))}
        />
      )}
      <p class="muted">
        {cost.turns} turns, {cost.tokensIn.toLocaleString('en')} tokens in,{' '}
        {cost.tokensOut.toLocaleString('en')} out
      </p>
    </section>
  );
}

/** Sections specific to the kind of panel. */
function PanelParts({ frame: { details } }: { readonly frame: PanelFrame }) {
  switch (details?.kind) {
    case 'council':
      return <CouncilParts details={details} />;
    case 'arbitration':
      return <ArbitrationParts details={details} />;
    case undefined:
      return null;
  }
}
