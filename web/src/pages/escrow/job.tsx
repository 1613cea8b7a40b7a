import type { JSX } from 'preact';
import type { JobView } from '../../../../src/domain/escrow/work.ts';
import { Dollars, FactList, ShortName, Timestamp, WideTable } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl } from '../../shell/router.ts';
import { formatDeadlineAction, formatFunding, hasEnded, JobState } from './job-format.tsx';
import '../trust/trust.css';

/** The page of one job: release terms, possible moves, parties and confirmed chain facts. */
export function JobPage({ rest: [jobId] }: PageProps): JSX.Element {
  if (jobId !== undefined) return <LoadedJob key={jobId} jobId={jobId} />;
  return (
    <EmptyState title="No job selected">
      <p>
        Choose one under <a href={consoleUrl(['work'])}>Work</a>.
      </p>
    </EmptyState>
  );
}

function LoadedJob({ jobId }: { readonly jobId: string }): JSX.Element {
  const read = useRead<JobView>(`/a2a/jobs/${encodeURIComponent(jobId)}`);
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>
          Job <ShortName name={jobId} />
        </h1>
        {read.value === null ? null : <JobState state={read.value.state} />}
        <a href={consoleUrl(['actor', jobId])}>Chart and journal</a>
        <a href={consoleUrl(['work'])}>All work</a>
      </div>
      <ReadView read={read} what="job">
        {(job) => (
          <>
            <Release job={job} />
            <Moves job={job} />
            <Parties job={job} />
            <ChainFacts job={job} />
          </>
        )}
      </ReadView>
    </div>
  );
}

interface JobProps {
  readonly job: JobView;
}

function Release({ job }: JobProps): JSX.Element {
  const { release, payout, refund, owed } = job;
  return (
    <section class="panel" aria-labelledby="job-release">
      <h2 id="job-release">Release</h2>
      <FactList
        facts={[
          ['Price', <Dollars key="price" of={release.price} />],
          ['Fee', <Fee key="fee" fee={release.fee} bps={release.fee_bps} />],
          ['For the provider', <Dollars key="net" of={release.net} />],
          ['Payee', <ShortName key="payee" name={release.payee} />],
          ['Treasury', <ShortName key="treasury" name={release.treasury} />],
          ['Chain', release.chain],
          ['Deadline', hasEnded(job) ? null : <Deadline key="deadline" at={release.deadline} />],
          ['At the deadline', hasEnded(job) ? null : formatDeadlineAction(release)],
          ['Paid', payout === null ? 'no' : <Payout key="payout" payout={payout} />],
          ['Refunded', refund === null ? null : <Dollars key="refund" of={refund.amount} />],
          ['Owed', owed === null ? null : <Owed key="owed" owed={owed} />],
        ]}
      />
      <ul class="bullet-list">
        {release.how_to_release.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </section>
  );
}

function Deadline({ at }: { readonly at: string | null }): JSX.Element {
  return at === null ? <>none</> : <Timestamp at={at} />;
}

function Owed({ owed }: { readonly owed: NonNullable<JobView['owed']> }): JSX.Element {
  return (
    <>
      <Dollars of={owed.amount} /> to the {owed.role}: {owed.why}. {owed.how}
    </>
  );
}

function Fee({ fee, bps }: { readonly fee: JobView['release']['fee']; readonly bps: number }) {
  return (
    <>
      <Dollars of={fee} /> (fee_bps {bps})
    </>
  );
}

function Payout({ payout }: { readonly payout: NonNullable<JobView['payout']> }): JSX.Element {
  const notes = [
    ...(payout.is_automatic ? ['automatic'] : []),
    ...(payout.is_late ? ['late'] : []),
  ];
  return (
    <>
      <Dollars of={payout.net} /> in <ShortName name={payout.transaction} />
      {notes.length === 0 ? null : `, ${notes.join(', ')}`}
    </>
  );
}

function Moves({ job }: JobProps): JSX.Element {
  return (
    <section class="panel" aria-labelledby="job-moves">
      <h2 id="job-moves">Possible moves</h2>
      {job.moves.length === 0 ? (
        <p class="muted">None; the job has ended.</p>
      ) : (
        <ul class="move-list">
          {job.moves.map(({ move, by, how }) => (
            <li key={move}>
              <strong>{move}</strong> by {by}: <span class="muted">{how}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Parties({ job }: JobProps): JSX.Element {
  const { dispute, payer_binding: binding } = job;
  return (
    <section class="panel" aria-labelledby="job-parties">
      <h2 id="job-parties">Terms and parties</h2>
      <FactList
        facts={[
          ['Buyer', <ShortName key="buyer" name={job.buyer} />],
          ['Provider', <ShortName key="provider" name={job.provider} />],
          ['Funding', formatFunding(job.funding)],
          ['Work due', hasEnded(job) ? null : <Timestamp key="due" at={job.fulfil_by} />],
          ['Request', <ShortName key="request" name={job.request_id} />],
          ['Escrow key', job.escrow_key && <ShortName key="key" name={job.escrow_key} />],
          [
            'Deliverable (SHA-256)',
            job.deliverable_sha256 && <ShortName key="sha" name={job.deliverable_sha256} />,
          ],
          ['Payer binding (informational)', binding && formatBinding(binding)],
          ['Attribution tag', job.src],
          ['Dispute', dispute && <Dispute key="dispute" dispute={dispute} />],
          ['Last error', job.last_error],
        ]}
      />
    </section>
  );
}

function Dispute({ dispute }: { readonly dispute: NonNullable<JobView['dispute']> }): JSX.Element {
  return (
    <>
      by {dispute.by}: <bdi>{dispute.reason}</bdi>
      {dispute.verdict === null ? '' : ` — verdict: ${dispute.verdict}`}
    </>
  );
}

function ChainFacts({ job }: JobProps): JSX.Element {
  return (
    <section class="panel" aria-labelledby="job-facts">
      <h2 id="job-facts">Confirmed on chain</h2>
      {job.facts.length === 0 ? (
        <p class="muted">None yet.</p>
      ) : (
        <WideTable label="Chain facts" heads={['Fact', 'Block', 'Transaction']}>
          {job.facts.map((fact) => (
            <tr key={`${fact.transaction}:${fact.log_index}`}>
              <th scope="row">{fact.fact}</th>
              <td class="number">{fact.block}</td>
              <td>
                <ShortName name={fact.transaction} />
              </td>
            </tr>
          ))}
        </WideTable>
      )}
    </section>
  );
}

function formatBinding({ match }: NonNullable<JobView['payer_binding']>): string {
  if (match === null) return 'the payer has no registered wallet';
  return match ? 'the payer is the registered wallet' : 'the payer is not the registered wallet';
}
