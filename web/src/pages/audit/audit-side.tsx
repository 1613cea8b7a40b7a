import type { JSX } from 'preact';
import type { AuditFrame } from '../../../../src/domain/inspect/audit-frame.ts';
import { formatMicroUsd } from '../../journal/format.ts';
import { FactList, ShortName } from '../../parts/facts.tsx';
import { RelativeTime } from '../../parts/times.tsx';

/** Side column of an audit: report, target and consent, seats, requests and how to stop it. */
export function AuditSide({ frame }: AuditProps): JSX.Element {
  return (
    <>
      <Report frame={frame} />
      <Target frame={frame} />
      <Seats frame={frame} />
      <RequestBudget frame={frame} />
      {frame.outcome === null ? <StopInstructions auditId={frame.auditId} /> : null}
    </>
  );
}

interface AuditProps {
  readonly frame: AuditFrame;
}

function Report({ frame: { report, auditId } }: AuditProps): JSX.Element {
  if (report === null) {
    return (
      <section class="panel-box" aria-labelledby="report-title">
        <h2 id="report-title">Report</h2>
        <p class="muted">Not written yet. It will contain the verdicts.</p>
      </section>
    );
  }
  const { confirmed, root, path, signer, anchor } = report;
  const counts = Object.entries(confirmed).filter(([, count]) => count > 0);
  return (
    <section class="panel-box" aria-labelledby="report-title" data-report={path ?? ''}>
      <h2 id="report-title">Report</h2>
      <p class="confirmed">
        {counts.length === 0
          ? 'No finding was confirmed.'
          : counts.map(([severity, count]) => `${count} ${severity}`).join(', ')}
      </p>
      {path === null ? <p class="muted">Not signed yet.</p> : <ReportLinks path={path} />}
      <FactList
        facts={[
          ['Merkle root', <ShortName key="root" name={root} />],
          ['Signed by', signer === null ? null : <ShortName key="signer" name={signer} />],
          ['Anchor', anchor === null ? 'not yet' : formatAnchor(anchor)],
        ]}
      />
      <p>
        <a href={`/v1/proofs/records?ref=${auditId}`} target="_blank" rel="noreferrer">
          Record in the proof log
        </a>
      </p>
    </section>
  );
}

function ReportLinks({ path }: { readonly path: string }): JSX.Element {
  return (
    <p class="report-links">
      <a href={path} target="_blank" rel="noreferrer">
        Page
      </a>
      <a href={`${path}?format=json`} target="_blank" rel="noreferrer">
        JSON, signed
      </a>
      <a href={`${path}?format=sarif`} target="_blank" rel="noreferrer">
        SARIF
      </a>
    </p>
  );
}

function formatAnchor({
  status,
  reason,
}: {
  readonly status: string;
  readonly reason: string | null;
}) {
  const words = status.replaceAll('_', ' ');
  return reason === null ? words : `${words}: ${reason}`;
}

function Target({ frame }: AuditProps): JSX.Element {
  const { origin, pinnedAddress, recon, mode } = frame;
  return (
    <section class="panel-box" aria-labelledby="consent-title">
      <h2 id="consent-title">Target and consent</h2>
      <FactList
        facts={[
          ['Consent', <Consent key="consent" frame={frame} />],
          ['Mode', mode === 'active' ? 'active: calls tools' : 'passive: read-only'],
          ['Origin', <bdi key="origin">{origin}</bdi>],
          ['Pinned address', pinnedAddress],
          ['Tools', recon === null ? null : String(recon.tools)],
          ['Access', recon === null ? null : ACCESS_LABELS[recon.access]],
          ['Comparisons', recon === null ? null : formatComparisons(recon)],
        ]}
      />
    </section>
  );
}

const ACCESS_LABELS = { open: 'open to anyone', refused: 'requires credentials' } as const;

function formatComparisons({ looks, changes }: NonNullable<AuditFrame['recon']>): string {
  if (looks + changes === 0) return 'none yet';
  return `${looks} unchanged, ${changes} changed`;
}

function Consent({ frame: { consent, mode, outcome } }: AuditProps): JSX.Element {
  if (consent === null) {
    if (outcome === 'refused') return <span class="is-bad">refused</span>;
    return <span class="muted">not checked yet</span>;
  }
  if (consent.kind === 'passive') return <>none needed: {mode}</>;
  return (
    <span data-consent={consent.kind}>
      proven by {consent.kind === 'nonce' ? 'a nonce at the origin' : consent.kind}{' '}
      <RelativeTime at={consent.provenAt} />
    </span>
  );
}

function Seats({ frame: { seats } }: AuditProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="seats-title">
      <h2 id="seats-title">Seats</h2>
      <ul class="seats">
        {seats.map(({ seat, role, state, probesDone, probes }) => (
          <li key={seat} class={`seat is-${SEAT_CLASSES[state]}`} data-seat={seat}>
            <span class="seat-dot" aria-hidden="true" />
            <span class="seat-name">
              {seat} <bdi class="muted">{role}</bdi>
            </span>
            <span class="seat-by muted">
              {probes === 0 ? 'no own probes' : `${probesDone} of ${probes} probes`}
            </span>
            <span class="seat-state">{state}</span>
          </li>
        ))}
      </ul>
      <p class="muted">Seats are rule-based programs; they use no language model.</p>
    </section>
  );
}

const SEAT_CLASSES = { waiting: 'waiting', working: 'speaking', done: 'spoken' } as const;

function RequestBudget({
  frame: { requests, requestsMax, priceMicroUsd },
}: AuditProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="spent-title">
      <h2 id="spent-title">Requests and price</h2>
      <p>
        <strong>{requests.toLocaleString('en')}</strong> of {requestsMax.toLocaleString('en')}{' '}
        requests
      </p>
      <meter
        class="cost-meter"
        aria-label="Share of the request budget used"
        min={0}
        max={requestsMax}
        value={Math.min(requests, requestsMax)}
      />
      <p class="muted">Price {formatMicroUsd(priceMicroUsd)}</p>
    </section>
  );
}

function StopInstructions({ auditId }: { readonly auditId: string }): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="stops-title">
      <h2 id="stops-title">Who can stop it</h2>
      <p>
        The owner of the target can stop it with{' '}
        <code class="address">POST /v1/audits/{auditId}/stop</code> and the nonce, or by a file that
        its origin serves. The buyer can cancel it.
      </p>
    </section>
  );
}
