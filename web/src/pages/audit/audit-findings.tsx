import type { JSX } from 'preact';
import type { AuditFinding, AuditFrame } from '../../../../src/domain/inspect/audit-frame.ts';
import { Text } from '../../journal/value-tree.tsx';
import { useFirst } from '../../parts/more.tsx';

/** Number of findings shown initially. */
const SHOWN_FIRST = 25;

/** The findings, most severe first. Only findings that a second seat reproduced count. */
export function Findings({
  frame: { findings, report },
}: {
  readonly frame: AuditFrame;
}): JSX.Element {
  const { shown, more } = useFirst(findings, SHOWN_FIRST);
  const counted = findings.filter(({ status }) => status === 'confirmed').length;
  return (
    <section aria-labelledby="findings-title">
      <h2 id="findings-title">Findings</h2>
      {findings.length === 0 ? (
        <p class="muted">{report === null ? 'None so far.' : 'None.'}</p>
      ) : (
        <p class="muted">
          {counted} of {findings.length} count: only what another seat has seen again does.
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
        <strong>{title === null ? 'Its text is not kept any more.' : <Text text={title} />}</strong>
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
        <span class={`tag is-${status}`}>{status}</span> {replayWords(finding)}
      </p>
      {remediation === null ? null : (
        <p>
          <span class="muted">Remedy:</span> <Text text={remediation} />
        </p>
      )}
    </li>
  );
}

function replayWords({ replay, replayedBy }: AuditFinding): string {
  switch (replay) {
    case 'not_needed':
      return 'a hint of a text; it is shown and does not count';
    case 'waiting':
      return 'waits for another seat to look again';
    case 'running':
      return 'another seat is looking again';
    case 'seen':
      return replayedBy === null ? 'seen again' : `seen again by seat ${replayedBy}`;
    case 'not_seen':
      return 'another seat did not see it again';
    case 'not_done':
      return 'nobody looked again';
  }
}
