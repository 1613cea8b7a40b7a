import type { JSX } from 'preact';
import type { AuditFinding, AuditFrame } from '../../../../src/domain/inspect/audit-frame.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';

/** Number of findings shown initially. */
const SHOWN_FIRST = 25;

/** The findings, most severe first. Only findings that a second seat reproduced count. */
export function Findings({
  frame: { findings, report },
}: {
  readonly frame: AuditFrame;
}): JSX.Element {
  const { shown, more } = useShowMore(findings, SHOWN_FIRST);
  const counted = findings.filter(({ status }) => status === 'confirmed').length;
  return (
    <section aria-labelledby="findings-title">
      <h2 id="findings-title">Findings</h2>
      {findings.length === 0 ? (
        <p class="muted">{report === null ? 'None so far.' : 'None.'}</p>
      ) : (
        <p class="muted">
          {counted} of {findings.length} confirmed. Only findings that another seat reproduced
          count.
        </p>
      )}
      <ul class="finding-list">
        {shown.map((finding) => (
          <Finding key={finding.findingId} finding={finding} />
        ))}
      </ul>
      {more}
    </section>
  );
}

function Finding({ finding }: { readonly finding: AuditFinding }): JSX.Element {
  const { findingId, severity, status, title, tool, category, probeId, remediation } = finding;
  return (
    <li class={`finding is-${status}`} data-finding={findingId} data-replay={finding.replay}>
      <p class="finding-head">
        <span class={`severity is-${severity}`}>{severity}</span>
        <strong>
          {title === null ? 'The text is no longer stored.' : <TruncatedText text={title} />}
        </strong>
      </p>
      <p class="muted">
        {category} · {probeId}
        {tool === null ? null : (
          <>
            {' '}
            · tool <bdi class="mono">{tool}</bdi>
          </>
        )}
      </p>
      <p>
        <span class={`tag is-${status}`}>{status}</span> {formatReplay(finding)}
      </p>
      {remediation === null ? null : (
        <p>
          <span class="muted">Remedy:</span> <TruncatedText text={remediation} />
        </p>
      )}
    </li>
  );
}

function formatReplay({ replay, replayedBy }: AuditFinding): string {
  switch (replay) {
    case 'not_needed':
      return 'a hint from text analysis; it does not count';
    case 'waiting':
      return 'waiting for another seat to reproduce it';
    case 'running':
      return 'another seat is trying to reproduce it';
    case 'seen':
      return replayedBy === null ? 'reproduced' : `reproduced by seat ${replayedBy}`;
    case 'not_seen':
      return 'another seat could not reproduce it';
    case 'not_done':
      return 'no seat tried to reproduce it';
  }
}
