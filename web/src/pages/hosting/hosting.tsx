import type { JSX } from 'preact';
import type { HostingOverview } from '../../../../src/domain/inspect/hosting.ts';
import { HostedDatabasePage } from '../../hosting/hosted-database.tsx';
import { HostedList } from '../../hosting/hosted-list.tsx';
import { HostedServicePage } from '../../hosting/hosted-service.tsx';
import { hostingUrl } from '../../hosting/hosting-url.ts';
import { EmptyState } from '../../parts/notice.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl } from '../../shell/router.ts';
import '../trust/trust.css';
import './hosting.css';

/** Poll interval of the overview, which rarely changes, in milliseconds. */
const POLL_MS = 60_000;

/** The hosting pages: list, one service or one database; or how to enable hosting. */
export function HostingPage({ rest: [kind, id, part], query }: PageProps): JSX.Element {
  const read = useRead<HostingOverview>(hostingUrl(), POLL_MS);
  if (read.value === null && read.error?.code === 'NOT_CONFIGURED') return <NothingHosted />;
  return (
    <ReadView read={read} what="hosting">
      {(overview) => {
        if (kind === undefined) return <HostedList overview={overview} query={query} />;
        if (id === undefined) return <NothingSelected />;
        const shown = { id, part, query, overview };
        if (kind === 'services') return <HostedServicePage key={id} {...shown} />;
        if (kind === 'databases') return <HostedDatabasePage key={id} {...shown} />;
        return <NothingSelected />;
      }}
    </ReadView>
  );
}

function NothingHosted(): JSX.Element {
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Hosting</h1>
      </div>
      <EmptyState title="Nothing is hosted yet">
        <p>
          Hosting opens with the first call of a hosting tool at <code>/hosting/mcp</code>, or at
          the start with <code>stoa serve --hosting local</code> (see <code>docs/hosting.md</code>).
          This page then shows services, deploys, logs, metrics and settings.
        </p>
      </EmptyState>
    </div>
  );
}

function NothingSelected(): JSX.Element {
  return (
    <EmptyState title="No service selected">
      <p>
        Choose one under <a href={consoleUrl(['hosting'])}>Hosting</a>.
      </p>
    </EmptyState>
  );
}
