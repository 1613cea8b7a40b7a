import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BidView, JobView, RequestView } from '../../../../src/domain/escrow/work.ts';
import { formatCount } from '../../journal/format.ts';
import { Dollars, ShortName, Timestamp, WideTable } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { PageLinks } from '../../reads/page-links.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import { consoleUrl } from '../../shell/router.ts';
import { formatDeadlineAction, formatFunding, hasEnded, JobState } from './job-format.tsx';
import '../trust/trust.css';

const PAGE_SIZE = 50;

/** The work board: open requests and jobs, newest first. */
export function WorkPage(): JSX.Element {
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Work</h1>
      </div>
      <OpenRequests />
      <Jobs />
    </div>
  );
}

interface RequestPage {
  readonly requests: readonly RequestView[];
  readonly cursor: string | null;
}

function OpenRequests(): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const read = useRead<RequestPage>(`/a2a/requests/open?limit=${PAGE_SIZE}${cursorQuery(cursor)}`);
  return (
    <section aria-labelledby="work-requests">
      <h2 id="work-requests">Open requests</h2>
      <ReadView read={read} what="requests">
        {({ requests, cursor: next }) => (
          <>
            {requests.length === 0 ? <NoRequests /> : <RequestList requests={requests} />}
            <PageLinks next={next} isFirst={cursor === null} go={setCursor} />
          </>
        )}
      </ReadView>
    </section>
  );
}

function RequestList({ requests }: { readonly requests: readonly RequestView[] }): JSX.Element {
  return (
    <ul class="request-list">
      {requests.map((request) => (
        <li key={request.request_id} class="request" data-request={request.request_id}>
          <RequestHead request={request} />
          <p class="request-text">
            <bdi>{request.task_description}</bdi>
          </p>
          {request.bids.length === 0 ? (
            <p class="muted">No bids yet.</p>
          ) : (
            <Bids bids={request.bids} />
          )}
        </li>
      ))}
    </ul>
  );
}

function RequestHead({ request }: { readonly request: RequestView }): JSX.Element {
  return (
    <div class="request-head">
      <h3>
        <bdi>{request.capability_id}</bdi>
      </h3>
      <span>
        up to <Dollars of={request.budget} />
      </span>
      <span class="tag">{formatFunding(request.funding)}</span>
      <span class="muted">
        by <ShortName name={request.buyer} />
        {request.provider === null ? null : (
          <>
            {' for '}
            <ShortName name={request.provider} />
          </>
        )}
      </span>
      <span class="muted">
        ends <Timestamp at={request.open_until} />
      </span>
      <a href={consoleUrl(['actor', request.request_id])}>Chart</a>
    </div>
  );
}

function Bids({ bids }: Pick<RequestView, 'bids'>): JSX.Element {
  return (
    <details>
      <summary>{formatCount(bids.length, 'bid')}</summary>
      <ul class="bullet-list">
        {bids.map((bid) => (
          <li key={bid.bid_id}>
            <Dollars of={bid.price} /> by <ShortName name={bidder(bid)} />, {bid.status},{' '}
            <Timestamp at={bid.at} />
            {bid.note === '' ? null : (
              <>
                : <bdi>{bid.note}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function NoRequests(): JSX.Element {
  return (
    <EmptyState title="No open requests">
      <p>
        A buyer posts a request with a signed <code>POST /a2a/requests</code>, and providers bid on
        it. To run a complete trade on this server:
      </p>
      <p>
        <code class="command">
          {`BUYER_KEY=0x… PROVIDER_KEY=0x… node examples/two-agents.mjs ${location.origin}`}
        </code>
      </p>
    </EmptyState>
  );
}

interface JobListPage {
  readonly jobs: readonly JobView[];
  readonly cursor: string | null;
}

function Jobs(): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const read = useRead<JobListPage>(`/a2a/jobs?limit=${PAGE_SIZE}${cursorQuery(cursor)}`);
  return (
    <section class="panel" aria-labelledby="work-jobs">
      <h2 id="work-jobs">Jobs</h2>
      <ReadView read={read} what="jobs">
        {({ jobs, cursor: next }) =>
          jobs.length === 0 && cursor === null ? (
            <EmptyState title="No jobs yet">
              <p>A job starts when the buyer of a request accepts a bid.</p>
            </EmptyState>
          ) : (
            <>
              <WideTable
                label="Jobs"
                heads={['Job', 'State', 'Price', 'Funding', 'Buyer', 'Provider', 'Deadline']}
              >
                {jobs.map((job) => (
                  <JobRow key={job.job_id} job={job} />
                ))}
              </WideTable>
              <PageLinks next={next} isFirst={cursor === null} go={setCursor} />
            </>
          )
        }
      </ReadView>
    </section>
  );
}

function JobRow({ job }: { readonly job: JobView }): JSX.Element {
  return (
    <tr data-job={job.job_id}>
      <th scope="row">
        <a href={consoleUrl(['job', job.job_id])}>
          <ShortName name={job.job_id} />
        </a>
      </th>
      <td>
        <JobState state={job.state} />
      </td>
      <td class="number">
        <Dollars of={job.release.price} />
      </td>
      <td>{formatFunding(job.funding)}</td>
      <td>
        <ShortName name={job.buyer} />
      </td>
      <td>
        <ShortName name={job.provider} />
      </td>
      <td>
        {hasEnded(job) ? (
          <span class="muted">ended</span>
        ) : job.release.deadline === null ? (
          <span class="muted">{formatDeadlineAction(job.release)}</span>
        ) : (
          <Timestamp at={job.release.deadline} />
        )}
      </td>
    </tr>
  );
}

function cursorQuery(cursor: string | null): string {
  return cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}

function bidder({ provider_agent: agent, provider }: BidView): string {
  return agent ?? provider;
}
