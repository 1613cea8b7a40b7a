import type { JSX } from 'preact';
import type {
  ArbitrationDetails,
  CaseEvidence,
  CaseParty,
} from '../../../../src/domain/inspect/details.ts';
import { formatDueTime } from '../../journal/format.ts';
import { FactList, ShortName, WideTable } from '../../parts/facts.tsx';
import { ClockTime, currentTime, formatDateTime, RelativeTime } from '../../parts/times.tsx';
import { consoleUrl } from '../../shell/router.ts';

interface CaseProps {
  readonly details: ArbitrationDetails;
}

/** Sections specific to an arbitration: verdict, case, evidence, ledger and passes. */
export function ArbitrationParts({ details }: CaseProps): JSX.Element {
  return (
    <>
      <Verdict details={details} />
      <Case details={details} />
      <Evidence details={details} />
      <Ledger details={details} />
      <Passes details={details} />
    </>
  );
}

function Verdict({ details }: CaseProps): JSX.Element | null {
  const { verdict, effect, arbiter } = details;
  if (verdict === null) return null;
  const { upheld, overturned, flipped, seats } = verdict.votes;
  return (
    <section class="panel-box" aria-labelledby="verdict-title" data-verdict={verdict.verdict}>
      <h2 id="verdict-title">Verdict</h2>
      <FactList
        facts={[
          ['Verdict', <strong key="verdict">{VERDICT_LABELS[verdict.verdict]}</strong>],
          ['In favour of', verdict.inFavourOf ?? 'nobody'],
          ['Effect', EFFECT_LABELS[effect]],
          ['Arbiter', arbiter],
          [
            'Votes',
            `${upheld} upheld, ${overturned} overturned, ${flipped} abstained because their vote ` +
              `changed with the order of the sides; ${seats} seats`,
          ],
          [
            'Signed payload (SHA-256)',
            verdict.payloadHash === null ? (
              'not signed yet'
            ) : (
              <ShortName key="hash" name={verdict.payloadHash} />
            ),
          ],
        ]}
      />
      <p class="muted">
        The operator of this service runs the panel, so you still have to trust the operator.
      </p>
    </section>
  );
}

const VERDICT_LABELS = {
  upheld: 'upheld: the settlement stands',
  overturned: 'overturned: the settlement is reversed',
  no_verdict: 'no verdict',
} as const;
const EFFECT_LABELS = {
  decides_escrow: 'decides the escrow',
  evidence_only: 'evidence only: it moves no money',
} as const;

function Case({ details }: CaseProps): JSX.Element {
  const { boardJobId, effect, arbiter, verdict } = details;
  return (
    <section class="panel-box" aria-labelledby="case-title">
      <h2 id="case-title">Case</h2>
      <p>
        About job{' '}
        <a href={consoleUrl(['job', boardJobId])}>
          <ShortName name={boardJobId} />
        </a>
        {verdict === null ? (
          <span class="muted">
            , {EFFECT_LABELS[effect]}; arbiter: {arbiter}
          </span>
        ) : null}
      </p>
      <div class="sides">
        <Party name="Claimant" party={details.claimant} words="wants the settlement reversed" />
        <Party name="Respondent" party={details.respondent} words="wants it to stand" />
      </div>
    </section>
  );
}

function Party({
  name,
  party: { role, wallet, state },
  words,
}: {
  readonly name: string;
  readonly party: CaseParty;
  readonly words: string;
}): JSX.Element {
  return (
    <section class="side" aria-label={name} data-side={name.toLowerCase()}>
      <h3>
        {name} <span class={`tag is-${state}`}>{STATE_LABELS[state]}</span>
      </h3>
      <p>
        the {role}, {words}
      </p>
      <ShortName name={wallet} />
    </section>
  );
}

const STATE_LABELS = {
  awaiting: 'nothing submitted yet',
  submitted: 'submitted; may add more',
  finished: 'finished',
  waived: 'waived',
  defaulted: 'defaulted: nothing submitted',
} as const;

function Evidence({ details: { evidence, frozen, windowEndsAt } }: CaseProps): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence</h2>
      {frozen === null ? (
        <p>
          The submission window is open. It ends{' '}
          <span title={formatDateTime(windowEndsAt)}>
            {formatDueTime(windowEndsAt, currentTime().value)}
          </span>
          , or once both sides have finished.
        </p>
      ) : (
        <p data-frozen={frozen.root}>
          Frozen {frozen.at === null ? null : <RelativeTime at={frozen.at} />} with Merkle root{' '}
          <ShortName name={frozen.root} />
          {frozen.wordCap === null ? '' : `; seats read at most ${frozen.wordCap} words per side`}.
        </p>
      )}
      {evidence.length === 0 ? (
        <p class="muted">No evidence submitted{frozen === null ? ' yet' : ''}.</p>
      ) : (
        <WideTable
          label="Evidence"
          heads={['Exhibit', 'Side', 'Submitted', 'Length', 'SHA-256', 'Admission']}
        >
          {evidence.map((one) => (
            <EvidenceRow key={one.evidenceId} evidence={one} />
          ))}
        </WideTable>
      )}
      <p class="muted">The console shows hash, length and time, not the texts of the parties.</p>
    </section>
  );
}

function EvidenceRow({ evidence }: { readonly evidence: CaseEvidence }): JSX.Element {
  const { evidenceId, side, at, chars, sha256 } = evidence;
  return (
    <tr data-evidence={evidenceId}>
      <th scope="row">{evidenceId}</th>
      <td>{side}</td>
      <td>
        <ClockTime at={at} />
      </td>
      <td class="number">{chars.toLocaleString('en')} characters</td>
      <td>
        {sha256 === null ? <span class="muted">when frozen</span> : <ShortName name={sha256} />}
      </td>
      <td>{formatAdmission(evidence).join('; ')}</td>
    </tr>
  );
}

function formatAdmission({ admitted }: CaseEvidence): readonly string[] {
  if (admitted === null) return ['not reviewed yet'];
  const { is_admitted: isAdmitted, why, words, words_kept: kept, signs, contradicted } = admitted;
  if (!isAdmitted) return [`not admitted: ${why ?? 'no reason'}`];
  return [
    kept === words ? `all ${words} words` : `${kept} of ${words} words`,
    ...(signs.length === 0 ? [] : ['flagged: contains instructions to the judges']),
    ...contradicted.map((fact) => `the ledger contradicts ${fact.replaceAll('_', ' ')}`),
  ];
}

function Ledger({ details: { frozen } }: CaseProps): JSX.Element | null {
  if (frozen === null || frozen.ledger.length === 0) return null;
  return (
    <section class="panel-box" aria-labelledby="ledger-title">
      <h2 id="ledger-title">Ledger facts</h2>
      <ul class="ledger">
        {frozen.ledger.map(({ evidenceId, text }) => (
          <li key={evidenceId}>
            <strong>{evidenceId}</strong> <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
      <WideTable label="Rules applied to the ledger" heads={['Rule', 'Favours', 'Why']}>
        {frozen.findings.map(({ ruleId, favours, text }) => (
          <tr key={ruleId}>
            <th scope="row" class="rule-name">
              {ruleId}
            </th>
            <td>{favours}</td>
            <td>
              <bdi>{text}</bdi>
            </td>
          </tr>
        ))}
      </WideTable>
    </section>
  );
}

function Passes({ details: { passes, frozen } }: CaseProps): JSX.Element | null {
  if (frozen === null) return null;
  return (
    <section class="panel-box" aria-labelledby="passes-title">
      <h2 id="passes-title">Both passes</h2>
      {passes === null ? (
        <p class="muted">
          Every seat judges twice, with the sides swapped. Votes are secret until the count.
        </p>
      ) : (
        <WideTable
          label="Passes of the seats"
          heads={['Seat', 'Claimant first', 'Sides swapped', 'Counts as', 'Cites']}
        >
          {passes.map(({ seat, first, swapped, isFlip, evidenceIds }) => (
            <tr key={seat} data-pass={seat}>
              <th scope="row">{seat}</th>
              <td>{first ?? 'did not judge'}</td>
              <td>{swapped ?? 'did not judge'}</td>
              <td>{renderBallot({ first, swapped, isFlip })}</td>
              <td>{evidenceIds.join(', ')}</td>
            </tr>
          ))}
        </WideTable>
      )}
    </section>
  );
}

function renderBallot({
  first,
  swapped,
  isFlip,
}: {
  readonly first: string | null;
  readonly swapped: string | null;
  readonly isFlip: boolean;
}): JSX.Element {
  if (isFlip) return <span class="tag is-forced">flip: abstains</span>;
  if (first === null || swapped === null) return <span class="muted">no ballot</span>;
  return <strong>{swapped}</strong>;
}
