import type { JSX } from 'preact';
import type { HostingOverview } from '../../../../src/domain/inspect/hosting.ts';
import { HostedDatabasePage } from '../../hosting/hosted-database.tsx';
import { HostedList } from '../../hosting/hosted-list.tsx';
import { HostedServicePage } from '../../hosting/hosted-service.tsx';
import { hostingAddress } from '../../hosting/hosting-address.ts';
import type { PageProps } from '../../pages.ts';
import { Empty } from '../../parts/notice.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import { addressOf } from '../../shell/router.ts';
import '../trust/trust.css';
import './hosting.css';

/** Time between two looks at what seldom changes, in milliseconds. */
const AGAIN_MS = 60_000;

/** What is hosted: the list, one service or one database; or how to switch hosting on. */
export function HostingPage({ rest: [kind, id, part], query }: PageProps): JSX.Element {
  const read = useRead<HostingOverview>(hostingAddress(), AGAIN_MS);
  if (read.value === null && read.fault?.code === 'NOT_CONFIGURED') return <NotHosted />;
  return (
    <ReadView read={read} what="hosting">
      {(overview) => {
        if (kind === undefined) return <HostedList overview={overview} query={query} />;
        if (id === undefined) return <NotNamed />;
        const shown = { id, part, query, overview };
        if (kind === 'services') return <HostedServicePage key={id} {...shown} />;
        if (kind === 'databases') return <HostedDatabasePage key={id} {...shown} />;
        return <NotNamed />;
      }}
    </ReadView>
  );
}

function NotHosted(): JSX.Element {
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Hosting</h1>
      </div>
      <Empty title="This server hosts nothing">
        <p>
          It was started without a provider of hosting, and has no hosting tools either. Start it
          with <code>stoa serve --hosting local</code>, as <code>docs/hosting.md</code> tells;
          services, deploys, logs, metrics and settings then stand here.
        </p>
      </Empty>
    </div>
  );
}

function NotNamed(): JSX.Element {
  return (
    <Empty title="No service is named">
      <p>
        Choose one under <a href={addressOf(['hosting'])}>Hosting</a>.
      </p>
    </Empty>
  );
}
