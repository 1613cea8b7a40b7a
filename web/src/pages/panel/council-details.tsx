import type { JSX } from 'preact';
import type { CouncilDetails } from '../../../../src/domain/inspect/details.ts';
import { formatCount, formatMicroUsd } from '../../journal/format.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';
import { FactList, WideTable } from '../../parts/facts.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';

/** Number of gaps and of checklist rows shown initially. */
const SHOWN_FIRST = 12;

interface CouncilProps {
  readonly details: CouncilDetails;
}

/** Sections specific to a council: numbers, red lines, questions, conditions and gaps. */
export function CouncilParts({ details }: CouncilProps): JSX.Element {
  return (
    <>
      <Brief details={details} />
      <RecomputedNumbers details={details} />
      <RedLines details={details} />
      <Questions details={details} />
      <Conditions details={details} />
      <Gaps details={details} />
    </>
  );
}

function Brief({ details: { vendor, product, background, startsOn } }: CouncilProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="brief-title">
      <h2 id="brief-title">Brief</h2>
      <FactList
        facts={[
          ['Vendor', <bdi key="vendor">{vendor}</bdi>],
          ['Product', <bdi key="product">{product}</bdi>],
          ['Start date', startsOn],
        ]}
      />
      {background === null ? null : (
        <p class="brief-text">
          <TruncatedText text={background} />
        </p>
      )}
    </section>
  );
}

function RecomputedNumbers({ details: { facts } }: CouncilProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="figures-title">
      <h2 id="figures-title">Recomputed numbers</h2>
      {facts === null ? (
        <p class="muted">Not computed yet.</p>
      ) : (
        <>
          <FactList
            facts={[
              ['Total cost of ownership', formatAmount(facts.tco_micro_usd)],
              ['Discounted', formatAmount(facts.tco_discounted_micro_usd)],
              ['Approved budget', formatAmount(facts.budget_micro_usd)],
              ['Budget left', <BudgetLeft key="left" amount={facts.budget_left_micro_usd} />],
              ['Payback', formatPayback(facts.payback_months)],
            ]}
          />
          <WrongNumbers facts={facts} />
          <Checks facts={facts} />
        </>
      )}
    </section>
  );
}

type Facts = NonNullable<CouncilDetails['facts']>;

function BudgetLeft({ amount }: { readonly amount: string | null }): JSX.Element {
  const isOver = amount?.startsWith('-') === true;
  return (
    <span class={isOver ? 'is-bad' : ''}>
      {formatAmount(amount)}
      {isOver ? ' (over the budget)' : ''}
    </span>
  );
}

function WrongNumbers({ facts: { wrong_numbers: wrong } }: { readonly facts: Facts }) {
  if (wrong.length === 0) return <p class="muted">All stated totals match their line items.</p>;
  return (
    <>
      <h3>Wrong numbers in the brief</h3>
      <WideTable label="Wrong numbers" heads={['Figure', 'Stated', 'Recomputed', 'Difference']}>
        {wrong.map(({ figure, stated, recomputed, difference }) => (
          <tr key={figure} data-wrong={figure}>
            <th scope="row">{figure.replaceAll('_', ' ')}</th>
            <td>{stated}</td>
            <td>{recomputed}</td>
            <td>{difference}</td>
          </tr>
        ))}
      </WideTable>
    </>
  );
}

function Checks({ facts: { checks } }: { readonly facts: Facts }): JSX.Element | null {
  const worst = [...checks].sort(
    (one, other) => verdictRank(one.verdict) - verdictRank(other.verdict),
  );
  const { shown, more } = useShowMore(worst, SHOWN_FIRST);
  if (checks.length === 0) return null;
  const count = (verdict: string) => checks.filter((check) => check.verdict === verdict).length;
  return (
    <details>
      <summary>
        Checklists: {count('pass')} passed, {count('fail')} failed, {count('unknown')} unknown
      </summary>
      <ul class="check-list">
        {shown.map(({ rule_id, role, title, verdict, text }) => (
          <li key={rule_id}>
            <span class={`verdict-pill is-${verdict}`}>{verdict}</span> <strong>{rule_id}</strong>
            {` ${title} `}
            <span class="muted">
              ({role}): {text}
            </span>
          </li>
        ))}
      </ul>
      {more}
    </details>
  );
}

function RedLines({ details: { redLines, adjusted } }: CouncilProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="red-lines-title">
      <h2 id="red-lines-title">Red lines</h2>
      {redLines === null ? <p class="muted">Not checked yet.</p> : null}
      {redLines?.raised.length === 0 ? <p class="muted">None upheld.</p> : null}
      <ul class="red-lines">
        {(redLines?.raised ?? []).map((line) => (
          <li key={line.rule_id} class="red-line" data-red-line={line.rule_id}>
            <strong>{line.rule_id}</strong> <TruncatedText text={line.text} />
            <span class="muted">
              {line.raised_by === 'facts' ? 'raised by the facts' : `raised by ${line.role}`}
              {line.evidence_ids.length === 0 ? '' : `, citing ${line.evidence_ids.join(', ')}`}
            </span>
            {line.is_veto ? <span class="tag is-forced">veto</span> : null}
          </li>
        ))}
        {(redLines?.refused ?? []).map(({ rule_id, role, why }) => (
          <li key={`${rule_id}/${role}`} class="red-line is-refused">
            <bdi>{rule_id}</bdi>
            <span class="muted">
              raised by {role}, rejected: {why}
            </span>
          </li>
        ))}
      </ul>
      {adjusted === null ? null : (
        <p class="adjusted">
          The vote chose <strong>{adjusted.from}</strong>, overridden by {adjusted.why.join(', ')}.
        </p>
      )}
    </section>
  );
}

function Questions({ details: { exchanges } }: CouncilProps): JSX.Element | null {
  if (exchanges.length === 0) return null;
  return (
    <section class="panel-box" aria-labelledby="questions-title">
      <h2 id="questions-title">Cross-examination</h2>
      <ol class="exchanges">
        {exchanges.map(({ from, to, question, answer, evidence_ids, is_supported }, place) => (
          <li key={`${from}/${to}/${place}`} data-exchange={`${from}/${to}`}>
            <p>
              <strong>{from}</strong> asks <strong>{to}</strong>: <TruncatedText text={question} />
            </p>
            <p class="exchange-answer">
              {answer === null ? (
                <span class="muted">No answer yet.</span>
              ) : (
                <TruncatedText text={answer} />
              )}
              {answer === null ? null : (
                <span class="muted">
                  {is_supported ? ` cites ${evidence_ids.join(', ')}` : ' gap: no evidence cited'}
                </span>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Conditions({ details: { merged } }: CouncilProps): JSX.Element | null {
  if (merged === null) return null;
  return (
    <section class="panel-box" aria-labelledby="conditions-title">
      <h2 id="conditions-title">Conditions</h2>
      {merged.conditions.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <WideTable label="Conditions" heads={['Condition', 'Owner', 'Due', 'Requested by']}>
          {merged.conditions.map(({ text, owner, due, asked_by, rule_id }) => (
            <tr key={`${owner}/${due}/${text}`} data-condition={owner}>
              <th scope="row">
                <TruncatedText text={text} />
                {rule_id === undefined ? null : <span class="muted"> ({rule_id})</span>}
              </th>
              <td>{owner}</td>
              <td class="number">
                <time dateTime={due}>{due}</time>
              </td>
              <td>{asked_by.join(', ')}</td>
            </tr>
          ))}
        </WideTable>
      )}
    </section>
  );
}

function Gaps({ details: { merged } }: CouncilProps): JSX.Element | null {
  const gaps = merged?.gaps ?? [];
  const { shown, more } = useShowMore(gaps, SHOWN_FIRST);
  if (gaps.length === 0) return null;
  return (
    <section class="panel-box" aria-labelledby="gaps-title">
      <h2 id="gaps-title">{formatCount(gaps.length, 'evidence gap')}</h2>
      <ul class="gap-list">
        {shown.map(({ role, text }, place) => (
          <li key={`${role}/${place}`}>
            <strong>{role}</strong> <TruncatedText text={text} />
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

function verdictRank(verdict: 'pass' | 'fail' | 'unknown'): number {
  return { fail: 0, unknown: 1, pass: 2 }[verdict];
}

function formatAmount(microUsd: string | null): string {
  return microUsd === null ? 'not in the brief' : formatMicroUsd(microUsd);
}

function formatPayback(months: number | 'never' | null): string {
  if (months === null) return 'not in the brief';
  return months === 'never' ? 'not within the term' : formatCount(months, 'month');
}
