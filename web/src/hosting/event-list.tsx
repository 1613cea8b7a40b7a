import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ServiceEvent } from '../../../src/domain/hosting/records.ts';
import type { HostedPage } from '../../../src/domain/inspect/hosting.ts';
import { Timestamp, WideTable } from '../parts/facts.tsx';
import { EmptyState } from '../parts/notice.tsx';
import { PageLinks } from '../reads/page-links.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { formatEventDetails, formatWireName } from './hosting-format.tsx';
import { hostingUrl, POLL_MS } from './hosting-url.ts';

/** Events of a service, newest first. */
export function EventList({ id }: { readonly id: string }): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const read = useRead<HostedPage<ServiceEvent>>(
    hostingUrl(['services', id, 'events'], { cursor }),
    POLL_MS,
  );
  return (
    <section class="panel" aria-labelledby="service-events">
      <h2 id="service-events">Events</h2>
      <ReadView read={read} what="events">
        {({ rows, cursor: next }) =>
          rows.length === 0 && cursor === null ? (
            <EmptyState title="No events yet" />
          ) : (
            <>
              <WideTable label="Events" heads={['Time', 'Event', 'Details']}>
                {rows.map(({ id: eventId, timestamp, type, details }) => (
                  <tr key={eventId} data-event={type}>
                    <td>
                      <Timestamp at={timestamp} />
                    </td>
                    <th scope="row">{formatWireName(type)}</th>
                    <td class="event-details">
                      <bdi>{formatEventDetails(details)}</bdi>
                    </td>
                  </tr>
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
