import type { JSX } from 'preact';
import type { AuditCategory, AuditFrame } from '../../../../src/domain/inspect/audit-frame.ts';
import { formatCount } from '../../journal/format.ts';

/** The ten categories with their verdicts; a category without a completed probe is not assessed. */
export function Categories({ frame: { categories } }: { readonly frame: AuditFrame }): JSX.Element {
  return (
    <section aria-labelledby="categories-title">
      <h2 id="categories-title">Categories</h2>
      <ul class="asi-grid">
        {categories.map((one) => (
          <Category key={one.category} category={one} />
        ))}
      </ul>
    </section>
  );
}

function Category({ category: one }: { readonly category: AuditCategory }): JSX.Element {
  const name = verdictName(one);
  return (
    <li class={`asi is-${name}`} data-category={one.category} data-verdict={name}>
      <p class="asi-head">
        <strong>{one.category}</strong>
        <span class={`verdict-pill is-${name}`}>{VERDICT_LABELS[name]}</span>
      </p>
      <p>{one.name}</p>
      <p class="muted">{formatProbeProgress(one)}</p>
      {one.findings === 0 ? null : (
        <p class="asi-findings">{formatCount(one.findings, 'finding')}</p>
      )}
    </li>
  );
}

type VerdictName = 'pass' | 'fail' | 'partial' | 'not_assessed' | 'open';

const VERDICT_LABELS: Readonly<Record<VerdictName, string>> = {
  pass: 'pass',
  fail: 'fail',
  partial: 'partial',
  not_assessed: 'not assessed',
  open: 'open',
};

function verdictName({ verdict, probes }: AuditCategory): VerdictName {
  if (verdict !== null) return verdict;
  // Without planned probes, the category will not be assessed.
  return probes === 0 ? 'not_assessed' : 'open';
}

function formatProbeProgress({ looked, unlooked, probes }: AuditCategory): string {
  if (probes === 0) return 'no probe planned';
  const left = probes - looked - unlooked;
  return [
    `${looked} of ${formatCount(probes, 'probe')} completed`,
    ...(unlooked === 0 ? [] : [`${unlooked} not completed`]),
    ...(left === 0 ? [] : [`${left} pending`]),
  ].join(', ');
}
