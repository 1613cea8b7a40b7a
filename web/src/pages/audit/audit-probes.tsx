import type { JSX } from 'preact';
import type { AuditFrame, AuditProbe } from '../../../../src/domain/inspect/audit-frame.ts';
import { WideTable } from '../../parts/facts.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';

/** Number of probes shown initially. */
const SHOWN_FIRST = 50;

/** All probes with their outcome, including those that did not run. */
export function Probes({ frame: { probes } }: { readonly frame: AuditFrame }): JSX.Element {
  const { shown, more } = useShowMore(probes, SHOWN_FIRST);
  return (
    <section aria-labelledby="probes-title">
      <h2 id="probes-title">Probes</h2>
      <WideTable label="Probes" heads={['Probe', 'Category', 'Outcome', 'Requests']}>
        {shown.map((probe) => (
          <Probe key={probe.probeId} probe={probe} />
        ))}
      </WideTable>
      {more}
    </section>
  );
}

function Probe({ probe }: { readonly probe: AuditProbe }): JSX.Element {
  const { probeId, category, mode, outcome, reason, requests } = probe;
  return (
    <tr data-probe={probeId} data-outcome={outcome}>
      <th scope="row">
        {probeId} <span class="muted">{mode}</span>
      </th>
      <td>{category}</td>
      <td>
        <span class={`tag is-${outcome}`}>{OUTCOME_LABELS[outcome]}</span>
        {reason === null ? null : (
          <>
            {' '}
            <bdi class="muted">{reason}</bdi>
          </>
        )}
      </td>
      <td class="number">{requests}</td>
    </tr>
  );
}

const OUTCOME_LABELS: Readonly<Record<AuditProbe['outcome'], string>> = {
  planned: 'planned',
  running: 'running',
  left_out: 'skipped',
  clean: 'clean',
  partial: 'partial',
  found: 'found',
  not_applicable: 'not applicable',
  blocked: 'blocked',
  failed: 'failed',
};
