import type { ComponentType, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ActorFrame } from '../../../../src/domain/inspect/wire.ts';
import { useConnection, useTopic } from '../../connection/use-connection.ts';
import { formatMicroUsd } from '../../journal/format.ts';
import { FactList, ShortName, WideTable } from '../../parts/facts.tsx';
import { ErrorState, Loading } from '../../parts/notice.tsx';
import { currentTime, RelativeTime } from '../../parts/times.tsx';
import { InertDrawing } from '../../reports/inert-drawing.tsx';
import {
  extractReportFacts,
  type ReportFacts,
  type StepView,
  stepDrawing,
} from '../../reports/report-facts.ts';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl } from '../../shell/router.ts';
import '../panel/panel.css';
import './report.css';
import '../trust/trust.css';

/** The page of one report: progress and outcome; the answer only if the operator allows it. */
export function ReportPage({ rest }: PageProps): JSX.Element {
  const actorId = rest.join('/');
  const [frame, setFrame] = useState<ActorFrame | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useTopic(
    { name: 'actor', actorId },
    {
      frame: (next) => {
        setFrame(next);
        setFault(null);
      },
      ended: ({ code, message }) => setFault(`${message} (${code})`),
    },
  );
  if (frame === null || frame.kind !== 'report') {
    const isOther = frame !== null;
    if (fault === null && !isOther) return <Loading what="the report" />;
    const words = isOther ? `It is a ${frame.kind}.` : (fault ?? '');
    return <ErrorState title="This report cannot be shown" words={words} />;
  }
  return <Report frame={frame} fault={fault} />;
}

function Report({
  frame,
  fault,
}: {
  readonly frame: ActorFrame;
  readonly fault: string | null;
}): JSX.Element {
  const isOver = frame.status !== 'active';
  const facts = extractReportFacts(frame, isOver ? frame.at : currentTime().value);
  return (
    <article class="one-panel" data-report-status={frame.status}>
      <header class="panel-head">
        <p class="crumbs">
          <a href={consoleUrl(['reports'])}>Reports</a> / {facts.kind}
        </p>
        <h1 class="panel-question">{facts.tool}</h1>
        <p class="panel-meta">
          <span class={`state-pill is-${frame.status}`}>{frame.status}</span>
          <span>
            ordered <RelativeTime at={frame.createdAt} />
          </span>
          <a href={consoleUrl(['actor', frame.id])}>
            chart and journal of <ShortName name={frame.id} />
          </a>
        </p>
        {fault === null ? null : (
          <p class="reason" role="alert">
            No longer live: {fault}
          </p>
        )}
      </header>
      <div class="panel-columns">
        <div class="panel-main">
          <Steps facts={facts} />
          <Answer frame={frame} facts={facts} />
        </div>
        <div class="panel-side">
          <section class="panel-box" aria-labelledby="report-facts">
            <h2 id="report-facts">Facts</h2>
            <FactList
              facts={[
                ['Price', formatMicroUsd(facts.priceMicroUsd)],
                ['Outcome', facts.outcome?.replaceAll('_', ' ') ?? null],
                ['Charged', frame.status === 'active' ? null : facts.isAnswered ? 'yes' : 'no'],
                ['Steps', `${finishedSteps(facts.steps).length} of ${facts.steps.length}`],
              ]}
            />
          </section>
        </div>
      </div>
    </article>
  );
}

function finishedSteps(steps: readonly StepView[]): readonly StepView[] {
  return steps.filter(({ status }) => status === 'done' || status === 'failed');
}

function Steps({ facts: { steps } }: { readonly facts: ReportFacts }): JSX.Element {
  const svg = useMemo(() => stepDrawing(steps), [steps]);
  return (
    <section class="panel-box" aria-labelledby="report-steps">
      <h2 id="report-steps">Steps</h2>
      <progress
        class="report-progress"
        aria-label="Finished steps"
        max={Math.max(1, steps.length)}
        value={finishedSteps(steps).length}
      />
      {steps.length === 0 ? <p class="muted">Planning.</p> : null}
      {steps.length === 0 ? null : <InertDrawing svg={svg} />}
      {steps.some(({ fault }) => fault !== null) ? <FailedSteps steps={steps} /> : null}
    </section>
  );
}

function FailedSteps({ steps }: { readonly steps: readonly StepView[] }): JSX.Element {
  return (
    <WideTable label="Failed steps" heads={['Step', 'Upstream', 'Code']}>
      {steps.map(({ id, title, fault }) =>
        fault === null ? null : (
          <tr key={id} data-fault={fault.code}>
            <td>{title}</td>
            <td>
              <bdi>{fault.upstream}</bdi>
            </td>
            <td>{fault.code}</td>
          </tr>
        ),
      )}
    </WideTable>
  );
}

type AnswerPart = ComponentType<{ readonly id: string }>;

/** Loads the component for answers only if it may be shown. */
function useAnswerPart(isWanted: boolean): AnswerPart | null {
  const [part, setPart] = useState<{ readonly Part: AnswerPart } | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    void import('../../reports/report-answer.tsx').then(({ ReportAnswer }) =>
      setPart({ Part: ReportAnswer }),
    );
  }, [isWanted]);
  return part?.Part ?? null;
}

function Answer({
  frame: { id, status },
  facts,
}: {
  readonly frame: ActorFrame;
  readonly facts: ReportFacts;
}): JSX.Element {
  const mayShow = useConnection().hello.value?.actions.includes('reports') === true;
  const isThere = facts.isAnswered && status === 'done';
  const Part = useAnswerPart(mayShow && isThere);
  return (
    <section class="panel-box" aria-labelledby="report-answer" data-may-show={mayShow}>
      <h2 id="report-answer">Answer</h2>
      {isThere ? null : (
        <p class="muted">
          {status === 'active' ? 'Not written yet.' : 'No answer; the buyer is refunded.'}
        </p>
      )}
      {mayShow || !isThere ? null : (
        <p class="muted">
          Question and answer belong to the buyer. To show both in the console, start the server
          with <code>--console-actions reports</code>.
        </p>
      )}
      {Part === null ? null : <Part id={id} />}
    </section>
  );
}
