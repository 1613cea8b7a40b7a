import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditFrame } from '../../../../src/domain/inspect/audit-frame.ts';
import { useTopic } from '../../connection/use-connection.ts';
import { formatDueTime } from '../../journal/format.ts';
import { ErrorState, Loading } from '../../parts/notice.tsx';
import { currentTime, formatDateTime, RelativeTime } from '../../parts/times.tsx';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl } from '../../shell/router.ts';
import { PhaseList } from '../panel/phase-list.tsx';
import { Categories } from './audit-categories.tsx';
import { Findings } from './audit-findings.tsx';
import { Probes } from './audit-probes.tsx';
import { AuditSide } from './audit-side.tsx';
import '../panel/panel.css';
import '../panel/panel-details.css';
import '../trust/trust.css';
import './audit.css';

/** The page of one audit: target, consent, progress, findings and report. */
export function AuditPage({ rest }: PageProps): JSX.Element {
  const actorId = rest.join('/');
  const [frame, setFrame] = useState<AuditFrame | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useTopic(
    { name: 'audit', actorId },
    {
      frame: (next) => {
        setFrame(next);
        setFault(null);
      },
      ended: ({ code, message }) => setFault(`${message} (${code})`),
    },
  );
  if (frame === null) {
    if (fault === null) return <Loading what={actorId} />;
    return <ErrorState title={`The audit ${actorId} cannot be shown`} words={fault} />;
  }
  return (
    <article class="one-panel" data-audit-status={frame.status}>
      <AuditHead frame={frame} fault={fault} />
      <PhaseList phases={frame.phases} phase={frame.phase} />
      <Progress frame={frame} />
      <div class="panel-columns">
        <div class="panel-main">
          <Categories frame={frame} />
          <Findings frame={frame} />
          <Probes frame={frame} />
        </div>
        <div class="panel-side">
          <AuditSide frame={frame} />
        </div>
      </div>
    </article>
  );
}

function AuditHead({
  frame,
  fault,
}: {
  readonly frame: AuditFrame;
  readonly fault: string | null;
}): JSX.Element {
  const { id, status, target, title, mode, createdAt, deadlineAt } = frame;
  return (
    <header class="panel-head">
      <p class="crumbs">
        <a href={consoleUrl(['panels'])}>Panels</a> / {title}
      </p>
      <h1 class="panel-question">
        Audit of <bdi>{target}</bdi>
      </h1>
      <p class="panel-meta">
        <span class={`state-pill is-${status}`}>{status}</span>
        <span>{mode}</span>
        <span>
          started <RelativeTime at={createdAt} />
        </span>
        {deadlineAt === null ? null : (
          <span title={formatDateTime(deadlineAt)}>
            deadline {formatDueTime(deadlineAt, currentTime().value)}
          </span>
        )}
        <a href={consoleUrl(['actor', id])}>
          chart and journal of <bdi>{id}</bdi>
        </a>
      </p>
      {fault === null ? null : (
        <p class="reason" role="alert">
          No longer live: {fault}
        </p>
      )}
    </header>
  );
}

/** Progress of a running audit, or the outcome of a finished one. */
function Progress({ frame }: { readonly frame: AuditFrame }): JSX.Element {
  const { probes, outcome, reason } = frame;
  const done = probes.filter((one) => one.outcome !== 'planned' && one.outcome !== 'running');
  if (outcome !== null) {
    return (
      <p class="audit-outcome" data-outcome={outcome}>
        <strong>{OUTCOME_LABELS[outcome] ?? outcome}</strong>
        {reason === null ? null : (
          <>
            {' '}
            <bdi class="muted">{reason}</bdi>
          </>
        )}
      </p>
    );
  }
  return (
    <div class="audit-progress">
      <progress aria-label="Finished probes" max={Math.max(1, probes.length)} value={done.length} />
      <p>
        {done.length} of {probes.length} probes finished.{' '}
        <span data-running={frame.running?.probeId ?? ''}>{formatRunning(frame)}</span>
      </p>
    </div>
  );
}

function formatRunning({ running, seats, phase }: AuditFrame): string {
  if (running === null) return phase === 'recon' ? 'Examining the target.' : '';
  const seat = seats.find((one) => one.seat === running.seat);
  const who = seat === undefined ? running.seat : `${seat.seat}, the ${seat.role},`;
  switch (running.what) {
    case 'probe':
      return `${who} runs ${running.probeId}.`;
    case 'replay':
      return `${who} is reproducing a finding of ${running.probeId}.`;
    case 'look':
      return 'Checking the target and the proof of control again.';
  }
}

const OUTCOME_LABELS: Readonly<Record<string, string>> = {
  complete: 'All applicable probes ran.',
  deadline: 'The audit reached its deadline.',
  stopped: 'The audit was stopped.',
  cancelled: 'The buyer canceled the audit.',
  target_down: 'The target became unreachable.',
  unassessable: 'Too few probes could run.',
  refused: 'The proof of control was not valid.',
  failed: 'The audit failed because of a server error.',
};
