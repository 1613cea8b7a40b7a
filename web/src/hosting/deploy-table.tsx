import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Deploy, Service } from '../../../src/domain/hosting/records.ts';
import type { HostedPage } from '../../../src/domain/inspect/hosting.ts';
import { ConfirmDialog } from '../journal/confirm.tsx';
import { formatDuration } from '../journal/format.ts';
import { ShortName, Timestamp, WideTable } from '../parts/facts.tsx';
import { EmptyState } from '../parts/notice.tsx';
import { PageLinks } from '../reads/page-links.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { announce } from '../shell/announcer.tsx';
import {
  DeployState,
  formatFailureReason,
  formatWireName,
  isInProgress,
} from './hosting-format.tsx';
import { changeHosting, hostingUrl, POLL_MS } from './hosting-url.ts';

const COMMIT_CHARS = 8;
const MESSAGE_CHARS_MAX = 120;

interface DeployTableProps {
  readonly service: Service;
  readonly mayChange: boolean;
  changed(): void;
}

/** Deploys of a service, newest first, with failure reasons. */
export function DeployTable({ service, mayChange, changed }: DeployTableProps): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const [asked, setAsked] = useState<PendingMove | null>(null);
  const read = useRead<HostedPage<Deploy>>(
    hostingUrl(['services', service.id, 'deploys'], { cursor }),
    POLL_MS,
  );
  const done = (): void => {
    read.reload();
    changed();
  };
  return (
    <section class="panel" aria-labelledby="service-deploys">
      <h2 id="service-deploys">Deploys</h2>
      <ReadView read={read} what="deploys">
        {({ rows, cursor: next }) =>
          rows.length === 0 && cursor === null ? (
            <EmptyState title="No deploys yet">
              {service.pushUrl === undefined ? null : (
                <p>
                  Push the source: <code>{`git push ${service.pushUrl} ${service.branch}`}</code>
                </p>
              )}
            </EmptyState>
          ) : (
            <>
              <WideTable
                label="Deploys"
                heads={['Deploy', 'State', 'Commit', 'Cause', 'Duration', '']}
              >
                {rows.map((deploy) => (
                  <DeployRow
                    key={deploy.id}
                    deploy={deploy}
                    ask={mayChange ? (move) => setAsked({ move, deploy }) : null}
                  />
                ))}
              </WideTable>
              <PageLinks next={next} isFirst={cursor === null} go={setCursor} />
            </>
          )
        }
      </ReadView>
      {asked === null ? null : (
        <DeployDialog {...asked} service={service} done={done} close={() => setAsked(null)} />
      )}
    </section>
  );
}

interface PendingMove {
  readonly move: 'cancel' | 'rollback';
  readonly deploy: Deploy;
}

function DeployRow({
  deploy,
  ask,
}: {
  readonly deploy: Deploy;
  readonly ask: ((move: PendingMove['move']) => void) | null;
}): JSX.Element {
  const { id, status, trigger, commit, createdAt, startedAt, finishedAt } = deploy;
  const reason = formatFailureReason(deploy.reason);
  const tookMs =
    finishedAt === undefined ? null : Date.parse(finishedAt) - Date.parse(startedAt ?? createdAt);
  return (
    <tr data-row={id}>
      <th scope="row">
        <ShortName name={id} />
        <div class="muted">
          <Timestamp at={createdAt} />
        </div>
      </th>
      <td>
        <DeployState status={status} />
        {reason === null ? null : (
          <div class="deploy-reason">
            <bdi>{reason}</bdi>
          </div>
        )}
      </td>
      <td>
        {commit === null ? null : (
          <>
            <code title={commit.id}>{commit.id.slice(0, COMMIT_CHARS)}</code>{' '}
            <bdi>{commit.message.split('\n')[0]?.slice(0, MESSAGE_CHARS_MAX)}</bdi>
          </>
        )}
      </td>
      <td>{formatWireName(trigger)}</td>
      <td class="number">{tookMs === null ? '' : formatDuration(tookMs)}</td>
      <td>
        {ask !== null && isInProgress(deploy) ? (
          <MoveButton words="Cancel" id={id} run={() => ask('cancel')} />
        ) : null}
        {ask !== null && status === 'deactivated' ? (
          <MoveButton words="Roll back" id={id} run={() => ask('rollback')} />
        ) : null}
      </td>
    </tr>
  );
}

function MoveButton({
  words,
  id,
  run,
}: {
  readonly words: string;
  readonly id: string;
  readonly run: () => void;
}): JSX.Element {
  return (
    <button type="button" class="button is-small" aria-label={`${words} ${id}`} onClick={run}>
      {words} …
    </button>
  );
}

function DeployDialog({
  move,
  deploy,
  service,
  done,
  close,
}: PendingMove & { readonly service: Service; done(): void; close(): void }): JSX.Element {
  const isCancel = move === 'cancel';
  const run = async (): Promise<void> => {
    await changeHosting(['services', service.id, 'deploys', deploy.id, move]);
    announce(isCancel ? 'Deploy canceled' : 'Rollback started');
    done();
  };
  return (
    <ConfirmDialog
      title={isCancel ? 'Cancel this deploy?' : 'Roll back to this deploy?'}
      confirmLabel={isCancel ? 'Cancel the deploy' : 'Roll back'}
      run={run}
      close={close}
    >
      <p>
        <ShortName name={deploy.id} /> of <bdi>{service.name}</bdi>:{' '}
        {isCancel ? 'the live version stays live.' : 'a new deploy makes its build live again.'}
      </p>
    </ConfirmDialog>
  );
}
